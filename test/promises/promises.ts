// The promises of the design, each by name, on a manual clock, with timers in whichever store. What a real disk, a real
// process and kill -9 add to them is in ../crash.test.ts.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DuetimeError } from '../../src/core/errors.ts'
import { parseSchedule } from '../../src/core/time/schedule.ts'
import type { JsonText } from '../../src/core/timer/timer.ts'
import { ManualClock } from '../../src/runtime/clock/manual-clock.ts'
import { StoreError } from '../../src/store/store.ts'
import type { DueScan, Store } from '../../src/store/store.ts'
import { NOT_OK, OK, Receiver, TestNode, createCommand, gate, name } from './node-fixture.ts'
import type { NodeOptions } from './node-fixture.ts'
import { partOf } from '../../src/store/commit-sheet.ts'

const isCode = (code: string) => (error: unknown) => error instanceof DuetimeError && error.code === code

/** A node looks once a minute for what has expired: in weeks of a manual clock that is tens of thousands of questions to a real server. */
function neverCleaned(store: Store): Store {
  return Object.assign(store, { expired: async () => [], forgetCounters: async () => false })
}

export type PromisesRun = {
  /** An empty store with one shard, for as long as the test lasts. */
  readonly newStore: () => Promise<Store>
  /** Of a property. */
  readonly runs?: number
  /** Timers where there must be many. */
  readonly stored?: number
}

