// The promises in a cluster: several nodes on one store and one manual clock. What real processes, sockets and a real
// database add to this is in ../cluster/.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failedDelivery } from '../../src/core/timer/delivery.ts'
import { DuetimeError } from '../../src/core/errors.ts'
import { Status } from '../../src/core/timer/timer.ts'
import { shardOf } from '../../src/core/timer/ids.ts'
import { remoteDelivery } from '../../src/engine/delivery/remote-delivery.ts'
import { sleep } from '../../src/runtime/clock/clock.ts'
import { ManualClock } from '../../src/runtime/clock/manual-clock.ts'
import { partOf } from '../../src/store/commit-sheet.ts'
import { StoreError } from '../../src/store/store.ts'
import type { Store } from '../../src/store/store.ts'
import { SeededRandom } from '../support/seeded-random.ts'
import { SuspendableClock } from './suspendable-clock.ts'
import { LEASE_MS, NOT_OK, OK, Receiver, TestNode, gate, name } from './node-fixture.ts'

const SHARDS = 16
const BEAT_MS = LEASE_MS / 5

/** `newStore`: an empty one for several nodes, for as long as the test lasts. */
export function clusterPromises(newStore: (shards: number) => Promise<Store>): void {
  async function setup(...names: string[]) {
    const clock = new ManualClock()
    const store = await newStore(SHARDS)
    const receiver = new Receiver()
    const nodes = new Map<string, TestNode>()
    const join = (own: string) => TestNode.start({ clock, store, receiver, cluster: { name: own, nodes } })
    for (const each of names) await join(each)
    await clock.advance(3 * BEAT_MS)
    const [a, b, c] = names.map((each) => nodes.get(each)!)
    return { clock, store, nodes, receiver, join, a: a!, b: b!, c: c! }
  }

  const ids = Array.from({ length: 200 }, (_, index) => `t${index}`)
  const createAll = (node: TestNode, schedule: (index: number) => string) =>
    Promise.all(ids.map((id, index) => node.create(id, schedule(index))))
  const onTheDot = (receiver: Receiver) => receiver.arrivals.every(({ at, firing }) => at === firing.timer.dueAt)
  const sorted = (texts: readonly string[]) => texts.toSorted()

  test('a timer created at one node fires on the dot at whichever owns it, once', async () => {
    const { clock, receiver, a } = await setup('a', 'b', 'c')
    await createAll(a, (index) => `PT${1 + (index % 5)}.${String(index % 1_000).padStart(3, '0')}S`)
    await clock.advance(10_000)
    assert.deepEqual(sorted(receiver.ids()), sorted(ids))
    assert.ok(onTheDot(receiver))
  })

  test('when a node dies, its timers fire a lease and a beat or two later at the latest, each once', async () => {
    const { clock, receiver, a, b, c } = await setup('a', 'b', 'c')
    await createAll(a, () => 'PT2S')
    b.crash()
    await clock.advance(LEASE_MS + 2 * BEAT_MS)
    assert.deepEqual(sorted(receiver.ids()), sorted(ids))
    assert.equal(a.engine.gauges().ownedShards + c.engine.gauges().ownedShards, SHARDS)
  })

  test('a node that has lost the store starts no delivery after its lease, and what it does reach is refused', async () => {
    const { clock, receiver, a, b } = await setup('a', 'b')
    await createAll(a, () => 'PT6S')
    b.isCutOff = true
    await clock.advance(LEASE_MS + 3 * BEAT_MS)
    assert.deepEqual(sorted(receiver.ids()), sorted(ids))
    const refused = b.engine.execute({ type: 'cancel', ...name('t0'), ifVersion: null })
    await assert.rejects(refused, (error) => error instanceof DuetimeError && error.code === 'NOT_OWNER')
    b.isCutOff = false
    await clock.advance(5 * BEAT_MS)
    assert.deepEqual(sorted(receiver.ids()), sorted(ids))
    assert.ok(Math.abs(a.engine.gauges().ownedShards - b.engine.gauges().ownedShards) <= 1)
  })

  test('a command that waited for a change of its timer is not judged by what a node remembers of a shard that it has lost', async () => {
    const { clock, a, b } = await setup('a', 'b')
    await createAll(a, () => 'PT1H')
    const own = name(ids.find((id) => b.engine.owns(name(id)))!)
    const stored = gate()
    b.commitGate = stored.closed
    const change = b.engine.execute({ type: 'pause', ...own }).catch((error: unknown) => error)
    await clock.advance(1)
    const waiting = b.engine.execute({ type: 'resume', ...own })
    const refused = assert.rejects(waiting, (error) => error instanceof DuetimeError && error.code === 'NOT_OWNER')
    b.isCutOff = true
    await clock.advance(LEASE_MS + 3 * BEAT_MS)
    await a.service.execute({ type: 'cancel', ...own, ifVersion: null })
    b.isCutOff = false
    await clock.advance(BEAT_MS)
    stored.open()
    await clock.advance(BEAT_MS)
    assert.ok((await change) instanceof DuetimeError)
    await refused
  })

  test('a command that changes nothing is not answered by what a node remembers of a shard that it has lost unknowingly', async () => {
    const { store, a } = await setup('a')
    await a.create('t', 'PT1H')
    const before = await a.get('t')
    const shard = shardOf(before.uuid, SHARDS)
    const { epoch } = (await store.shards()).find((row) => row.shard === shard)!
    const fence = { shard, epoch: (await store.claim({ shard, expected: epoch, from: 'a', owner: 'b' }))!, owner: 'b' }
    const canceled = { ...before, version: before.version + 1, status: Status.canceled }
    await store.commit([partOf(fence, [{ before, after: canceled }])])
    const resumed = a.engine.execute({ type: 'resume', ...name('t') })
    await assert.rejects(resumed, (error) => error instanceof DuetimeError && error.code === 'TIMER_NOT_PENDING')
  })

  test('an outcome that a node could not store before it lost the shard does not overwrite what the next owner did', async () => {
    const { clock, receiver, a, b } = await setup('a', 'b')
    await createAll(a, () => 'PT1S')
    let isFirst = true
    receiver.answer = () => {
      if (isFirst) b.isCutOff = true
      isFirst = false
      return OK
    }
    await clock.advance(LEASE_MS + 3 * BEAT_MS)
    b.isCutOff = false
    await clock.advance(5 * BEAT_MS)
    const done = await Promise.all(ids.map((id) => a.get(id)))
    assert.deepEqual(new Set(done.map(({ status }) => status)), new Set(['completed']))
    const repeated = receiver.arrivals.length - ids.length
    assert.ok(repeated <= ids.length / 2 + 5, `${repeated} delivered twice: only what was in flight at b may be`)
  })

  test('joining and leaving nodes delay nobody by more than a quarter of a second, and nothing is delivered twice', async () => {
    const { clock, receiver, join, a, b } = await setup('a', 'b')
    await createAll(a, (index) => `PT${1 + index / 20}S`)
    await clock.advance(3_000)
    const c = await join('c')
    await clock.advance(3_000)
    const leaving = b.engine.stop(10_000)
    await clock.advance(1_000)
    await leaving
    await clock.advance(10_000)
    assert.deepEqual(sorted(receiver.ids()), sorted(ids))
    const latest = Math.max(...receiver.arrivals.map(({ at, firing }) => at - firing.timer.dueAt))
    assert.ok(latest <= 250, `${latest} ms late`)
    assert.equal(a.engine.gauges().ownedShards + c.engine.gauges().ownedShards, SHARDS)
  })

  test('a delivery that is in flight when its node leaves is not made again: what came of it goes to the next owner', async () => {
    const { clock, receiver, a, b } = await setup('a', 'b')
    await createAll(b, () => 'R2/PT2S')
    receiver.answer = async () => {
      await sleep(clock, 900)
      return OK
    }
    await clock.advance(2_100)
    const leaving = b.engine.stop(10_000)
    await clock.advance(200)
    assert.equal(a.engine.gauges().ownedShards, SHARDS)
    assert.deepEqual(
      new Set(await Promise.all(ids.map(async (id) => (await a.get(id)).status))),
      new Set(['executing']),
    )
    await assert.rejects(a.service.execute({ type: 'cancel', ...name('t0'), ifVersion: null }))
    await clock.advance(1_000)
    await leaving
    await clock.advance(10_000)
    assert.equal(receiver.arrivals.length, 2 * ids.length)
    assert.ok(onTheDot(receiver))
    const done = await Promise.all(ids.map((id) => a.get(id)))
    assert.deepEqual(new Set(done.map(({ status }) => status)), new Set(['completed']))
  })

  test('what a node that died was delivering for a shard that it had handed over is delivered again once its lease is over', async () => {
    const { clock, receiver, a, b } = await setup('a', 'b')
    await createAll(b, () => 'PT2S')
    const first = gate()
    receiver.answer = async () => {
      await first.closed
      return OK
    }
    await clock.advance(2_100)
    const atB = b.engine.gauges().inFlight
    void b.engine.stop(60_000)
    await clock.advance(1_000)
    assert.equal(receiver.arrivals.length, ids.length)
    b.crash()
    first.open()
    await clock.advance(LEASE_MS + 3 * BEAT_MS)
    assert.equal(receiver.arrivals.length, ids.length + atB)
    assert.deepEqual(sorted([...new Set(receiver.ids())]), sorted(ids))
    const done = await Promise.all(ids.map((id) => a.get(id)))
    assert.deepEqual(new Set(done.map(({ status }) => status)), new Set(['completed']))
  })

  test('a delivery outlives two moves of its shard: what came of it finds the owner by then', async () => {
    const { clock, receiver, a, b, c } = await setup('a', 'b', 'c')
    await createAll(a, () => 'R2/PT2S')
    const first = gate()
    receiver.answer = async () => {
      await first.closed
      return OK
    }
    await clock.advance(2_100)
    const leaving = [a.engine.stop(60_000)]
    await clock.advance(500)
    leaving.push(b.engine.stop(60_000))
    await clock.advance(500)
    assert.equal(c.engine.gauges().ownedShards, SHARDS)
    assert.equal(receiver.arrivals.length, ids.length)
    first.open()
    await clock.advance(1_000)
    await Promise.all(leaving)
    await clock.advance(5_000)
    assert.equal(receiver.arrivals.length, 2 * ids.length)
    const done = await Promise.all(ids.map((id) => c.get(id)))
    assert.deepEqual(new Set(done.map(({ status }) => status)), new Set(['completed']))
  })

  test('a delivery that outlasts the grace of its node is given back, and made again at once', async () => {
    const { clock, receiver, a, b } = await setup('a', 'b')
    await createAll(b, () => 'PT2S')
    const first = gate()
    receiver.answer = async () => {
      await first.closed
      return OK
    }
    await clock.advance(2_100)
    const atB = b.engine.gauges().inFlight
    const leaving = b.engine.stop(1_000)
    await clock.advance(900)
    assert.equal(receiver.arrivals.length, ids.length)
    await clock.advance(200)
    await leaving
    assert.equal(receiver.arrivals.length, ids.length + atB)
    first.open()
    await clock.advance(1_000)
    const done = await Promise.all(ids.map((id) => a.get(id)))
    assert.deepEqual(new Set(done.map(({ status }) => status)), new Set(['completed']))
  })

  test('a delivery is not made again because the next owner looks at the store before it is told of its shards', async () => {
    const { clock, receiver, join, a } = await setup('a')
    await createAll(a, () => 'PT2S')
    const [answer, told] = [gate(), gate()]
    receiver.answer = async () => {
      await answer.closed
      return OK
    }
    await clock.advance(2_100)
    a.movedGate = told.closed
    const b = await join('b')
    await clock.advance(100)
    await b.engine.lookNow()
    await clock.advance(100)
    told.open()
    await clock.advance(100)
    assert.equal(b.engine.gauges().ownedShards, SHARDS / 2)
    for (const id of ids)
      assert.ok(
        [await a.get(id), await b.get(id)].some(({ status }) => status === 'executing'),
        id,
      )
    answer.open()
    await clock.advance(5_000)
    assert.deepEqual(sorted(receiver.ids()), sorted(ids))
  })

  test('a delivery is not made again because the handover of its shard could not be stored', async () => {
    const { clock, store, receiver, join, a } = await setup('a')
    await createAll(a, () => 'PT2S')
    const answer = gate()
    receiver.answer = async () => {
      await answer.closed
      return OK
    }
    await clock.advance(2_100)
    const claim = store.claim.bind(store)
    store.claim = async (one) => {
      if (one.owner === 'b') throw new StoreError('statement timeout')
      return claim(one)
    }
    const b = await join('b')
    await clock.advance(3 * BEAT_MS)
    store.claim = claim
    await clock.advance(3 * BEAT_MS)
    assert.equal(b.engine.gauges().ownedShards, SHARDS / 2)
    answer.open()
    await clock.advance(5_000)
    assert.deepEqual(sorted(receiver.ids()), sorted(ids))
    const done = await Promise.all(ids.map((id) => a.get(id)))
    assert.deepEqual(new Set(done.map(({ status }) => status)), new Set(['completed']))
  })

  test('a node that lives and cannot say how its deliveries ended does not hold their timers for ever', async () => {
    const { clock, receiver, join, a } = await setup('a')
    const timeoutMs = 3_000
    const few = ids.slice(0, 40) // each is reported again and again, which takes long on a real server
    await Promise.all(few.map((id) => a.create(id, 'PT2S', { timeoutMs })))
    receiver.answer = async () => {
      await sleep(clock, 1_000)
      return OK
    }
    await clock.advance(2_100)
    a.isUnheard = true
    const b = await join('b')
    await clock.advance(100)
    assert.equal(b.engine.gauges().ownedShards, SHARDS / 2)
    await clock.advance(timeoutMs + 2 * LEASE_MS - 500)
    assert.equal(receiver.arrivals.length, few.length)
    await clock.advance(2 * BEAT_MS + 2_000)
    assert.deepEqual(sorted([...new Set(receiver.ids())]), sorted(few))
    const done = await Promise.all(few.map((id) => b.get(id)))
    assert.deepEqual(new Set(done.map(({ status }) => status)), new Set(['completed']))
    assert.equal(a.engine.gauges().inFlight, 0)
    await a.engine.stop(0)
  })

  test('when all nodes stop, what came of deliveries that were handed over is stored', async () => {
    const { clock, receiver, join, nodes, a, b } = await setup('a', 'b')
    await createAll(a, () => 'PT2S')
    receiver.answer = async () => {
      await sleep(clock, 1_500)
      return OK
    }
    await clock.advance(2_100)
    const leaving = [a.engine.stop(10_000)]
    await clock.advance(200)
    assert.equal(b.engine.gauges().ownedShards, SHARDS)
    leaving.push(b.engine.stop(10_000))
    await clock.advance(3_000)
    await Promise.all(leaving)
    nodes.clear()
    const c = await join('c')
    await clock.advance(10_000)
    assert.deepEqual(sorted(receiver.ids()), sorted(ids))
    const done = await Promise.all(ids.map((id) => c.get(id)))
    assert.deepEqual(new Set(done.map(({ status }) => status)), new Set(['completed']))
  })

  test('a node that nobody follows does not wait longer than its grace for deliveries of other nodes', async () => {
    const { clock, receiver, a, b } = await setup('a', 'b')
    await createAll(a, () => 'PT2S')
    receiver.answer = () => new Promise(() => {})
    await clock.advance(2_100)
    void a.engine.stop(60_000)
    await clock.advance(200)
    const leaving = b.engine.stop(1_000)
    await clock.advance(1_100)
    await leaving
  })

  test('shards that a dying node hands back without a word fire at the node that had them before', async () => {
    for (const how of ['it dies after the statement', 'its message is lost'] as const) {
      const { clock, store, receiver, a, b } = await setup('a', 'b')
      await createAll(a, () => 'PT20S')
      const claim = store.claim.bind(store)
      store.claim = async (one) => {
        const epoch = await claim(one)
        if (one.owner !== 'a') return epoch
        if (how === 'it dies after the statement') b.crash()
        else b.movedGate = Promise.reject(new Error('connection lost'))
        b.movedGate?.catch(() => {})
        return epoch
      }
      void b.engine.stop(10_000)
      await clock.advance(LEASE_MS + 3 * BEAT_MS)
      store.claim = claim
      await clock.advance(20_000)
      assert.equal(a.engine.gauges().ownedShards, SHARDS, how)
      assert.deepEqual(sorted(receiver.ids()), sorted(ids), how)
      assert.ok(onTheDot(receiver), how)
    }
  })

  test('a node that wakes up while another one claims its shards does not fire beside it', async () => {
    const { clock, store, receiver, a, b } = await setup('a', 'b')
    await Promise.all(ids.map((id, index) => a.create(id, `PT${(4.5 + index / 100).toFixed(3)}S`)))
    // a is frozen for just over the lease, and wakes between b's look at the cluster and what b makes of it.
    const claim = store.claim.bind(store)
    let isAwake = false
    store.claim = async (one) => {
      if (one.owner === 'b' && !isAwake) {
        isAwake = true
        a.isCutOff = false
        void a.engine.lookNow()
      }
      await sleep(clock, 20)
      return claim(one)
    }
    a.isCutOff = true
    await clock.advance(30_000)
    assert.ok(isAwake)
    assert.deepEqual(sorted(receiver.ids()), sorted(ids))
    assert.equal(a.engine.gauges().ownedShards + b.engine.gauges().ownedShards, SHARDS)
  })

  test('a node on a machine that was suspended fires nothing that its successor has fired', async () => {
    for (const asleepSinceMs of [50, 250, 450, 650, 850]) {
      const clock = new ManualClock()
      const store = await newStore(SHARDS)
      const receiver = new Receiver()
      const nodes = new Map<string, TestNode>()
      const machine = new SuspendableClock(clock)
      const a = await TestNode.start({ clock, machine, store, receiver, cluster: { name: 'a', nodes } })
      await clock.advance(450)
      const b = await TestNode.start({ clock, store, receiver, cluster: { name: 'b', nodes } })
      await clock.advance(3 * BEAT_MS + asleepSinceMs)
      await createAll(a, () => 'PT1S')
      await clock.advance(900)
      machine.suspend()
      a.isCutOff = true
      await clock.advance(2 * LEASE_MS)
      assert.deepEqual(sorted(receiver.ids()), sorted(ids))
      a.isCutOff = false
      machine.resume()
      await clock.advance(3 * BEAT_MS)
      assert.deepEqual(sorted(receiver.ids()), sorted(ids), `asleep ${asleepSinceMs} ms after a beat`)
      assert.ok(Math.abs(a.engine.gauges().ownedShards - b.engine.gauges().ownedShards) <= 1)
    }
  })

  test('a node on a machine that was suspended for a moment learns at once that its shards are still its own', async () => {
    const clock = new ManualClock()
    const machine = new SuspendableClock(clock)
    const a = await TestNode.start({
      clock,
      machine,
      store: await newStore(SHARDS),
      cluster: { name: 'a', nodes: new Map() },
    })
    await clock.advance(BEAT_MS / 2)
    await createAll(a, () => 'PT1S')
    await clock.advance(900)
    machine.suspend()
    a.isCutOff = true
    await clock.advance(LEASE_MS)
    assert.deepEqual(a.receiver.ids(), [])
    a.isCutOff = false
    machine.resume()
    // The next beat would be half a beat away.
    await clock.advance(200)
    assert.deepEqual(sorted(a.receiver.ids()), sorted(ids))
  })

  test('a node at the address of one that died is given nothing in the name of that one', async () => {
    const { store, nodes, a, b, c } = await setup('a', 'b', 'c')
    const ownedBy = async (...names: string[]) =>
      (await store.shards()).filter(({ owner }) => names.includes(owner!)).length
    const before = await ownedBy('b')
    b.crash()
    nodes.set('b', c)
    await a.engine.stop(1_000)
    assert.deepEqual([await ownedBy('b'), await ownedBy('c')], [before, SHARDS - before])
  })

  test('a node that is not sure of its own shards does not get ready for more', async () => {
    const { clock, a, b } = await setup('a', 'b')
    await b.engine.prepare({ node: 'b', shards: [] })
    await assert.rejects(b.engine.prepare({ node: 'a', shards: [] }))
    b.isCutOff = true
    await clock.advance(LEASE_MS * 0.9)
    await assert.rejects(b.engine.prepare({ node: 'b', shards: [] }))
    await a.engine.stop(0)
  })

  test('an outcome that comes late does not end a pause, and a retry is not used up by one that comes twice', async () => {
    const { clock, receiver, a } = await setup('a')
    receiver.answer = () => failedDelivery('HTTP 410', { statusCode: 410, final: true })
    await a.create('t', 'PT1S')
    const pending = await a.get('t')
    const { shards } = a.store.capabilities
    const delivery = remoteDelivery(pending, 'gone')
    const ended = { startedAt: clock.now(), durationMs: 5, waitedMs: 0, outcome: NOT_OK }
    const report = { shard: shardOf(pending.uuid, shards), delivery, ended }
    await a.service.execute({ type: 'pause', ...name('t') })
    assert.equal(await a.engine.acceptReport(report), true)
    await clock.advance(60_000)
    assert.deepEqual([(await a.get('t')).status, receiver.arrivals.length], ['paused', 0])
    await a.service.execute({ type: 'resume', ...name('t') })
    await clock.advance(1_000)
    assert.equal((await a.get('t')).status, 'failed')
    receiver.answer = () => new Promise(() => {})
    a.closedHosts.add('receiver')
    await a.service.execute({ type: 'retry', ...name('t') })
    const { version } = await a.get('t')
    assert.equal(await a.engine.acceptReport(report), true)
    assert.equal((await a.get('t')).version, version)
  })

  test('a receiver that asked for another time gets it, also when its answer reaches the owner later than that', async () => {
    const { clock, receiver, a } = await setup('a')
    await a.create('t', 'PT1S')
    const pending = await a.get('t')
    const nextAt = clock.now() + 3_000
    const ended = {
      startedAt: clock.now(),
      durationMs: 5,
      waitedMs: 10_000,
      outcome: { type: 'rescheduled', nextAt, statusCode: 200 } as const,
    }
    a.closedHosts.add('receiver')
    await clock.advance(10_000)
    const shard = shardOf(pending.uuid, a.store.capabilities.shards)
    assert.equal(await a.engine.acceptReport({ shard, delivery: remoteDelivery(pending, 'gone'), ended }), true)
    assert.deepEqual([(await a.get('t')).dueAt, receiver.arrivals.length], [nextAt, 0])
  })

  for (const seed of [1, 2, 3, 4]) {
    test(`nodes come and go at random under slow deliveries, and every firing is made once and on time (seed ${seed})`, async () => {
      const { clock, receiver, join, a, b } = await setup('a', 'b')
      const random = new SeededRandom(seed)
      const [cycles, firings] = [40, 12]
      receiver.answer = async () => {
        await sleep(clock, random.between(0, 1_500))
        return OK
      }
      const creating = ids.slice(0, cycles).map((id) => a.create(id, `R${firings}/PT2S`))
      await clock.advance(10)
      await Promise.all(creating)
      const living = [a, b]
      const leaving: Promise<void>[] = []
      for (let change = 0; change < 12; change++) {
        await clock.advance(random.between(100, 2_500))
        const isFull = living.length === 4
        if (isFull || (living.length > 1 && random.between(0, 1) === 0)) {
          leaving.push(living.splice(random.between(0, living.length - 1), 1)[0]!.engine.stop(10_000))
        } else {
          living.push(await join(`n${change}`))
        }
      }
      await clock.advance(2_000 * (firings + 2))
      await Promise.all(leaving)
      const made = receiver.arrivals.map(({ firing }) => firing.deliveryId)
      assert.equal(made.length, cycles * firings)
      assert.equal(new Set(made).size, cycles * firings)
      const latest = Math.max(...receiver.arrivals.map(({ at, firing }) => at - firing.timer.dueAt))
      assert.ok(latest <= 50, `${latest} ms late`)
    })
  }

  for (const seed of [1, 2, 3, 4]) {
    test(`handovers that cannot be stored at first, or are told late, make no delivery twice and lose none (seed ${seed})`, async () => {
      const { clock, store, receiver, join, a, b } = await setup('a', 'b')
      const random = new SeededRandom(seed)
      const [cycles, firings] = [40, 8]
      receiver.answer = async () => {
        await sleep(clock, random.between(0, 2_500))
        return OK
      }
      const claim = store.claim.bind(store)
      store.claim = async (one) => {
        await sleep(clock, random.between(0, 50))
        if (random.between(0, 3) === 0) throw new StoreError('statement timeout')
        return claim(one)
      }
      const slow = (node: TestNode) =>
        Object.defineProperty(node, 'movedGate', { get: () => sleep(clock, random.between(0, 300)) })
      const creating = ids.slice(0, cycles).map((id) => a.create(id, `R${firings}/PT4S`))
      await clock.advance(10)
      await Promise.all(creating)
      const living = [slow(a), slow(b)]
      const leaving: Promise<void>[] = []
      for (let change = 0; change < 8; change++) {
        await clock.advance(random.between(500, 4_000))
        if (living.length > 2)
          leaving.push(living.splice(random.between(0, living.length - 1), 1)[0]!.engine.stop(30_000))
        else {
          const joining = join(`n${change}`)
          await clock.advance(200)
          living.push(slow(await joining))
        }
      }
      await clock.advance(4_000 * (firings + 2))
      await Promise.all(leaving)
      const made = receiver.arrivals.map(({ firing }) => firing.deliveryId)
      assert.equal(new Set(made).size, cycles * firings)
      assert.equal(made.length, cycles * firings)
    })
  }

  test('a cancel acknowledged by any node is final, also when its shard moves right then', async () => {
    const { clock, receiver, join, a, b } = await setup('a', 'b')
    await createAll(a, () => 'PT8S')
    const joining = join('c')
    const canceled = ids.filter((_, index) => index % 3 === 0)
    const answers = Promise.all(
      canceled.map((id) => b.service.execute({ type: 'cancel', ...name(id), ifVersion: null })),
    )
    await clock.advance(5_000)
    await joining
    await answers
    await clock.advance(10_000)
    const rest = ids.filter((id) => !canceled.includes(id))
    assert.deepEqual(sorted(receiver.ids()), sorted(rest))
  })

  test('while nobody owns a shard a request waits, and is answered 503 when that lasts', async () => {
    const { clock, a, b } = await setup('a', 'b')
    b.isCutOff = true
    await clock.advance(LEASE_MS * 0.9)
    a.isCutOff = true
    const answers = Promise.allSettled(ids.map((id) => a.create(id, 'PT5S')))
    await clock.advance(30_000)
    for (const answer of await answers) {
      assert.equal(answer.status, 'rejected')
      assert.equal((answer.reason as DuetimeError).code, 'UNAVAILABLE')
    }
  })
}
