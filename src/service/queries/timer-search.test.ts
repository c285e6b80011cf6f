import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { NamespacePattern } from '../../core/access/access.ts'
import { Status } from '../../core/timer/timer.ts'
import type { Namespace, TimerId } from '../../core/timer/timer.ts'
import { TimerKind } from '../../core/timer/timer-kind.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import { Owned } from '../../store/conformance/owned-store.ts'
import { SAMPLE_NOW, sampleTimer } from '../../store/conformance/sample-timer.ts'
import type { TimerCount } from '../../store/store.ts'
import { LOOKED_THROUGH_MAX, searchTimers } from './timer-search.ts'
import type { SearchQuery } from './timer-search.ts'

const NAMES = ['a/order-1', 'a/order-12', 'b/order-1', 'a/other']

async function setup(t: TestContext) {
  const owned = await Owned.open(t, async () => new MemoryStore())
  const timers = NAMES.map((name, index) => {
    const [namespace, id] = name.split('/') as [Namespace, TimerId]
    return sampleTimer({ namespace, id, dueAt: SAMPLE_NOW + 60_000 * (index + 1), createdAt: SAMPLE_NOW - index })
  })
  await owned.add(...timers)
  const search = async (text: string, query: Partial<SearchQuery> = {}, counts?: readonly TimerCount[]) => {
    const known = counts ?? (await owned.store.stats()).counts
    const asked = { sort: 'dueAt', descending: false, offset: 0, limit: 10, ...query, text: text as TimerId } as const
    const { timers: found, total, searched } = await searchTimers(owned.store, asked, known)
    return { names: found.map(({ namespace, id }) => `${namespace}/${id}`), total, searched }
  }
  return { search }
}

function many(...namespaces: readonly string[]): TimerCount[] {
  return namespaces.map((namespace) => {
    return {
      namespace: namespace as Namespace,
      status: Status.pending,
      kind: TimerKind.once,
      count: LOOKED_THROUGH_MAX,
    }
  })
}

test('where there are too many timers to look through, the very id is found in each namespace, and no other', async (t) => {
  const { search } = await setup(t)
  assert.deepEqual(await search('order-1', {}, many('a', 'b')), {
    names: ['a/order-1', 'b/order-1'],
    total: 2,
    searched: 'exact',
  })
  assert.deepEqual((await search('order', {}, many('a', 'b'))).names, [])
  assert.deepEqual((await search('order-1', { descending: true }, many('a', 'b'))).names, ['b/order-1', 'a/order-1'])
  assert.deepEqual((await search('order-1', { namespace: 'b' as Namespace }, many('b', 'b'))).names, ['b/order-1'])
  assert.deepEqual((await search('order-1', { statuses: [Status.failed] }, many('a', 'b'))).searched, 'prefix')
})

test('where there are few, ids that begin with the text are found, in order, and counted', async (t) => {
  const { search } = await setup(t)
  assert.deepEqual(await search('order-1'), {
    names: ['a/order-1', 'a/order-12', 'b/order-1'],
    total: 3,
    searched: 'prefix',
  })
  assert.deepEqual((await search('order-1', { sort: 'createdAt' })).names, ['b/order-1', 'a/order-12', 'a/order-1'])
  assert.deepEqual(await search('order-1', { offset: 1, limit: 1 }), {
    names: ['a/order-12'],
    total: 3,
    searched: 'prefix',
  })
  assert.deepEqual((await search('o', { namespaces: ['b*' as NamespacePattern] })).names, ['b/order-1'])
  assert.deepEqual((await search('order-1', { statuses: [Status.paused] })).names, [])
})
