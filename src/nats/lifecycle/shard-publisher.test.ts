import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { BrokerError } from '../../broker/broker.ts'
import type { LifecycleEvent } from '../../core/events/lifecycle-event.ts'
import type { Epoch, JsonText, ShardId, TimerId } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { partOf } from '../../store/commit-sheet.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { StoreError } from '../../store/store.ts'
import type { OutboxEvent } from '../../store/store.ts'
import { ShardPublisher } from './shard-publisher.ts'
import { Semaphore } from '../../runtime/semaphore.ts'

const SHARD = 0 as ShardId

type Fate = Error | 'confirmed' | 'confirmation lost'

async function setup(t: TestContext | null, fateOf: (event: OutboxEvent, times: number) => Fate = () => 'confirmed') {
  const clock = new ManualClock(0, { maxWaitMs: Infinity })
  const store = new MemoryStore()
  const epoch = (await store.claim({ shard: SHARD, expected: 0 as Epoch, from: null, owner: 'a' }))!
  const arrived: string[] = []
  const sent = new Map<string, number>()
  const walks: (string | null)[] = []
  const state = { isConnected: true, isStoreFull: false, inFlight: 0, inFlightMax: 0 }
  const versions = new Map<string, number>()

  /** Events of these timers, one each, in one commit; a word like `a` becomes a1, a2, … */
  const write = async (...ids: readonly string[]) => {
    for (const id of ids) {
      const version = (versions.get(id) ?? 0) + 1
      versions.set(id, version)
      const timer = sampleTimer({ id: id as TimerId, version })
      const { namespace, uuid } = timer
      const event: LifecycleEvent = {
        id: `${id}${version}`,
        type: 'updated',
        namespace,
        uuid,
        at: 0,
        body: '{}' as JsonText,
      }
      const before = version === 1 ? null : { ...timer, version: version - 1 }
      await store.commit([partOf({ shard: SHARD, epoch, owner: 'a' }, [{ before, after: timer, events: [event] }])])
    }
  }
  const open = () => {
    const publisher = new ShardPublisher({
      shard: SHARD,
      store: {
        readEvents: (read) => store.readEvents(read),
        removeEvents: async (published) => {
          if (state.isStoreFull) throw new StoreError('the disk is full')
          return store.removeEvents(published)
        },
      },
      isConnected: () => state.isConnected,
      publish: async (event) => {
        const times = (sent.get(event.id) ?? 0) + 1
        sent.set(event.id, times)
        state.inFlightMax = Math.max(state.inFlightMax, ++state.inFlight)
        await Promise.resolve()
        state.inFlight--
        const fate = fateOf(event, times)
        if (!(fate instanceof Error)) arrived.push(event.id)
        if (fate !== 'confirmed') throw fate === 'confirmation lost' ? new BrokerError('timeout', 'no answer') : fate
      },
      clock,
      turns: new Semaphore(1),
      onWalk: (failure) => void walks.push(failure?.message ?? null),
    })
    t?.after(() => publisher.stop())
    return publisher
  }
  const left = async () => (await store.readEvents({ shard: SHARD, after: 0, limit: 10_000 })).map(({ id }) => id)
  return { clock, write, open, arrived, sent, walks, left, state }
}

test('while there is no connection nothing is read or sent, and it is tried again within a second', async (t) => {
  const { clock, write, open, arrived, walks, left, state } = await setup(t)
  state.isConnected = false
  await write('a', 'b')
  open()
  await clock.advance(10_000)
  assert.deepEqual(
    [arrived, await left(), new Set(walks)],
    [[], ['a1', 'b1'], new Set(['no connection to the broker'])],
  )
  state.isConnected = true
  await clock.advance(1_000)
  assert.deepEqual([arrived, await left(), walks.at(-1)], [['a1', 'b1'], [], null])
})

test('an event that is refused holds up its own timer and no other', async (t) => {
  const refusal = new BrokerError('refused', 'not allowed')
  const fates = { isRefused: true }
  const { clock, write, open, arrived, walks, left } = await setup(t, ({ id }) =>
    fates.isRefused && id === 'a2' ? refusal : 'confirmed',
  )
  await write('a', 'a', 'b', 'a', 'b')
  open()
  await clock.advance(5_000)
  assert.deepEqual([arrived.toSorted(), await left(), walks.at(-1)], [['a1', 'b1', 'b2'], ['a2', 'a3'], 'not allowed'])
  fates.isRefused = false
  await clock.advance(1_000)
  assert.deepEqual([arrived.slice(-2), await left()], [['a2', 'a3'], []])
})

