// What every store must do about pages of large timers: they end at a size in bytes, and what is not asked for is not in
// them. Part of the suite in conformance.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamespacePattern } from '../../../core/access/access.ts'
import { PAGE_BYTES_MAX } from '../../../core/limits.ts'
import { NO_ATTEMPTS, Status } from '../../../core/timer/timer.ts'
import type { JsonText, Namespace, Timer, TimerId } from '../../../core/timer/timer.ts'
import { idsOf, listAll } from '../owned-store.ts'
import type { Owned, Setup } from '../owned-store.ts'
import { SAMPLE_NOW, sampleTimer } from '../sample-timer.ts'
import { TIMER_PARTS } from '../../store.ts'
import type { ListFilter, PageQuery } from '../../store.ts'

const KIB = 1_024
const LATER = SAMPLE_NOW + 5_000

export function storePageBytes(name: string, setup: Setup): void {
  const filters: readonly ListFilter[] = [
    {},
    { namespace: 'large.0' as Namespace },
    { namespaces: ['large.*'] as string[] as NamespacePattern[] },
    { metadataKey: 'n' },
  ]

  test(`${name}: a list of large timers ends at its size in bytes and goes on from there`, async (t) => {
    const owned = await setup(t)
    const timers = await addLarge(owned)
    for (const filter of filters) {
      const meant = timers.filter(({ namespace }) => filter.namespace === undefined || namespace === filter.namespace)
      const first = await owned.store.list({ filter, after: null, limit: 100 })
      assert.deepEqual(idsOf(first.timers), idsOf(meant.slice(0, 3)), JSON.stringify(filter))
      assert.notEqual(first.next, null)
      assert.deepEqual(await listAll(owned.store, filter, 100), meant, JSON.stringify(filter))
      assert.deepEqual(await listAll(owned.store, filter, 2), meant)
    }
  })

  test(`${name}: a sorted page of large timers ends at its size in bytes, with the total of all`, async (t) => {
    const owned = await setup(t)
    const timers = await addLarge(owned)
    for (const sort of ['createdAt', 'dueAt'] as const) {
      for (const descending of [false, true]) {
        const expected = descending ? timers.toReversed() : timers
        const found: Timer[] = []
        while (found.length < expected.length) {
          const page = await owned.store.page(query({ sort, descending, offset: found.length }))
          assert.deepEqual(
            [page.timers.length, page.total],
            [Math.min(3, expected.length - found.length), expected.length],
          )
          found.push(...page.timers)
        }
        assert.deepEqual(found, expected)
      }
    }
  })

  test(`${name}: a timer that is larger than a page is a page of its own`, async (t) => {
    const owned = await setup(t)
    const timers = [0, 1, 2].map((n) => large(n, PAGE_BYTES_MAX + n))
    await owned.add(...timers)
    const page = await owned.store.list({ filter: {}, after: null, limit: 100 })
    assert.deepEqual(idsOf(page.timers), ['t0'])
    assert.deepEqual(idsOf(await listAll(owned.store, {}, 100)), idsOf(timers))
    assert.deepEqual(idsOf((await owned.store.page(query({ offset: 1 }))).timers), ['t1'])
    assert.deepEqual(idsOf((await owned.store.list({ filter: {}, after: null, limit: 100, bytesMax: 1 })).timers), [
      't0',
    ])
  })

  test(`${name}: the size of a page is that of all its texts, in UTF-8`, async (t) => {
    const owned = await setup(t)
    const wide = (n: number, changes: Partial<Timer>) =>
      sampleTimer({ id: `t${n}` as TimerId, dueAt: LATER + n, createdAt: SAMPLE_NOW + n, ...changes })
    await owned.add(
      wide(0, { payload: JSON.stringify('é'.repeat(30_000)) as JsonText }),
      wide(1, { metadata: JSON.stringify({ k: '€'.repeat(20_000) }) as JsonText }),
      wide(2, { target: { type: 'http', url: 'http://localhost/', headers: { a: 'x'.repeat(60_000) } } }),
      wide(3, { lastError: 'x'.repeat(60_000) }),
    )
    for (const [bytesMax, count] of [
      [70_000, 1],
      [130_000, 2],
      [190_000, 3],
      [250_000, 4],
    ] as const) {
      assert.equal((await owned.store.list({ filter: {}, after: null, limit: 100, bytesMax })).timers.length, count)
      assert.equal((await owned.store.page(query({ bytesMax }))).timers.length, count)
    }
  })

  test(`${name}: what a page leaves out is empty in it, takes none of its size and stays in the store`, async (t) => {
    const owned = await setup(t)
    const timers = await addLarge(owned)
    for (const omit of [['payload'], TIMER_PARTS] as const) {
      const expected = timers.map((timer) => (omit.length === 1 ? { ...timer, payload: null } : withoutParts(timer)))
      for (const filter of filters.filter(({ namespace }) => namespace === undefined)) {
        const page = await owned.store.list({ filter, after: null, limit: 100, omit })
        assert.deepEqual(page, { timers: expected, next: null }, JSON.stringify(filter))
      }
      assert.deepEqual(await owned.store.page(query({ omit })), { timers: expected, total: timers.length })
      assert.deepEqual(await owned.store.page(query({ omit, filter: { metadataKey: 'n' } })), {
        timers: expected,
        total: timers.length,
      })
    }
    assert.deepEqual(await owned.get(timers[0]!), timers[0])
  })

  test(`${name}: a page by the beginning of ids, or of some timers, is sorted and counted as any other`, async (t) => {
    const owned = await setup(t)
    const add = ['a1', 'a2', 'a%', 'A3', 'b1', 'éa', 'é'].map((id, n) =>
      sampleTimer({
        id: id as TimerId,
        dueAt: LATER + n,
        createdAt: SAMPLE_NOW + n,
        namespace: `n${n % 2}` as Namespace,
        status: n === 1 ? Status.paused : Status.pending,
      }),
    )
    await owned.add(...add)
    const found = async (filter: PageQuery['filter'], more: Partial<PageQuery> = {}) => {
      const { timers, total } = await owned.store.page(query({ filter, ...more }))
      return `${idsOf(timers).join(' ')} of ${total}`
    }
    assert.equal(await found({ idPrefix: 'a' }), 'a1 a2 a% of 3')
    assert.equal(await found({ idPrefix: 'a' }, { descending: true, limit: 1, offset: 1 }), 'a2 of 3')
    assert.equal(await found({ idPrefix: 'a%' }), 'a% of 1')
    assert.equal(await found({ idPrefix: 'é' }), 'éa é of 2')
    assert.equal(await found({ idPrefix: 'x' }), ' of 0')
    assert.equal(await found({ idPrefix: 'a', namespace: 'n0' as Namespace }), 'a1 a% of 2')
    assert.equal(await found({ idPrefix: 'a', namespaces: ['n1*'] as string[] as NamespacePattern[] }), 'a2 of 1')
    assert.equal(await found({ idPrefix: 'a', statuses: [Status.paused] }), 'a2 of 1')
    const uuids = [add[4]!.uuid, add[1]!.uuid, sampleTimer({ id: 'none' as TimerId }).uuid]
    assert.equal(await found({ uuids }), 'a2 b1 of 2')
    assert.equal(await found({ uuids, statuses: [Status.pending] }), 'b1 of 1')
    assert.equal(await found({ uuids, namespace: 'n1' as Namespace }), 'a2 of 1')
    assert.equal(await found({ uuids: [] }), ' of 0')
  })

  test(`${name}: counters are those of the namespaces asked for`, async (t) => {
    const owned = await setup(t)
    for (const namespace of ['team', 'team.a', 'teams', 'zz'] as Namespace[])
      await owned.add(sampleTimer({ namespace }))
    const names = async (scope: Parameters<typeof owned.store.stats>[0]) => {
      const { counts } = await owned.store.stats(scope)
      return counts
        .map(({ namespace, count }) => `${namespace} ${count}`)
        .toSorted()
        .join(', ')
    }
    const patterns = (...texts: string[]) => texts as NamespacePattern[]
    assert.equal(await names({}), 'team 1, team.a 1, teams 1, zz 1')
    assert.equal(await names({ namespace: 'team' as Namespace }), 'team 1')
    assert.equal(await names({ namespaces: patterns('team.*', 'team*', 'nobody') }), 'team 1, team.a 1, teams 1')
    assert.equal(await names({ namespaces: patterns('zz'), namespace: 'team' as Namespace }), '')
    assert.equal(await names({ namespaces: [] }), '')
  })
}

