// What every store must do, whoever made it: the contract of store.ts as tests. An adapter's own test file calls
// this with a way to open an empty store, and adds what only that adapter has.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { NamespacePattern } from '../../core/access/access.ts'
import { timerUuid } from '../../core/timer/ids.ts'
import { compareKeys } from '../../core/timer/order.ts'
import { NEVER, Status } from '../../core/timer/timer.ts'
import type { Epoch, JsonText, Namespace, ShardId, Timer, TimerId, TimerUuid } from '../../core/timer/timer.ts'
import { eventOf, storeEvents } from './conformance-events.ts'
import { storePageBytes } from './conformance-page-bytes.ts'
import { storeQueries } from './conformance-queries.ts'
import { deletingPart, partOf } from '../commit-sheet.ts'
import {
  absent,
  changed,
  claimed,
  countsOf,
  getOne,
  idsOf,
  missedOf,
  Owned,
  OWNER,
  SHARD,
  UNOWNED,
} from './owned-store.ts'
import type { Setup } from './owned-store.ts'
import { SAMPLE_NOW, sampleTimer } from './sample-timer.ts'
import { StoreError } from '../store.ts'
import type { ListFilter, Store } from '../store.ts'

type OpenEmptyStore = () => Promise<Store>

const LATER = SAMPLE_NOW + 5_000

export function storeConformance(name: string, openStore: OpenEmptyStore): void {
  const setup = (t: TestContext): Promise<Owned> => Owned.open(t, openStore)
  ownership(name, setup)
  commits(name, setup)
  dueScans(name, setup)
  lists(name, setup)
  countersAndPruning(name, setup)
  storeQueries(name, setup)
  storePageBytes(name, setup)
  storeEvents(name, setup)
  values(name, setup)
  closing(name, openStore)
}

