import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamespacePattern } from '../../core/access/access.ts'
import type { CreateCommand } from '../../core/rules/command.ts'
import { settle } from '../../core/rules/settle.ts'
import type { Namespace, TimerId } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { LiveFeed } from './live-feed.ts'
import type { LiveBatch } from './live-feed.ts'
import type { Sight } from '../sight.ts'
import type { Pulse } from './overview.ts'

const NOON = Date.UTC(2030, 0, 1, 12)
const ALL: Sight = { wholeNode: true }
const delivered = { type: 'delivered', statusCode: 200 } as const

function setup() {
  const clock = new ManualClock(NOON)
  let pulses = 0
  const feed = new LiveFeed(clock, () => {
    pulses++
    return { now: clock.now() } as Pulse
  })
  const observer = feed.observer()
  const fire = (namespace: string, id = 't') => {
    const before = sampleTimer({ namespace: namespace as Namespace, id: id as TimerId, dueAt: NOON })
    const after = settle(
      before,
      { startedAt: NOON + 2, durationMs: 3, outcome: delivered },
      { now: NOON + 5, retentionMs: 1_000 },
    )
    observer.settled(before, after, delivered, 3)
  }
  const listen = (sight: Sight) => {
    const batches: LiveBatch[] = []
    return { batches, cancel: feed.subscribe(sight, (batch) => batches.push(batch)) }
  }
  return { clock, feed, observer, fire, listen, pulses: () => pulses }
}

test('while nobody listens nothing is kept and nothing ticks', async () => {
  const { clock, fire, listen, feed, pulses } = setup()
  fire('a')
  assert.equal(clock.waiting, 0)
  const { batches, cancel } = listen(ALL)
  await clock.advance(200)
  assert.deepEqual([batches, feed.listeners], [[], 1])
  cancel()
  cancel()
  fire('a')
  await clock.advance(5_000)
  assert.deepEqual([clock.waiting, feed.listeners, pulses()], [0, 0, 0])
})

test('of a flood fifty a second are shown, and the rest is counted', async () => {
  const { clock, fire, listen } = setup()
  const { batches } = listen(ALL)
  for (let turn = 0; turn < 5; turn++) {
    for (let n = 0; n < 100; n++) fire('a')
    await clock.advance(200)
  }
  assert.equal(batches.flatMap(({ firings }) => firings).length, 50)
  assert.deepEqual(batches.at(-1)!.pulse!.skipped, { firings: 450, changes: 0 })
  await clock.advance(1_000)
  assert.deepEqual(batches.at(-1)!.pulse!.skipped, { firings: 0, changes: 0 })
})

test('a listener sees its namespaces only, and a flood elsewhere takes none of its room', async () => {
  const { clock, fire, listen } = setup()
  const one = listen({ namespace: 'b' as Namespace, wholeNode: false })
  const some = listen({ namespaces: ['team.*' as NamespacePattern], wholeNode: false })
  for (let n = 0; n < 100; n++) fire('a')
  fire('b', 'mine')
  fire('team.x', 'ours')
  await clock.advance(200)
  const ids = (batches: readonly LiveBatch[]) => batches.flatMap(({ firings }) => firings).map(({ timer }) => timer.id)
  assert.deepEqual([ids(one.batches), ids(some.batches)], [['mine'], ['ours']])
})

test('those who see the same share one look at it a second', async () => {
  const { clock, listen, pulses } = setup()
  const listeners = [listen(ALL), listen(ALL), listen(ALL)]
  await clock.advance(3_000)
  assert.equal(pulses(), 3)
  assert.deepEqual(
    listeners.map(({ batches }) => batches.length),
    [3, 3, 3],
  )
  assert.equal(listeners[0]!.batches[0], listeners[1]!.batches[0])
})

test('a firing tells how late it was and what came of it, a change what was done', async () => {
  const { clock, observer, fire, listen } = setup()
  const { batches } = listen(ALL)
  fire('a', 'x')
  const timer = sampleTimer({ id: 'y' as TimerId })
  observer.executed({ type: 'create' } as CreateCommand, { timer, previous: null, changed: true })
  observer.executed({ type: 'create' } as CreateCommand, { timer, previous: null, changed: false })
  await clock.advance(200)
  const {
    firings: [firing],
    changes,
  } = batches[0]!
  const { latenessMs, outcome, attempt, statusCode, error, nextAt } = firing!
  assert.deepEqual(
    { latenessMs, outcome, attempt, statusCode, error, nextAt },
    {
      latenessMs: 2,
      outcome: 'delivered',
      attempt: 1,
      statusCode: 200,
      error: null,
      nextAt: null,
    },
  )
  assert.deepEqual(
    changes.map(({ type, timer: { id } }) => [type, id]),
    [['created', 'y']],
  )
})

test('a wall clock that stands still, or is set back, stops no pulse and hurries no turn', async () => {
  class StandingClock extends ManualClock {
    override now(): number {
      return NOON + 199
    }
  }
  const clock = new StandingClock()
  let pulses = 0
  const feed = new LiveFeed(clock, () => {
    pulses++
    return {} as Pulse
  })
  let turns = 0
  const after = clock.after.bind(clock)
  clock.after = (delayMs, callback) => {
    turns++
    return after(delayMs, callback)
  }
  feed.subscribe(ALL, () => {})
  await clock.advance(10_000)
  assert.ok(pulses >= 5 && turns <= 51, `${pulses} pulses, ${turns} turns`)
})