test('a page full of refused events does not keep those behind it from being published', async (t) => {
  const refusal = new BrokerError('refused', 'not allowed')
  const { clock, write, open, arrived, left } = await setup(t, ({ id }) =>
    id.startsWith('no') ? refusal : 'confirmed',
  )
  await write(...Array.from({ length: 1_200 }, (_, n) => `no${n}-`), 'yes')
  open()
  await clock.advance(1_000)
  assert.deepEqual([arrived, (await left()).length], [['yes1'], 1_200])
})

test('an event whose confirmation was lost comes again before the next one of its timer', async (t) => {
  const fateOf = ({ id }: OutboxEvent, times: number): Fate =>
    id === 'a1' && times < 3 ? 'confirmation lost' : 'confirmed'
  const { clock, write, open, arrived, sent } = await setup(t, fateOf)
  await write('a', 'a', 'b')
  open()
  await clock.advance(5_000)
  assert.deepEqual(
    arrived.filter((id) => id.startsWith('a')),
    ['a1', 'a1', 'a1', 'a2'],
  )
  assert.deepEqual([sent.get('a2'), arrived.includes('b1')], [1, true])
})

test('a store that fails is asked again, and what it did not remove is published once more', async (t) => {
  const { clock, write, open, arrived, left, walks, state } = await setup(t)
  await write('a')
  state.isStoreFull = true
  open()
  await clock.advance(0)
  assert.deepEqual([arrived, await left(), walks.at(-1)], [['a1'], ['a1'], 'the disk is full'])
  state.isStoreFull = false
  await clock.advance(1_000)
  assert.deepEqual([arrived.length > 1, new Set(arrived), await left()], [true, new Set(['a1']), []])
})

test('events are published as soon as they are written, without waiting for a look', async (t) => {
  const { clock, write, open, arrived, left } = await setup(t)
  const publisher = open()
  await clock.advance(0)
  for (let n = 1; n <= 3; n++) {
    await write('a')
    publisher.wake()
    await clock.advance(0)
    assert.equal(arrived.length, n)
  }
  assert.deepEqual([await left(), publisher.isIdle], [[], true])
})

test('what nobody told it about is found when it is told to look again, also before what it has published', async (t) => {
  const { clock, write, open, arrived } = await setup(t)
  const publisher = open()
  await clock.advance(0)
  await write('a')
  await clock.advance(600_000)
  assert.deepEqual([arrived, clock.waiting], [[], 0])
  publisher.lookAgain()
  await clock.advance(0)
  assert.deepEqual(arrived, ['a1'])
})

test('closing publishes what is there and ends; stopping sends nothing more', async (t) => {
  const { clock, write, open, arrived, left } = await setup(t)
  const first = open()
  await clock.advance(0)
  await write('a', 'a')
  first.wake()
  await first.close()
  assert.deepEqual([arrived, await left()], [['a1', 'a2'], []])
  const second = open()
  await clock.advance(0)
  await second.stop()
  await write('b')
  second.wake()
  await clock.advance(60_000)
  assert.deepEqual([arrived.length, await left()], [2, ['b1']])
})

test('timers go side by side, and a thousand pages need no more at once than one page has', async (t) => {
  const { clock, write, open, arrived, state } = await setup(t)
  await write(...Array.from({ length: 3_000 }, (_, n) => `t${n % 1_000}-`))
  open()
  await clock.advance(0)
  assert.equal(arrived.length, 3_000)
  assert.ok(state.inFlightMax > 100 && state.inFlightMax <= 500, String(state.inFlightMax))
})

test('whatever is refused, lost or interrupted: every event arrives, and no event of a timer arrives before an earlier one', async () => {
  const failures = (['refused', 'timeout', 'disconnected'] as const).map((reason) => new BrokerError(reason, reason))
  const fate = fc.constantFrom<Fate>('confirmed', 'confirmed', 'confirmed', 'confirmation lost', ...failures)
  const step = fc.oneof(
    fc.record({ type: fc.constant('write' as const), ids: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 5 }) }),
    fc.record({ type: fc.constantFrom('take over' as const, 'wait' as const), ids: fc.constant([] as string[]) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.infiniteStream(fate), async (steps, fates) => {
      let isFair = false
      const { clock, write, open, arrived, left } = await setup(null, () =>
        isFair ? 'confirmed' : fates.next().value!,
      )
      let publisher = open()
      for (const { type, ids } of steps) {
        await write(...ids)
        publisher.wake()
        if (type === 'wait') await clock.advance(150)
        // The next owner begins while the last one is still at it.
        if (type === 'take over') {
          void publisher.stop()
          publisher = open()
        }
      }
      isFair = true
      await clock.advance(5_000)
      assert.deepEqual(await left(), [])
      for (const id of ['a', 'b', 'c']) {
        const first = [...new Set(arrived.filter((event) => event.startsWith(id)))]
        assert.deepEqual(
          first,
          first.map((_, index) => `${id}${index + 1}`),
        )
      }
      await publisher.stop()
    }),
    { numRuns: 100 },
  )
})