function ownership(name: string, setup: Setup): void {
  test(`${name}: a shard that was never claimed refuses commits`, async (t) => {
    const { store } = await setup(t)
    const part = partOf({ shard: 7 as ShardId, epoch: UNOWNED, owner: OWNER }, [absent(sampleTimer())])
    assert.deepEqual(await store.commit([part]), [{ type: 'fenced' }])
    assert.equal(await getOne(store, sampleTimer(), part.shard), null)
  })

  test(`${name}: an owner whose shard was claimed by another cannot commit any more`, async (t) => {
    const owned = await setup(t)
    const next = await owned.store.claim({ shard: SHARD, expected: owned.epoch, from: OWNER, owner: 'b' })
    assert.equal(next, owned.epoch + 1)
    assert.deepEqual(await owned.store.commit([partOf(owned.fence, [absent(sampleTimer())])]), [{ type: 'fenced' }])
    assert.equal(await owned.get(sampleTimer()), null)
    assert.deepEqual(await owned.store.stats(), { counts: [] })
  })

  test(`${name}: of two claims of the same epoch only one wins`, async (t) => {
    const { store, epoch } = await setup(t)
    const claim = { shard: SHARD, expected: epoch, from: OWNER }
    const won = await Promise.all([store.claim({ ...claim, owner: 'a' }), store.claim({ ...claim, owner: 'b' })])
    assert.deepEqual(won.map(String).toSorted(), [String(epoch + 1), 'null'])
    const winner = won[0] === null ? 'b' : 'a'
    assert.deepEqual(await store.shards(), [{ shard: SHARD, epoch: epoch + 1, owner: winner }])
  })

  test(`${name}: a claim that expects another epoch or owner than the current one changes nothing`, async (t) => {
    const { store, epoch } = await setup(t)
    const before = await store.shards()
    for (const expected of [UNOWNED, (epoch + 1) as Epoch]) {
      assert.equal(await store.claim({ shard: SHARD, expected, from: OWNER, owner: 'b' }), null)
    }
    for (const from of [null, 'c'])
      assert.equal(await store.claim({ shard: SHARD, expected: epoch, from, owner: 'b' }), null)
    assert.equal(await store.claim({ shard: 9 as ShardId, expected: 3 as Epoch, from: null, owner: 'b' }), null)
    assert.deepEqual(await store.shards(), before)
  })

  test(`${name}: a stale owner cannot release`, async (t) => {
    const { store, epoch } = await setup(t)
    await store.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b' })
    const before = await store.shards()
    await store.release({ shard: SHARD, epoch, owner: OWNER })
    await store.release({ shard: SHARD, epoch: (epoch + 1) as Epoch, owner: OWNER })
    assert.deepEqual(await store.shards(), before)
  })

  test(`${name}: of two owners by the same epoch only the one that the store names can commit`, async (t) => {
    const owned = await setup(t)
    const part = partOf(owned.fence, [absent(sampleTimer())])
    assert.deepEqual(await owned.store.commit([{ ...part, owner: 'b' }]), [{ type: 'fenced' }])
    assert.equal(await owned.get(sampleTimer()), null)
    assert.deepEqual(await owned.store.commit([part]), [{ type: 'written' }])
  })

  test(`${name}: a claim can ask for an epoch above one that the store does not know of`, async (t) => {
    const { store, epoch } = await setup(t)
    const above = (epoch + 6) as Epoch
    assert.equal(await store.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b', above }), epoch + 7)
    assert.equal(
      await store.claim({ shard: SHARD, expected: (epoch + 7) as Epoch, from: 'b', owner: 'b', above }),
      epoch + 8,
    )
    assert.equal(
      await store.claim({ shard: 9 as ShardId, expected: UNOWNED, from: null, owner: 'b', above }),
      epoch + 7,
    )
  })

  test(`${name}: a shard is not taken from a node that has beaten since it was seen`, async (t) => {
    const { store, epoch } = await setup(t)
    // Nobody beats in a store for one node.
    if (!store.capabilities.shared) return
    const claim = { shard: SHARD, expected: epoch, from: OWNER, owner: 'b' }
    assert.equal(await store.claim({ ...claim, ifBeat: 1 }), null)
    const beat = { node: OWNER, address: null, leaving: false, now: 1 }
    await store.beat({ ...beat, beat: 1 })
    await store.beat({ ...beat, beat: 2 })
    assert.equal(await store.claim({ ...claim, ifBeat: null }), null)
    assert.equal(await store.claim({ ...claim, ifBeat: 1 }), null)
    assert.equal(await store.claim({ ...claim, ifBeat: 2 }), epoch + 1)
  })

  test(`${name}: a shard whose owner never beat is taken on the condition that it still has not`, async (t) => {
    const { store, epoch } = await setup(t)
    assert.equal(await store.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'b', ifBeat: null }), epoch + 1)
  })

  test(`${name}: a released shard has no owner and keeps its epoch`, async (t) => {
    const { store, epoch } = await setup(t)
    await store.release({ shard: SHARD, epoch, owner: OWNER })
    assert.deepEqual(await store.shards(), [{ shard: SHARD, epoch, owner: null }])
    assert.deepEqual(await store.commit([partOf({ shard: SHARD, epoch, owner: OWNER }, [])]), [{ type: 'fenced' }])
    assert.equal(await store.claim({ shard: SHARD, expected: epoch, from: null, owner: 'b' }), epoch + 1)
  })

  test(`${name}: shards are listed by number`, async (t) => {
    const { store } = await setup(t)
    for (const shard of [10, 2] as ShardId[]) await claimed(store, shard)
    assert.deepEqual(
      (await store.shards()).map(({ shard }) => shard),
      [0, 2, 10],
    )
  })

  test(`${name}: a node that beats sees itself alive, and who owns what`, async (t) => {
    const { store } = await setup(t)
    const { nodes, shards } = await store.beat({
      node: 'n',
      address: 'http://127.0.0.1:1',
      leaving: false,
      beat: 5,
      now: 1,
    })
    const self = nodes.find(({ node }) => node === 'n')!
    assert.deepEqual(
      { ...self, clockSkewMs: 0 },
      { node: 'n', address: 'http://127.0.0.1:1', leaving: false, beat: 5, clockSkewMs: 0 },
    )
    assert.deepEqual(shards, await store.shards())
  })
}