export function promises({ newStore, runs = 30, stored = 2_000 }: PromisesRun): void {
  const start = async (options: NodeOptions = {}): Promise<TestNode> =>
    TestNode.start({ ...options, store: options.store ?? (await newStore()) })

  describe('promise 1: durable before acknowledged', () => {
    test('a create that the store could not write is answered UNAVAILABLE and does not exist', async () => {
      const node = await start()
      node.commitError = new StoreError('disk full')
      await assert.rejects(node.create('a', 'PT5S'), isCode('UNAVAILABLE'))
      node.commitError = null
      await assert.rejects(node.get('a'), isCode('TIMER_NOT_FOUND'))
      await node.clock.advance(10_000)
      assert.deepEqual(node.receiver.ids(), [])
    })

    test('no answer is given before the commit has come back', async () => {
      const node = await start()
      const disk = gate()
      node.commitGate = disk.closed
      let acknowledged = false
      const creating = node.create('a', 'PT5S').then(() => (acknowledged = true))
      await node.clock.advance(1_000)
      assert.equal(acknowledged, false)
      disk.open()
      await creating
      assert.equal((await node.get('a')).status, 'pending')
    })

    test('a cancel whose commit failed is not acknowledged, and the timer fires', async () => {
      const node = await start()
      await node.create('a', 'PT5S')
      node.commitError = new StoreError('disk full')
      await assert.rejects(
        node.service.execute({ type: 'cancel', ...name('a'), ifVersion: null }),
        isCode('UNAVAILABLE'),
      )
      node.commitError = null
      await node.clock.advance(5_000)
      assert.deepEqual(node.receiver.ids(), ['a'])
    })

    test('a create whose answer was lost on the way from the store fires on time all the same', async () => {
      const node = await start()
      node.commitError = new StoreError('connection lost', { outcomeUnknown: true })
      node.commitsBeforeFailing = true
      await assert.rejects(node.create('a', 'PT5S'), isCode('UNAVAILABLE'))
      node.commitError = null
      await node.create('b', 'PT1S')
      const again = await node.restart()
      await again.clock.advance(5_000)
      assert.deepEqual(again.receiver.ids().toSorted(), ['a', 'b'])
    })
  })

  describe('promise 2: never early', () => {
    test('whatever the due times and however the clock is set, no delivery starts before its due time', async () => {
      const act = fc.oneof(
        fc.record({ type: fc.constant('create' as const), inMs: fc.integer({ min: 1_000, max: 100_000 }) }),
        fc.record({ type: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
        fc.record({ type: fc.constant('step' as const), ms: fc.integer({ min: -50_000, max: 50_000 }) }),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
          const node = await start()
          for (const [index, one] of acts.entries()) {
            if (one.type === 'create')
              await node.create(`t${index}`, new Date(node.clock.now() + one.inMs).toISOString())
            if (one.type === 'advance') await node.clock.advance(one.ms)
            if (one.type === 'step') node.clock.step(one.ms)
          }
          for (const { at, firing } of node.receiver.arrivals)
            assert.ok(at >= firing.timer.dueAt, `${at} < ${firing.timer.dueAt}`)
          await node.clock.advance(200_000)
          const created = acts.filter(({ type }) => type === 'create').length
          assert.equal(new Set(node.receiver.ids()).size, created)
          for (const { at, firing } of node.receiver.arrivals)
            assert.ok(at >= firing.timer.dueAt, `${at} < ${firing.timer.dueAt}`)
        }),
        { numRuns: runs },
      )
    })

    test('a timer that waits for a slot while the clock is set back waits on', async () => {
      const node = await start({ deliveries: { total: 1, perNamespace: 1, perTarget: 1 } })
      const slow = gate()
      node.receiver.answer = () => slow.closed.then(() => OK)
      await node.create('first', 'PT1S')
      await node.create('second', 'PT1.001S')
      await node.clock.advance(1_001)
      assert.deepEqual(node.receiver.ids(), ['first'])
      node.clock.step(-10_000)
      slow.open()
      await node.clock.advance(5_000)
      assert.deepEqual(node.receiver.ids(), ['first'])
      await node.clock.advance(5_000)
      assert.deepEqual(node.receiver.ids(), ['first', 'second'])
    })
  })

  describe('promise 3: on the dot', () => {
    test('a timer fires at its millisecond, not at the next poll or second', async () => {
      const node = await start()
      const dueAt = node.clock.now() + 61_234
      await node.create('a', new Date(dueAt).toISOString())
      await node.clock.advance(61_233)
      assert.deepEqual(node.receiver.ids(), [])
      await node.clock.advance(1)
      assert.deepEqual(
        node.receiver.arrivals.map(({ at }) => at),
        [dueAt],
      )
    })

    test('a command that comes when a timer is due does not make it wait, however busy the event loop is', async () => {
      const node = await start()
      await node.create('a', 'PT10S')
      node.clock.step(10_000) // the time has come, and the event loop has not got to its timers yet
      assert.deepEqual(node.receiver.ids(), [])
      await node.create('b', 'PT10S')
      assert.deepEqual(node.receiver.ids(), ['a'])
    })

    test('one beyond what setTimeout can wait for fires at its millisecond, too', async () => {
      const clock = new ManualClock(undefined, { maxWaitMs: Infinity })
      const node = await start({ clock, store: neverCleaned(await newStore()) })
      const dueAt = node.clock.now() + 2 ** 31 + 12_345
      await node.create('a', new Date(dueAt).toISOString())
      await node.clock.advance(2 ** 31 + 12_344)
      assert.deepEqual(node.receiver.ids(), [])
      await node.clock.advance(1)
      assert.deepEqual(
        node.receiver.arrivals.map(({ at }) => at),
        [dueAt],
      )
    })

    test('so does one due in ten years, to a node that starts the second before', async () => {
      const node = await start()
      const dueAt = node.clock.now() + 10 * 365 * 24 * 3_600_000
      await node.create('a', new Date(dueAt).toISOString())
      node.crash()
      const later = await start({
        clock: new ManualClock(dueAt - 777),
        store: node.store,
        receiver: node.receiver,
      })
      await later.clock.advance(776)
      assert.deepEqual(node.receiver.ids(), [])
      await later.clock.advance(1)
      assert.deepEqual(
        node.receiver.arrivals.map(({ at }) => at),
        [dueAt],
      )
    })

    test('one that an update brings forward fires at its new time', async () => {
      const node = await start()
      await node.create('a', 'P30D')
      const dueAt = node.clock.now() + 1_500
      const changes = { schedule: parseSchedule(new Date(dueAt).toISOString()) }
      await node.service.execute({ type: 'update', ...name('a'), changes, ifVersion: null, minLeadMs: 0 })
      await node.clock.advance(1_500)
      assert.deepEqual(
        node.receiver.arrivals.map(({ at }) => at),
        [dueAt],
      )
    })

    test('a cycle stays on its grid however long its deliveries take', async () => {
      const node = await start()
      node.receiver.answer = async () => {
        await new Promise<void>((resolve) => node.clock.after(3_333, resolve))
        return OK
      }
      const startedAt = node.clock.now()
      await node.create('a', 'R4/PT10S')
      await node.clock.advance(60_000)
      assert.deepEqual(
        node.receiver.arrivals.map(({ at }) => at - startedAt),
        [10_000, 20_000, 30_000, 40_000],
      )
      assert.equal((await node.get('a')).status, 'completed')
    })
  })

  describe('promise 4: never lost', () => {
    test('what was in flight when the node died is delivered by the next one', async () => {
      const node = await start()
      node.receiver.answer = () => new Promise(() => {})
      await node.create('a', 'PT1S')
      await node.clock.advance(10_000)
      assert.equal((await node.get('a')).status, 'executing')
      node.receiver.answer = () => OK
      const next = await node.restart()
      await next.clock.advance(1)
      assert.deepEqual(next.receiver.ids(), ['a', 'a'])
      assert.equal((await next.get('a')).status, 'completed')
    })

    test('what came due while nobody ran fires at the start, however overdue', async () => {
      const node = await start()
      await node.create('a', 'PT1S')
      await node.create('b', 'P1D')
      node.crash()
      const later = new ManualClock(node.clock.now() + 400 * 24 * 3_600_000)
      const next = await start({ clock: later, store: node.store, receiver: node.receiver })
      await next.clock.advance(1)
      assert.deepEqual(next.receiver.ids(), ['a', 'b'])
    })

    test('an outcome that could not be stored is stored later, without another delivery', async () => {
      const node = await start()
      await node.create('a', 'PT1S')
      node.receiver.answer = () => {
        node.commitError = new StoreError('disk full')
        return OK
      }
      await node.clock.advance(30_000)
      assert.equal((await node.get('a')).status, 'executing')
      node.commitError = null
      await node.clock.advance(10_000)
      assert.equal((await node.get('a')).status, 'completed')
      assert.deepEqual(node.receiver.ids(), ['a'])
    })

    test('a timer that somebody put into the store by hand is found by the safety net', async () => {
      const node = await start()
      await putByHand(node, 'by-hand', 'PT1S')
      await node.clock.advance(3_600_000)
      assert.deepEqual(node.receiver.ids(), ['by-hand'])
    })

    test('the safety net is there also while timers wait for a target that nothing can be delivered to', async () => {
      const node = await start()
      node.closedHosts.add('nobody')
      await node.create('waits', 'PT1S', { host: 'nobody' })
      await putByHand(node, 'by-hand', 'PT1S')
      await node.clock.advance(3_600_000)
      assert.deepEqual(node.receiver.ids(), ['by-hand'])
    })

    test('a graceful stop lets deliveries finish, and what does not finish in time is delivered after the restart', async () => {
      const node = await start()
      const quick = gate()
      node.receiver.answer = ({ timer }) => (timer.id === 'quick' ? quick.closed.then(() => OK) : new Promise(() => {}))
      await node.create('quick', 'PT1S')
      await node.create('endless', 'PT1S')
      await node.create('later', 'PT3S')
      await node.clock.advance(1_000)
      const stopping = node.engine.stop(5_000)
      quick.open()
      await node.clock.advance(5_000)
      await stopping
      assert.deepEqual(node.receiver.ids().toSorted(), ['endless', 'quick'])
      node.receiver.answer = () => OK
      const next = await node.restart()
      await next.clock.advance(1)
      assert.deepEqual(next.receiver.ids().slice(2).toSorted(), ['endless', 'later'])
    })
  })

  describe('promise 5: at least once, and exactly once when nothing fails', () => {
    test('a thousand timers are delivered once each', async () => {
      const node = await start({ window: { timersMax: 200, bytesMax: 2 ** 20, pageSize: 50 } })
      const ids = Array.from({ length: 1_000 }, (_, index) => `t${index}`)
      await Promise.all(
        ids.map((id, index) => node.create(id, `PT${1 + (index % 7)}.${String(index % 1_000).padStart(3, '0')}S`)),
      )
      await node.clock.advance(20_000)
      assert.deepEqual(node.receiver.ids().toSorted(), ids.toSorted())
    })

    test('every attempt of a firing has the same delivery id, and another firing has another', async () => {
      const node = await start({ store: neverCleaned(await newStore()) })
      node.receiver.answer = ({ attempt }) => (attempt < 3 ? NOT_OK : OK)
      await node.create('a', 'R2/P1D')
      await node.clock.advance(49 * 3_600_000)
      const ids = node.receiver.arrivals.map(({ firing }) => firing.deliveryId)
      assert.equal(ids.length, 6)
      assert.equal(new Set(ids.slice(0, 3)).size, 1)
      assert.equal(new Set(ids.slice(3)).size, 1)
      assert.notEqual(ids[0], ids[3])
    })

    test('a delivery repeated after a crash has the delivery id of the first', async () => {
      const node = await start()
      node.receiver.answer = () => new Promise(() => {})
      await node.create('a', 'PT1S')
      await node.clock.advance(1_000)
      node.receiver.answer = () => OK
      const next = await node.restart()
      await next.clock.advance(1)
      const [first, second] = next.receiver.arrivals.map(({ firing }) => firing.deliveryId)
      assert.equal(first, second)
    })
  })

  describe('promise 6: cancel and update are final', () => {
    test('a timer whose cancel is on its way to the disk does not fire meanwhile, and never after', async () => {
      const node = await start()
      await node.create('a', 'PT5S')
      await node.clock.advance(4_999)
      const disk = gate()
      node.commitGate = disk.closed
      const canceling = node.service.execute({ type: 'cancel', ...name('a'), ifVersion: null })
      await node.clock.advance(60_000)
      assert.deepEqual(node.receiver.ids(), [])
      disk.open()
      assert.equal((await canceling).timer.status, 'canceled')
      await node.clock.advance(60_000)
      assert.deepEqual(node.receiver.ids(), [])
    })

    test('a cancel that comes while the delivery is under way says that it is too late', async () => {
      const node = await start()
      const slow = gate()
      node.receiver.answer = () => slow.closed.then(() => OK)
      await node.create('a', 'PT1S')
      await node.clock.advance(1_000)
      await assert.rejects(
        node.service.execute({ type: 'cancel', ...name('a'), ifVersion: null }),
        isCode('TIMER_NOT_PENDING'),
      )
      slow.open()
      await node.clock.advance(1)
      assert.equal((await node.get('a')).status, 'completed')
    })

    test('a timer that is due but waits for a slot can still be canceled', async () => {
      const node = await start({ deliveries: { total: 1, perNamespace: 1, perTarget: 1 } })
      const slow = gate()
      node.receiver.answer = () => slow.closed.then(() => OK)
      await node.create('first', 'PT1S')
      await node.create('second', 'PT1S')
      await node.clock.advance(2_000)
      const waiting = node.receiver.ids()[0] === 'first' ? 'second' : 'first'
      await node.service.execute({ type: 'cancel', ...name(waiting), ifVersion: null })
      slow.open()
      await node.clock.advance(60_000)
      assert.equal(node.receiver.ids().includes(waiting), false)
    })

    test('an updated timer fires once, by its new version, even if the update was committed at the old due time', async () => {
      const node = await start()
      await node.create('a', 'PT5S', { payload: '"old"' as JsonText })
      await node.clock.advance(4_990)
      const disk = gate()
      node.commitGate = disk.closed
      const changes = { payload: '"new"' as JsonText }
      const updating = node.service.execute({ type: 'update', ...name('a'), changes, ifVersion: null, minLeadMs: 0 })
      await node.clock.advance(1_000)
      disk.open()
      await updating
      await node.clock.advance(60_000)
      assert.deepEqual(
        node.receiver.arrivals.map(({ firing }) => firing.timer.payload),
        ['"new"'],
      )
    })

    test('an update of a timer that is only in the store holds it back too, while a page with the old row arrives', async () => {
      const node = await start({ window: { timersMax: 2, bytesMax: 2 ** 20, pageSize: 1 } })
      for (const id of ['a', 'b', 'c', 'd']) await node.create(id, `PT${10 + id.charCodeAt(0) - 97}S`)
      const disk = gate()
      node.commitGate = disk.closed
      const canceling = node.service.execute({ type: 'cancel', ...name('d'), ifVersion: null })
      await node.clock.advance(60_000)
      assert.equal(node.receiver.ids().includes('d'), false)
      disk.open()
      await canceling
      await node.clock.advance(60_000)
      assert.deepEqual(node.receiver.ids(), ['a', 'b', 'c'])
    })

    test('of two updates that expect the same version one wins and the other is told', async () => {
      const node = await start()
      const { version } = await node.create('a', 'PT5S')
      const update = (payload: string) =>
        node.service.execute({
          type: 'update',
          ...name('a'),
          changes: { payload: payload as JsonText },
          ifVersion: version,
          minLeadMs: 0,
        })
      const results = await Promise.allSettled([update('1'), update('2')])
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected'],
      )
      await node.clock.advance(5_000)
      assert.deepEqual(
        node.receiver.arrivals.map(({ firing }) => firing.timer.payload),
        ['1'],
      )
    })

    test('a timer replaced during its delivery fires again by its new version, and the old outcome does not touch it', async () => {
      const node = await start()
      const slow = gate()
      node.receiver.answer = ({ timer }) => (timer.payload === '"old"' ? slow.closed.then(() => OK) : OK)
      await node.create('a', 'PT1S', { payload: '"old"' as JsonText })
      await node.clock.advance(1_000)
      await node.create('a', 'PT10S', { payload: '"new"' as JsonText })
      slow.open()
      await node.clock.advance(1)
      assert.equal((await node.get('a')).status, 'pending')
      await node.clock.advance(10_000)
      assert.deepEqual(
        node.receiver.arrivals.map(({ firing }) => firing.timer.payload),
        ['"old"', '"new"'],
      )
      assert.equal((await node.get('a')).status, 'completed')
    })
  })

  describe('promise 7: bounded', () => {
    test('memory holds the window, however many timers are stored, and all of them fire', async () => {
      const window = { timersMax: 100, bytesMax: 2 ** 20, pageSize: 20 }
      const node = await start({ window })
      const ids = Array.from({ length: stored }, (_, index) => `t${index}`)
      let most = 0
      for (const [index, id] of ids.entries()) {
        await node.create(id, `PT${1 + ((index * 7_919) % stored)}S`)
        most = Math.max(most, node.engine.gauges().windowTimers)
      }
      const next = await node.restart({ window })
      for (let hour = 0; hour < 60; hour++) {
        await next.clock.advance(60_000)
        most = Math.max(most, next.engine.gauges().windowTimers)
      }
      assert.ok(most <= window.timersMax, `${most} timers in memory`)
      assert.deepEqual(new Set(next.receiver.ids()), new Set(ids))
    })

    test('large payloads count by their bytes', async () => {
      const window = { timersMax: 1_000, bytesMax: 2 ** 20, pageSize: 100 }
      const node = await start({ window })
      const payload = JSON.stringify('x'.repeat(100_000)) as JsonText
      for (let index = 0; index < 100; index++) await node.create(`t${index}`, `PT${10 + index}S`, { payload })
      assert.ok(node.engine.gauges().windowBytes <= window.bytesMax + payload.length)
      const next = await node.restart({ window })
      await next.clock.advance(120_000)
      assert.equal(new Set(next.receiver.ids()).size, 100)
    })

    test('when the commit queue is full, creates are refused at once and nothing of them is stored', async () => {
      const node = await start({ commitQueue: { lengthMax: 10, batchMax: 5 } })
      const disk = gate()
      node.commitGate = disk.closed
      const accepted = Array.from({ length: 10 }, (_, index) => node.create(`ok${index}`, 'PT1S'))
      await assert.rejects(node.create('too-many', 'PT1S'), isCode('UNAVAILABLE'))
      disk.open()
      await Promise.all(accepted)
      await assert.rejects(node.get('too-many'), isCode('TIMER_NOT_FOUND'))
    })
  })

  describe('promise 8: fair', () => {
    test('a dead host and a flood in one namespace do not make another namespace late', async () => {
      const receiver = new Receiver()
      const node = await start({ receiver, deliveries: { total: 100, perNamespace: 60, perTarget: 40 } })
      receiver.answer = ({ timer }) => (timer.namespace === 'flood' ? new Promise(() => {}) : OK)
      for (let index = 0; index < stored; index++)
        await node.create(`f${index}`, 'PT1S', { namespace: 'flood', host: `dead${index % 3}` })
      await node.clock.advance(900)
      const { dueAt } = await node.create('a', 'PT2S', { namespace: 'calm' })
      await node.clock.advance(5_000)
      const calm = receiver.arrivals.filter(({ firing }) => firing.timer.namespace === 'calm')
      assert.deepEqual(
        calm.map(({ at }) => at),
        [dueAt],
      )
    })

    const FEW = {
      window: { timersMax: 200, bytesMax: 2 ** 20, pageSize: 100 },
      deliveries: { total: 100, perNamespace: 60, perTarget: 40 },
    }
    const at = (ms: number): string => new Date(ms).toISOString()
    const flood = async (node: TestNode, namespace: string, count: number, dueAt: number): Promise<void> => {
      const commands = Array.from({ length: count }, (_, n) =>
        createCommand(`${namespace}-${n}`, at(dueAt), { namespace, host: `${namespace}-host` }),
      )
      for (let from = 0; from < count; from += 1_000) await node.service.executeMany(commands.slice(from, from + 1_000))
    }
    /** Late by so much, of all but the floods. */
    const lateness = ({ arrivals }: Receiver): Record<string, number> => {
      const calm = arrivals.filter(({ firing }) => !firing.timer.namespace.startsWith('flood'))
      return Object.fromEntries(
        calm.map(({ at: arrivedAt, firing }) => [firing.timer.id, arrivedAt - firing.timer.dueAt]),
      )
    }
    const onTime = (ids: readonly string[]): Record<string, number> => Object.fromEntries(ids.map((id) => [id, 0]))
    const floodIds = ({ arrivals }: Receiver): string[] =>
      arrivals.flatMap(({ firing: { timer } }) => (timer.namespace.startsWith('flood') ? [timer.id] : []))

    test('a backlog far larger than memory, to a dead host, makes no other namespace late, and is delivered once when the host is back', async () => {
      const node = await start(FEW)
      const host = gate()
      node.receiver.answer = ({ timer }) => (timer.namespace === 'flood' ? host.closed.then(() => OK) : OK)
      const dueAt = node.clock.now() + 60_000
      const calm = {
        'before it': -1,
        'with it': 0,
        'a moment after': 1,
        'a minute after': 61_234,
        'half an hour after': 1_800_000,
      }
      for (const [id, ms] of Object.entries(calm))
        await node.create(`created first, due ${id}`, at(dueAt + ms), { namespace: 'calm' })
      await flood(node, 'flood', 2 * stored, dueAt)
      for (const [id, ms] of Object.entries(calm))
        await node.create(`only stored, due ${id}`, at(dueAt + ms), { namespace: 'calm' })
      await node.clock.advance(61_500)
      for (const ms of [1, 700, 1_000, 30_000, 600_000])
        await node.create(`created late, due in ${ms}`, at(node.clock.now() + ms), { namespace: 'calm' })
      await node.clock.advance(1_900_000)
      const created = ['created first', 'only stored'].flatMap((when) =>
        Object.keys(calm).map((id) => `${when}, due ${id}`),
      )
      assert.deepEqual(
        lateness(node.receiver),
        onTime([...created, ...[1, 700, 1_000, 30_000, 600_000].map((ms) => `created late, due in ${ms}`)]),
      )
      assert.equal(floodIds(node.receiver).length, FEW.deliveries.perTarget)
      assert.ok(node.engine.gauges().windowTimers <= FEW.window.timersMax)
      host.open()
      await node.clock.advance(10_000)
      const delivered = floodIds(node.receiver)
      assert.deepEqual([delivered.length, new Set(delivered).size], [2 * stored, 2 * stored])
      assert.deepEqual(node.engine.gauges(), {
        ...node.engine.gauges(),
        windowTimers: 0,
        inFlight: 0,
        readyDeliveries: 0,
        waitingToCatchUp: 0,
      })
    })

    test('so does a backlog that a new owner finds', async () => {
      const node = await start(FEW)
      node.receiver.answer = ({ timer }) => (timer.namespace === 'flood' ? new Promise(() => {}) : OK)
      const dueAt = node.clock.now() + 1_000
      await flood(node, 'flood', 2 * stored, dueAt)
      await node.create('stored', at(dueAt + 2_000), { namespace: 'calm' })
      await node.create('overdue', at(dueAt + 1), { namespace: 'calm' })
      node.crash()
      const next = await start({
        ...FEW,
        clock: new ManualClock(dueAt + 1_500),
        store: node.store,
        receiver: node.receiver,
      })
      await next.clock.advance(100)
      await next.create('new', at(next.clock.now() + 50), { namespace: 'new' })
      await next.clock.advance(60_000)
      assert.deepEqual(lateness(node.receiver), { overdue: 1_499, stored: 0, new: 0 })
    })

    test('two namespaces with such backlogs do not starve a third, nor each other', async () => {
      const node = await start(FEW)
      const dead = gate()
      node.receiver.answer = async ({ timer }) => {
        if (timer.namespace === 'flood-dead') await dead.closed
        return OK
      }
      const dueAt = node.clock.now() + 5_000
      await flood(node, 'flood-dead', stored, dueAt)
      await flood(node, 'flood-healthy', stored, dueAt)
      const cycle = Array.from({ length: 60 }, (_, n) => `calm ${n}`)
      for (const [n, id] of cycle.entries())
        await node.create(id, at(dueAt - 2_000 + n * 777), { namespace: `calm-${n % 3}` })
      await node.clock.advance(60_000)
      assert.deepEqual(lateness(node.receiver), onTime(cycle))
      const counts = (namespace: string) =>
        node.receiver.arrivals.filter(({ firing }) => firing.timer.namespace === namespace).length
      assert.deepEqual([counts('flood-healthy'), counts('flood-dead')], [stored, FEW.deliveries.perTarget])
      dead.open()
      await node.clock.advance(10_000)
      const delivered = floodIds(node.receiver)
      assert.deepEqual([delivered.length, new Set(delivered).size], [2 * stored, 2 * stored])
    })

    test('a hundred namespaces with a backlog each leave room for one more', async () => {
      const node = await start({ ...FEW, deliveries: { total: 150, perNamespace: 1, perTarget: 1 } })
      node.receiver.answer = ({ timer }) => (timer.namespace.startsWith('flood') ? new Promise(() => {}) : OK)
      const dueAt = node.clock.now() + 5_000
      await Promise.all(Array.from({ length: 100 }, (_, n) => flood(node, `flood-${n}`, 30, dueAt)))
      for (const [n, id] of ['a', 'b', 'c'].entries())
        await node.create(id, at(dueAt + n * 4_321), { namespace: 'calm' })
      await node.clock.advance(60_000)
      assert.deepEqual(lateness(node.receiver), onTime(['a', 'b', 'c']))
    })

    test('a namespace alone pays nothing for this until it has a backlog, and then a scan every ten seconds', async () => {
      const { store, scans } = watched(await newStore())
      const node = await start({ ...FEW, store })
      for (let n = 0; n < stored; n++)
        await node.create(`t${n}`, at(node.clock.now() + 1_000 + ((n * 7_919) % stored) * 50))
      await node.clock.advance(110_000)
      assert.equal(node.receiver.arrivals.length, stored)
      assert.deepEqual(
        scans.filter(({ group, except }) => group !== undefined || except !== undefined),
        [],
      )
      assert.ok(scans.length < 50, `${scans.length} scans`)
      scans.length = 0
      node.receiver.answer = () => new Promise((resolve) => node.clock.after(1_000, () => resolve(OK)))
      await flood(node, 'default', stored, node.clock.now() + 10_000)
      await node.clock.advance(120_000)
      assert.equal(node.receiver.arrivals.length, 2 * stored)
      const pages = scans.filter(({ except }) => except === undefined).length
      assert.ok(pages < 50, `${pages} pages for ${stored} timers`)
      assert.ok(scans.length - pages <= 8, `${scans.length - pages} scans for others in a minute`)
    })
  })

  test('a retried timer that failed fires again with its old delivery id', async () => {
    const node = await start()
    node.receiver.answer = () => NOT_OK
    await node.create('a', 'PT1S')
    await node.clock.advance(3_600_000)
    assert.equal((await node.get('a')).status, 'failed')
    node.receiver.answer = () => OK
    await node.service.execute({ type: 'retry', ...name('a') })
    await node.clock.advance(1)
    assert.equal((await node.get('a')).status, 'completed')
    assert.equal(new Set(node.receiver.arrivals.map(({ firing }) => firing.deliveryId)).size, 1)
  })

  test('many timers are canceled by filter, and a dry run only counts them', async () => {
    const node = await start()
    const commands = Array.from({ length: 1_200 }, (_, index) =>
      createCommand(`t${index}`, 'P1D', { namespace: index < 1_100 ? 'mine' : 'yours' }),
    )
    await node.service.executeMany(commands)
    const filter = { namespace: commands[0]!.namespace }
    assert.deepEqual(await node.service.cancelMany(filter, { dryRun: true }), {
      matched: 1_100,
      changed: 0,
      tooLate: 0,
      more: false,
    })
    assert.deepEqual(await node.service.cancelMany(filter, { dryRun: false }), {
      matched: 1_100,
      changed: 1_100,
      tooLate: 0,
      more: false,
    })
    await node.clock.advance(25 * 3_600_000)
    assert.equal(node.receiver.arrivals.length, 100)
  })
}

/** The scans for due timers are noted. */
function watched(inner: Store): { store: Store; scans: DueScan[] } {
  const scans: DueScan[] = []
  const due: Store['due'] = (scan) => {
    scans.push(scan)
    return inner.due(scan)
  }
  const store = new Proxy(inner, {
    get: (target, key: keyof Store) => {
      const value = key === 'due' ? due : (target[key] as unknown)
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value
    },
  })
  return { store, scans }
}

/** Behind the node's back, as with a shell on its database. */
async function putByHand(node: TestNode, id: string, after: string): Promise<void> {
  const other = await TestNode.start({ clock: new ManualClock(node.clock.now()) })
  const timer = await other.create(id, after)
  const { epoch, owner } = (await node.store.shards())[0]!
  await node.store.commit([partOf({ shard: 0 as never, epoch, owner: owner! }, [{ before: null, after: timer }])])
}