/** Eight of 300 KiB each in two namespaces, in the order of their due and their creation times: three to a page. */
async function addLarge(owned: Owned): Promise<Timer[]> {
  const timers = Array.from({ length: 8 }, (_, n) => large(n, 300 * KIB))
  await owned.add(...timers)
  return timers
}

function large(n: number, bytes: number): Timer {
  return sampleTimer({
    namespace: `large.${n % 2}` as Namespace,
    id: `t${n}` as TimerId,
    dueAt: LATER + n,
    createdAt: SAMPLE_NOW + n,
    payload: JSON.stringify('x'.repeat(bytes)) as JsonText,
    metadata: JSON.stringify({ n }) as JsonText,
    target: { type: 'http', url: 'http://localhost/', headers: { a: 'b' } },
    attempts: 1,
    firstAttemptAt: SAMPLE_NOW,
    lastError: 'no answer',
    attemptLog: [{ at: SAMPLE_NOW, durationMs: 1, outcome: 'failed', statusCode: null, error: 'no answer' }],
  })
}

function withoutParts(timer: Timer): Timer {
  const target: Timer['target'] = timer.target.type === 'http' ? { ...timer.target, headers: null } : timer.target
  return {
    ...timer,
    payload: null,
    metadata: null,
    target,
    firstAttemptAt: null,
    lastError: null,
    attemptLog: NO_ATTEMPTS,
  }
}

function query(more: Partial<PageQuery>): PageQuery {
  return { filter: {}, sort: 'dueAt', descending: false, offset: 0, limit: 100, ...more }
}