function commits(name: string, setup: Setup): void {
  test(`${name}: a put that expects nothing to be there misses and answers with the row that is`, async (t) => {
    const owned = await setup(t)
    const first = sampleTimer({ payload: '1' as JsonText })
    await owned.add(first)
    const missed = await owned.put(absent(sampleTimer({ payload: '2' as JsonText })))
    assert.deepEqual([...missed], [[first.uuid, first]])
    assert.deepEqual(await owned.get(first), first)
  })

  test(`${name}: a put that expects another version misses and answers with the row that is there`, async (t) => {
    const owned = await setup(t)
    const first = sampleTimer({ version: 3 })
    await owned.add(first)
    for (const version of [2, 4]) {
      const missed = await owned.put(changed({ ...first, version: version + 1 }, { ...first, version }))
      assert.deepEqual([...missed], [[first.uuid, first]])
    }
    assert.deepEqual(await owned.get(first), first)
  })

  test(`${name}: a put that expects a version of a timer that is not there misses with null`, async (t) => {
    const owned = await setup(t)
    const missed = await owned.put(changed(sampleTimer({ version: 2 }), sampleTimer()))
    assert.deepEqual([...missed], [[sampleTimer().uuid, null]])
    assert.equal(await owned.get(sampleTimer()), null)
  })

  test(`${name}: a part with a row in its way is not written at all, and every row in the way is named`, async (t) => {
    const owned = await setup(t)
    const [a, b, c, d] = named('a', 'b', 'c', 'd') as [Timer, Timer, Timer, Timer]
    const other = 1 as ShardId
    const epoch = await claimed(owned.store, other)
    await owned.add(b)
    const counter = { namespace: a.namespace, slotAt: 600_000, name: 'n', amount: 1 }
    const part = partOf(owned.fence, [
      absent(a),
      { ...absent(b), events: [eventOf(b, 'no')] },
      changed({ ...c, version: 2 }, c),
    ])
    const [missed, beside] = await owned.store.commit([
      { ...part, counters: [...part.counters, counter] },
      partOf({ shard: other, epoch, owner: OWNER }, [absent(d)]),
    ])
    assert.deepEqual(
      new Set(missedOf(missed)),
      new Set([
        [b.uuid, b],
        [c.uuid, null],
      ]),
    )
    assert.deepEqual(beside, { type: 'written' })
    assert.deepEqual([await owned.get(a), await owned.get(c), await getOne(owned.store, d, other)], [null, null, d])
    assert.deepEqual(await countsOf(owned.store), ['default pending 2'])
    assert.deepEqual(
      (await owned.store.tallies({ since: 1 })).sums.filter(({ name: of }) => of === 'n'),
      [],
    )
    assert.deepEqual(await owned.store.readEvents({ shard: SHARD, after: 0, limit: 9 }), [])
  })

  test(`${name}: a delete needs the row at its version, and misses with its part otherwise`, async (t) => {
    const owned = await setup(t)
    const [a, b] = named('a', 'b') as [Timer, Timer]
    const done = { ...a, status: Status.completed, wakeAt: LATER }
    await owned.add(done)
    const [row] = await owned.store.expired({ shards: [SHARD], before: LATER + 1, limit: 9 })
    const again = { ...a, version: 2 }
    await owned.put(changed(again, done))
    const part = { ...deletingPart(owned.fence, [row!]), puts: [absent(b)] }
    assert.deepEqual([...missedOf((await owned.store.commit([part]))[0])], [[a.uuid, again]])
    assert.deepEqual([await owned.get(a), await owned.get(b)], [again, null])
    assert.deepEqual(await owned.store.expired({ shards: [SHARD], before: NEVER, limit: 9 }), [])
  })

  test(`${name}: commits that are under way at the same time are applied in the order of the calls`, async (t) => {
    const owned = await setup(t)
    const versions = Array.from({ length: 20 }, (_, index) => sampleTimer({ version: index + 1 }))
    const puts = versions.map((timer, index) => (index === 0 ? absent(timer) : changed(timer, versions[index - 1]!)))
    const misses = await Promise.all(puts.map((put) => owned.put(put)))
    assert.deepEqual(
      misses.map(({ size }) => size),
      versions.map(() => 0),
    )
    assert.equal((await owned.get(versions[0]!))?.version, 20)
    assert.deepEqual(await countsOf(owned.store), ['default pending 1'])
  })

  test(`${name}: a fenced part does not keep the others from being written`, async (t) => {
    const owned = await setup(t)
    const other = 1 as ShardId
    const epoch = await claimed(owned.store, other)
    const [a, b, c] = named('a', 'b', 'c') as [Timer, Timer, Timer]
    const results = await owned.store.commit([
      partOf(owned.fence, [absent(a)]),
      partOf({ shard: other, epoch: (epoch + 1) as Epoch, owner: OWNER }, [absent(b)]),
      partOf({ shard: other, epoch, owner: OWNER }, [absent(c)]),
    ])
    assert.deepEqual(
      results.map(({ type }) => type),
      ['written', 'fenced', 'written'],
    )
    assert.equal(await getOne(owned.store, b, other), null)
    assert.deepEqual(await owned.store.due({ shard: other, after: null, until: NEVER, limit: 10 }), [c])
    assert.deepEqual(await owned.dueIds(), ['a'])
  })

  test(`${name}: the owner of one shard cannot change a timer of another`, async (t) => {
    const owned = await setup(t)
    const other = 1 as ShardId
    const epoch = await claimed(owned.store, other)
    const timer = sampleTimer()
    await owned.add(timer)
    // A store that looks for a timer in its own shard alone finds none in the other one.
    const put = changed({ ...timer, version: 2 }, timer)
    const [result] = await owned.store.commit([partOf({ shard: other, epoch, owner: OWNER }, [put])])
    assert.deepEqual([...missedOf(result).keys()], [timer.uuid])
    assert.deepEqual(await owned.get(timer), timer)
  })

  test(`${name}: two timers with the same uuid are an error, and nothing of the commit is written`, async (t) => {
    const owned = await setup(t)
    const stored = sampleTimer({ id: 'stored' as TimerId })
    await owned.add(stored)
    const collides = sampleTimer({ id: 'other' as TimerId, uuid: stored.uuid })
    for (const put of [absent(collides), changed({ ...collides, version: 2 }, stored)]) {
      await assert.rejects(owned.put(absent(sampleTimer({ id: 'beside' as TimerId })), put), (error: unknown) => {
        assert(error instanceof StoreError)
        assert.match(error.message, /same uuid/)
        assert.equal(error.retryable, false)
        return true
      })
    }
    assert.deepEqual(await owned.listIds(), ['stored'])
    assert.equal(await owned.get(collides), null)
    assert.deepEqual(await countsOf(owned.store), ['default pending 1'])
  })

  test(`${name}: a commit of nothing, and a part without puts, are fine`, async (t) => {
    const owned = await setup(t)
    assert.deepEqual(await owned.store.commit([]), [])
    assert.equal((await owned.put()).size, 0)
    await owned.store.ping()
  })
}

