// What every store must do when it is asked what comes due. Part of the suite in conformance.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareKeys } from '../../../core/timer/order.ts'
import { NEVER, Status } from '../../../core/timer/timer.ts'
import type { Namespace, ShardId, Timer, TimerId, TimerUuid } from '../../../core/timer/timer.ts'
import { partOf } from '../../commit-sheet.ts'
import { absent, changed, claimed, idsOf, OWNER, SHARD } from '../owned-store.ts'
import type { Setup } from '../owned-store.ts'
import { SAMPLE_NOW, sampleTimer } from '../sample-timer.ts'

const LATER = SAMPLE_NOW + 5_000

export function storeDueScans(name: string, setup: Setup): void {
  test(`${name}: says which shards have live timers up to a time`, async (t) => {
    const { store, fence } = await setup(t)
    const other = 300 as ShardId
    const epoch = await claimed(store, other)
    const at = (id: string, wakeAt: number, more: Partial<Timer> = {}) =>
      absent(sampleTimer({ id: id as TimerId, wakeAt, dueAt: wakeAt, ...more }))
    await store.commit([
      partOf(fence, [at('a', 10), at('b', 20)]),
      partOf({ shard: other, epoch, owner: OWNER }, [at('c', 30), at('d', 5, { status: 'completed' })]),
    ])
    const shards = [SHARD, 7 as ShardId, other]
    const dueBy = async (until: number) => (await store.dueShards({ shards, until })).toSorted((a, b) => a - b)
    assert.deepEqual([await dueBy(9), await dueBy(10), await dueBy(30)], [[], [SHARD], [SHARD, other]])
    assert.deepEqual(await store.dueShards({ shards: [other], until: 20 }), [])
    assert.deepEqual(await store.dueShards({ shards: [], until: 30 }), [])
  })

  test(`${name}: due timers come by wake time, then by the bytes of their uuid, the high bit included`, async (t) => {
    const owned = await setup(t)
    const uuids = [
      '7fffffffffffffff0000000000000000',
      '80000000000000000000000000000000',
      'ffffffffffffffffffffffffffffffff',
    ]
    uuids.unshift('00000000000000000000000000000001', '0000000000000000ffffffffffffffff')
    const same = uuids.map((uuid, index) =>
      sampleTimer({ id: `same-${index}` as TimerId, uuid: uuid as TimerUuid, dueAt: LATER }),
    )
    const before = sampleTimer({ id: 'before' as TimerId, dueAt: LATER - 1 })
    const after = sampleTimer({ id: 'after' as TimerId, dueAt: LATER + 1 })
    const expected = [before, ...same, after]
    await owned.add(...[3, 1, 6, 0, 5, 2, 4].map((index) => expected[index]!))
    assert.deepEqual(await owned.dueIds(), idsOf(expected))
    assert.deepEqual(expected.toSorted(compareKeys), expected)
  })

  test(`${name}: a page begins exactly behind the key it is given and ends at its limit or with the last wake time`, async (t) => {
    const owned = await setup(t)
    const timers = Array.from({ length: 9 }, (_, i) =>
      sampleTimer({ id: `t${i}` as TimerId, dueAt: LATER + Math.floor(i / 3) }),
    )
    const ordered = timers.toSorted(compareKeys)
    await owned.add(...timers)
    for (const [index, after] of ordered.entries()) {
      assert.deepEqual(await owned.dueIds({ after, limit: 4 }), idsOf(ordered.slice(index + 1, index + 5)))
    }
    assert.deepEqual(await owned.dueIds({ until: LATER }), idsOf(ordered.slice(0, 3)))
    assert.deepEqual(await owned.dueIds({ until: LATER - 1 }), [])
    assert.deepEqual(await owned.dueIds({ after: ordered[1]!, until: LATER }), idsOf(ordered.slice(2, 3)))
  })

  test(`${name}: a key whose timer is not there is as good a border as any`, async (t) => {
    const owned = await setup(t)
    const [a, b] = [
      sampleTimer({ id: 'a' as TimerId, dueAt: LATER }),
      sampleTimer({ id: 'b' as TimerId, dueAt: LATER + 2 }),
    ]
    await owned.add(a, b)
    assert.deepEqual(await owned.dueIds({ after: { ...a, wakeAt: LATER + 1 } }), ['b'])
    assert.deepEqual(await owned.dueIds({ after: { ...a, wakeAt: LATER - 1 } }), ['a', 'b'])
  })

  test(`${name}: paused and finished timers are never due, and come back when they are resumed or made anew`, async (t) => {
    const owned = await setup(t)
    const timer = sampleTimer({ dueAt: LATER })
    await owned.add(timer)
    const paused = { ...timer, version: 2, status: Status.paused, wakeAt: NEVER }
    await owned.put(changed(paused, timer))
    assert.deepEqual(await owned.dueIds({ until: NEVER - 1 }), [])
    assert.deepEqual(await owned.get(timer), paused)
    const resumed = { ...timer, version: 3 }
    await owned.put(changed(resumed, paused))
    assert.deepEqual(await owned.dueIds(), ['sample'])
    const done = { ...timer, version: 4, status: Status.completed, finishedAt: LATER, wakeAt: LATER }
    await owned.put(changed(done, resumed))
    assert.deepEqual(await owned.dueIds({ until: NEVER }), [])
    assert.deepEqual(await owned.get(timer), done)
    await owned.put(changed({ ...timer, version: 5 }, done))
    assert.deepEqual(await owned.dueIds(), ['sample'])
  })

  test(`${name}: a paused cycle that was triggered is due, and is stored with what it goes on with`, async (t) => {
    const owned = await setup(t)
    const regular = { status: Status.paused, wakeAt: NEVER, attempts: 2, firstAttemptAt: LATER - 1 }
    const extra = { dueAt: LATER, number: 7, regular }
    const timer = sampleTimer({
      dueAt: 2 * LATER,
      wakeAt: LATER,
      schedule: 'R/PT1H',
      anchorAt: 0,
      status: Status.paused,
      extra,
    })
    await owned.add(timer)
    assert.deepEqual(await owned.dueIds(), ['sample'])
    assert.deepEqual(await owned.get(timer), timer)
  })

  test(`${name}: a scan of one namespace, and one of all but some, keep the order, the border, the end and the limit`, async (t) => {
    const owned = await setup(t)
    const [flood, calm, other] = ['flood', 'calm', `it's "other"`] as [Namespace, Namespace, Namespace]
    const namespaces = [flood, flood, calm, flood, other, flood, calm, flood, other]
    const timers = namespaces.map((namespace, n) =>
      sampleTimer({ id: `t${n}` as TimerId, namespace, dueAt: LATER + Math.floor(n / 4) }),
    )
    await owned.add(...timers)
    const ordered = timers.toSorted(compareKeys)
    const without = (...some: Namespace[]) => ordered.filter(({ namespace }) => !some.includes(namespace))
    const floods = without(calm, other)
    assert.deepEqual(await owned.dueIds({ group: 'nobody' }), [])
    assert.deepEqual(await owned.dueIds({ except: [flood, calm, other] }), [])
    assert.deepEqual(await owned.dueIds({ group: flood }), idsOf(floods))
    assert.deepEqual(await owned.dueIds({ group: other }), idsOf(without(flood, calm)))
    assert.deepEqual(
      await owned.dueIds({ group: flood, after: floods[1]!, until: LATER + 1, limit: 2 }),
      idsOf(floods.slice(2, 4)),
    )
    assert.deepEqual(await owned.dueIds({ except: [] }), idsOf(ordered))
    assert.deepEqual(await owned.dueIds({ except: [flood] }), idsOf(without(flood)))
    assert.deepEqual(await owned.dueIds({ except: [flood, other] }), idsOf(without(flood, other)))
    assert.deepEqual(
      await owned.dueIds({ except: [flood], after: without(flood)[0]!, limit: 2 }),
      idsOf(without(flood).slice(1, 3)),
    )
    assert.deepEqual(
      await owned.dueIds({ except: [calm], until: LATER }),
      idsOf(without(calm).filter(({ wakeAt }) => wakeAt === LATER)),
    )
  })

  test(`${name}: a tenant's timers are one group, whatever their namespaces, and those of nobody are a group by namespace`, async (t) => {
    const owned = await setup(t)
    const [a, b] = ['a', 'b'] as [Namespace, Namespace]
    const timer = (id: string, namespace: Namespace, tenant: string | null) =>
      sampleTimer({ id: id as TimerId, namespace, tenant })
    await owned.add(timer('1', a, 'acme'), timer('2', b, 'acme'), timer('3', a, null), timer('4', b, 'other'))
    const ids = async (scan: Parameters<typeof owned.dueIds>[0]) => (await owned.dueIds(scan)).toSorted()
    assert.deepEqual(await ids({ group: '@acme' }), ['1', '2'])
    assert.deepEqual(await ids({ group: 'a' }), ['3'])
    assert.deepEqual(await ids({ except: ['@acme'] }), ['3', '4'])
    assert.deepEqual(await ids({ except: ['@acme', 'a'] }), ['4'])
  })

  test(`${name}: a scan sees its own shard only`, async (t) => {
    const owned = await setup(t)
    await owned.add(sampleTimer())
    assert.deepEqual(await owned.store.due({ shard: 1 as ShardId, after: null, until: NEVER, limit: 10 }), [])
  })
}
