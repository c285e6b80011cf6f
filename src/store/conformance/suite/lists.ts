// What every store must do with lists, page by page. Part of the suite in conformance.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamespacePattern } from '../../../core/access/access.ts'
import { compareKeys } from '../../../core/timer/order.ts'
import { NEVER, Status } from '../../../core/timer/timer.ts'
import type { JsonText, Namespace, ShardId, TimerId } from '../../../core/timer/timer.ts'
import { partOf } from '../../commit-sheet.ts'
import { absent, claimed, idsOf, OWNER, SHARD } from '../owned-store.ts'
import type { Setup } from '../owned-store.ts'
import { SAMPLE_NOW, sampleTimer } from '../sample-timer.ts'
import type { ListFilter } from '../../store.ts'

const LATER = SAMPLE_NOW + 5_000

export function storeLists(name: string, setup: Setup): void {
  test(`${name}: a list has live timers by wake time, then finished ones by expiry, none skipped and none twice`, async (t) => {
    const owned = await setup(t)
    const timers = Array.from({ length: 23 }, (_, i) => {
      const status = i % 3 === 0 ? Status.completed : Status.pending
      return sampleTimer({ id: `t${i}` as TimerId, status, dueAt: LATER + (i % 4) })
    })
    const live = timers.filter(({ status }) => status === Status.pending).toSorted(compareKeys)
    const finished = timers.filter(({ status }) => status === Status.completed).toSorted(compareKeys)
    await owned.add(...timers)
    for (const limit of [1, 2, 5, 23, 100])
      assert.deepEqual(await owned.listIds({}, limit), idsOf([...live, ...finished]))
  })

  test(`${name}: a list goes over all shards in one order`, async (t) => {
    const owned = await setup(t)
    const shards = [SHARD, 1 as ShardId, 2 as ShardId]
    const epochs = [owned.epoch, await claimed(owned.store, shards[1]!), await claimed(owned.store, shards[2]!)]
    const timers = Array.from({ length: 20 }, (_, i) => sampleTimer({ id: `t${i}` as TimerId, dueAt: LATER + (i % 5) }))
    const parts = shards.map((shard, s) => {
      return partOf({ shard, epoch: epochs[s]!, owner: OWNER }, timers.filter((_, i) => i % 3 === s).map(absent))
    })
    await owned.store.commit(parts)
    for (const limit of [1, 3, 7]) assert.deepEqual(await owned.listIds({}, limit), idsOf(timers.toSorted(compareKeys)))
    assert.deepEqual(await owned.listIds({ namespace: 'default' as Namespace }), idsOf(timers.toSorted(compareKeys)))
  })

  test(`${name}: what the service keeps for itself is seen by those only who name its namespace`, async (t) => {
    const owned = await setup(t)
    const [internal, id] = ['~documents' as Namespace, (text: string) => text as TimerId]
    const document = { wakeAt: NEVER, status: Status.paused, namespace: internal, payload: '{"a":1}' as JsonText }
    const timers = [sampleTimer({ id: id('a') }), sampleTimer({ id: id('b'), wakeAt: NEVER, status: Status.paused })]
    await owned.add(...timers, sampleTimer({ id: id('c'), ...document }), sampleTimer({ id: id('d'), ...document }))
    const every = { namespaces: ['*' as NamespacePattern] }
    for (const filter of [{}, { statuses: [Status.paused, Status.pending] }, every]) {
      for (const limit of [1, 10])
        assert.deepEqual(await owned.listIds(filter, limit), ['a', 'b'], JSON.stringify(filter))
      const page = await owned.store.page({ filter, sort: 'dueAt', descending: true, offset: 0, limit: 10 })
      assert.deepEqual([idsOf(page.timers).toSorted(), page.total], [['a', 'b'], 2], JSON.stringify(filter))
    }
    assert.deepEqual((await owned.listIds({ namespace: internal })).toSorted(), ['c', 'd'])
    const { counts } = await owned.store.stats()
    assert.deepEqual(new Set(counts.map(({ namespace }) => namespace)), new Set(['default']))
  })

  test(`${name}: a list shows what matches all of its filters`, async (t) => {
    const owned = await setup(t)
    const other = 'other' as Namespace
    await owned.add(
      sampleTimer({ id: 'a' as TimerId, dueAt: LATER }),
      sampleTimer({ id: 'b' as TimerId, dueAt: LATER + 1, namespace: other }),
      sampleTimer({ id: 'c' as TimerId, dueAt: LATER + 1, wakeAt: LATER + 2 }),
      sampleTimer({ id: 'd' as TimerId, dueAt: LATER, wakeAt: NEVER, status: Status.paused }),
      sampleTimer({ id: 'e' as TimerId, dueAt: LATER + 1, wakeAt: LATER, status: Status.failed }),
      sampleTimer({ id: 'f' as TimerId, dueAt: LATER, wakeAt: LATER + 9, status: Status.canceled, namespace: other }),
    )
    const cases: [ListFilter, string][] = [
      [{}, 'a b c d e f'],
      [{ namespace: other }, 'b f'],
      [{ namespace: 'nobody' as Namespace }, ''],
      [{ statuses: [] }, ''],
      [{ statuses: [Status.pending] }, 'a b c'],
      [{ statuses: [Status.failed, Status.paused] }, 'd e'],
      [{ statuses: [Status.failed, Status.canceled], namespace: other }, 'f'],
      [{ dueFrom: LATER + 1 }, 'b c e'],
      [{ dueTo: LATER + 1 }, 'a d f'],
      [{ dueFrom: LATER, dueTo: LATER + 1, statuses: [Status.pending] }, 'a'],
      [{ dueFrom: LATER + 2 }, ''],
    ]
    for (const [filter, ids] of cases)
      assert.equal((await owned.listIds(filter)).join(' '), ids, JSON.stringify(filter))
  })

  test(`${name}: a list covers the namespaces that match its patterns, and none for an empty list`, async (t) => {
    const owned = await setup(t)
    const namespaces = ['team', 'team.a', 'team.b', 'teams', 'Team.a', 'te', 't_am.a', 'zz']
    await owned.add(
      ...namespaces.map((one, i) => sampleTimer({ namespace: one as Namespace, id: one as TimerId, dueAt: LATER + i })),
    )
    const patterns = (...texts: string[]): ListFilter => ({ namespaces: texts as NamespacePattern[] })
    const cases: [ListFilter, string][] = [
      [patterns(), ''],
      [patterns('team'), 'team'],
      [patterns('team.*'), 'team.a team.b'],
      [patterns('team*'), 'team team.a team.b teams'],
      [patterns('t_*'), 't_am.a'],
      [patterns('zz', 'team.*', 'team.a', 'te'), 'team.a team.b te zz'],
      [patterns('nobody', 'nobody.*'), ''],
      [patterns('*'), namespaces.join(' ')],
      [{ ...patterns('team.*'), namespace: 'team.b' as Namespace }, 'team.b'],
      [{ ...patterns('team.*'), namespace: 'zz' as Namespace }, ''],
      [{ ...patterns('te*'), dueFrom: LATER + 2, statuses: [Status.pending] }, 'team.b teams te'],
    ]
    for (const [filter, ids] of cases)
      assert.equal((await owned.listIds(filter)).join(' '), ids, JSON.stringify(filter))
  })

  test(`${name}: a list by patterns goes over many namespaces in one order`, async (t) => {
    const owned = await setup(t)
    const timers = Array.from({ length: 240 }, (_, i) => {
      const namespace = `${i % 3 === 0 ? 'x' : 'many'}.${i % 120}` as Namespace
      return sampleTimer({ namespace, id: `t${i}` as TimerId, dueAt: LATER + (i % 7) })
    })
    await owned.add(...timers)
    const expected = timers.filter(({ namespace }) => namespace.startsWith('many.')).toSorted(compareKeys)
    assert.deepEqual(
      await owned.listIds({ namespaces: ['many.*'] as string[] as NamespacePattern[] }, 50),
      idsOf(expected),
    )
  })

  test(`${name}: metadata filters compare value and type, and take any text as a key`, async (t) => {
    const owned = await setup(t)
    const keys = [
      'plain',
      'a.b',
      'a"b',
      `a'b`,
      '$',
      '$.plain',
      '[0]',
      '0',
      'a\\b',
      'ключ 🔑',
      '',
      `'; DROP TABLE timers; --`,
      'a\nb',
      '%',
      '?1',
    ]
    await owned.add(
      ...keys.map((key, i) =>
        sampleTimer({ id: `k${i}` as TimerId, dueAt: LATER + i, metadata: JSON.stringify({ [key]: i }) as JsonText }),
      ),
      sampleTimer({
        id: 'typed' as TimerId,
        dueAt: LATER + 90,
        metadata: '{"text":"1","yes":true,"no":false,"none":null,"pi":3.5}' as JsonText,
      }),
      sampleTimer({
        id: 'nested' as TimerId,
        dueAt: LATER + 91,
        metadata: '{"o":{"plain":0},"text":["1"]}' as JsonText,
      }),
      sampleTimer({ id: 'array' as TimerId, dueAt: LATER + 92, metadata: '[0,"plain"]' as JsonText }),
    )
    for (const [i, metadataKey] of keys.entries()) {
      assert.deepEqual(await owned.listIds({ metadataKey }), [`k${i}`], metadataKey)
      assert.deepEqual(await owned.listIds({ metadataKey, metadataValue: i }), [`k${i}`], metadataKey)
      assert.deepEqual(await owned.listIds({ metadataKey, metadataValue: String(i) }), [], metadataKey)
    }
    const cases: [ListFilter, string][] = [
      [{ metadataKey: 'text' }, 'typed nested'],
      [{ metadataKey: 'text', metadataValue: '1' }, 'typed'],
      [{ metadataKey: 'text', metadataValue: 1 }, ''],
      [{ metadataKey: 'yes', metadataValue: true }, 'typed'],
      [{ metadataKey: 'yes', metadataValue: 1 }, ''],
      [{ metadataKey: 'yes', metadataValue: 'true' }, ''],
      [{ metadataKey: 'no', metadataValue: false }, 'typed'],
      [{ metadataKey: 'none' }, 'typed'],
      [{ metadataKey: 'pi', metadataValue: 3.5 }, 'typed'],
    ]
    for (const [filter, ids] of cases)
      assert.equal((await owned.listIds(filter)).join(' '), ids, JSON.stringify(filter))
  })
}