function dueScans(name: string, setup: Setup): void {
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
    assert.deepEqual(await owned.dueIds({ party: 'nobody' }), [])
    assert.deepEqual(await owned.dueIds({ except: [flood, calm, other] }), [])
    assert.deepEqual(await owned.dueIds({ party: flood }), idsOf(floods))
    assert.deepEqual(await owned.dueIds({ party: other }), idsOf(without(flood, calm)))
    assert.deepEqual(
      await owned.dueIds({ party: flood, after: floods[1]!, until: LATER + 1, limit: 2 }),
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

  test(`${name}: a tenant's timers are one party, whatever their namespaces, and those of nobody are a party by namespace`, async (t) => {
    const owned = await setup(t)
    const [a, b] = ['a', 'b'] as [Namespace, Namespace]
    const timer = (id: string, namespace: Namespace, tenant: string | null) =>
      sampleTimer({ id: id as TimerId, namespace, tenant })
    await owned.add(timer('1', a, 'acme'), timer('2', b, 'acme'), timer('3', a, null), timer('4', b, 'other'))
    const ids = async (scan: Parameters<typeof owned.dueIds>[0]) => (await owned.dueIds(scan)).toSorted()
    assert.deepEqual(await ids({ party: '@acme' }), ['1', '2'])
    assert.deepEqual(await ids({ party: 'a' }), ['3'])
    assert.deepEqual(await ids({ except: ['@acme'] }), ['3', '4'])
    assert.deepEqual(await ids({ except: ['@acme', 'a'] }), ['4'])
  })

  test(`${name}: a scan sees its own shard only`, async (t) => {
    const owned = await setup(t)
    await owned.add(sampleTimer())
    assert.deepEqual(await owned.store.due({ shard: 1 as ShardId, after: null, until: NEVER, limit: 10 }), [])
  })
}

function lists(name: string, setup: Setup): void {
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

function countersAndPruning(name: string, setup: Setup): void {
  test(`${name}: pruning takes finished timers past their retention only, oldest first, as many as it may`, async (t) => {
    const owned = await setup(t)
    const finished = (id: string, wakeAt: number): Timer =>
      sampleTimer({ id: id as TimerId, status: Status.completed, dueAt: SAMPLE_NOW, wakeAt })
    await owned.add(
      finished('c', LATER - 1),
      finished('a', LATER - 3),
      finished('b', LATER - 2),
      finished('at', LATER),
      finished('d', LATER + 1),
    )
    await owned.add(sampleTimer({ id: 'overdue' as TimerId, dueAt: LATER - 9 }))
    assert.equal(await owned.prune({ now: LATER, limit: 2 }), 2)
    assert.deepEqual(await owned.listIds(), ['overdue', 'c', 'at', 'd'])
    assert.equal(await owned.prune({ now: LATER, limit: 2 }), 1)
    assert.equal(await owned.prune({ now: LATER, limit: 2 }), 0)
    assert.deepEqual(await owned.listIds(), ['overdue', 'at', 'd'])
    assert.equal(await owned.get(finished('a', 0)), null)
  })

  test(`${name}: counters follow every change, misses and pruning included`, async (t) => {
    const owned = await setup(t)
    const other = 'other' as Namespace
    const [a, b, c] = [...named('a', 'b'), sampleTimer({ namespace: other })] as [Timer, Timer, Timer]
    await owned.put(absent(a), absent(b), absent(c))
    assert.equal((await owned.put(absent(a))).size, 1)
    assert.deepEqual(await countsOf(owned.store), ['default pending 2', 'other pending 1'])
    const running = { ...a, version: 2, status: Status.executing }
    const done = { ...b, version: 2, status: Status.completed, wakeAt: LATER }
    const canceled = { ...c, version: 2, status: Status.canceled, wakeAt: LATER }
    await owned.put(changed(running, a), changed(done, b), changed(canceled, c))
    assert.equal((await owned.put(changed(done, b))).size, 1)
    assert.deepEqual(await countsOf(owned.store), ['default completed 1', 'default executing 1', 'other canceled 1'])
    assert.equal(await owned.prune({ now: LATER + 1, limit: 10 }), 2)
    assert.deepEqual(await countsOf(owned.store), ['default executing 1'])
    await owned.put(absent(b))
    assert.deepEqual(await countsOf(owned.store), ['default executing 1', 'default pending 1'])
  })
}

function values(name: string, setup: Setup): void {
  test(`${name}: gives back every field as it was put`, async (t) => {
    const owned = await setup(t)
    for (const timer of extremeTimers()) {
      await owned.add(timer)
      assert.deepEqual(await owned.get(timer), timer)
      const shorter = { ...sampleTimer({ namespace: timer.namespace, id: timer.id }), version: timer.version + 1 }
      assert.equal((await owned.put(changed(shorter, timer))).size, 0)
      assert.deepEqual(await owned.get(timer), shorter)
      assert.equal((await owned.put(changed({ ...timer, version: 9 }, shorter))).size, 0)
      assert.deepEqual(await owned.get(timer), { ...timer, version: 9 })
    }
  })

  test(`${name}: getMany answers in the order of the keys, with null for what is not there`, async (t) => {
    const owned = await setup(t)
    const [a, b, c] = named('a', 'b', 'c') as [Timer, Timer, Timer]
    await owned.add(a, c)
    const keys = [c, b, a, c].map(({ namespace, id, uuid }) => ({ namespace, id, uuid, shard: SHARD }))
    assert.deepEqual(await owned.store.getMany(keys), [c, null, a, c])
    assert.deepEqual(await owned.store.getMany([]), [])
  })
}

function closing(name: string, openStore: OpenEmptyStore): void {
  test(`${name}: a closed store lets what is under way finish and refuses everything after`, async () => {
    const store = await openStore()
    const epoch = await claimed(store, SHARD)
    const key = { ...sampleTimer(), shard: SHARD }
    const part = partOf({ shard: SHARD, epoch, owner: OWNER }, [absent(sampleTimer())])
    const underWay = Promise.all([store.commit([part]), store.getMany([key]), store.getMany([key])])
    await Promise.all([store.close(), store.close()])
    await underWay
    await store.close()
    const later: (() => Promise<unknown>)[] = [
      () => store.ping(),
      () => store.commit([part]),
      () => store.getMany([key]),
      () => store.due({ shard: SHARD, after: null, until: NEVER, limit: 1 }),
      () => store.page({ filter: {}, sort: 'dueAt', descending: false, offset: 0, limit: 1 }),
      () => store.expired({ shards: [SHARD], before: NEVER, limit: 1 }),
      () => store.stats(),
      () => store.tallies({ since: null }),
      () => store.upcoming({ until: LATER, stepMs: 1_000 }),
      () => store.shards(),
      () => store.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'a' }),
    ]
    for (const call of later) await assert.rejects(call, { name: 'StoreError', message: 'the store is closed' })
  })
}

/** Values at the edges of what the core lets through. */
function extremeTimers(): Timer[] {
  const id = (text: string): { id: TimerId; uuid: TimerUuid } => {
    return { id: text as TimerId, uuid: timerUuid('default' as Namespace, text as TimerId) }
  }
  const hundredYears = SAMPLE_NOW + 100 * 365.25 * 86_400_000
  return [
    sampleTimer({ ...id('a/b/../c?d=e#f%2F'), target: { type: 'none' }, payload: null, dueAt: hundredYears }),
    sampleTimer({ ...id('in the program'), target: { type: 'function' } }),
    sampleTimer({ ...id('🕰️ önemli — 重要 \u2028 "\''), dueAt: 0, wakeAt: NEVER, status: Status.paused }),
    sampleTimer({ ...id('😀'.repeat(127) + 'x'), payload: JSON.stringify('x€'.repeat(64 * 1_024)) as JsonText }),
    sampleTimer({
      ...id('all'),
      version: 2 ** 40,
      status: Status.failed,
      schedule: 'R3/PT10M',
      timeZone: 'Europe/Vienna',
      anchorAt: SAMPLE_NOW,
      iteration: 3,
      catchUp: 'one',
      dueAt: SAMPLE_NOW + 1,
      wakeAt: hundredYears,
      target: { type: 'nats', topic: 'a.b', key: 'k', headers: { 'X-Täg': 'ü', __proto__x: '' } },
      protocol: 'platform',
      payload: '{"a":1e400,"b":12345678901234567890, "c" : "\\u0000\\ud800"}' as JsonText,
      metadata: '{"k":"v","\\u0000":"\\ud800"}' as JsonText,
      retry: { maxAttempts: 101, initialIntervalMs: 1, multiplier: 1.5, maxIntervalMs: 2, maxDurationMs: 3 },
      timeoutMs: 3_600_000,
      updatedAt: SAMPLE_NOW + 2,
      executedAt: SAMPLE_NOW + 3,
      finishedAt: SAMPLE_NOW + 4,
      firing: 1_000_000,
      attempts: 100,
      firstAttemptAt: SAMPLE_NOW + 5,
      lastError: 'HTTP 500 "boom" \u{1f4a5}',
      attemptLog: [
        { at: SAMPLE_NOW + 5, durationMs: 12, outcome: 'failed', statusCode: 500, error: 'HTTP 500' },
        {
          at: SAMPLE_NOW + 6,
          durationMs: 0,
          outcome: 'rescheduled',
          statusCode: null,
          error: null,
          note: 'answered: \u0000 ünexpected',
        },
      ],
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      fingerprint: '8f14e45fceea167a5a36dedd4bea2543',
      correlationId: 'c-\0 \ud800 grüße',
      lastCommand: { stream: 'TIMER_COMMANDS@x', sequence: 9_007_199_254_740_991 },
      tenant: 'acme',
    }),
  ]
}

function named(...ids: string[]): Timer[] {
  return ids.map((id) => sampleTimer({ id: id as TimerId }))
}
