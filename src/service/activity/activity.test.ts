import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamespacePattern } from '../../core/access/access.ts'
import { failedDelivery } from '../../core/timer/delivery.ts'
import type { CreateCommand } from '../../core/rules/command.ts'
import { settle } from '../../core/rules/settle.ts'
import type { Namespace, Timer } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { Activity } from './activity.ts'

const NOON = Date.UTC(2030, 0, 1, 12)
const A = 'a' as Namespace
const B = 'b' as Namespace

function setup(options: { readonly namespacesMax?: number } = {}) {
  const clock = new ManualClock(NOON)
  const activity = new Activity(clock, options)
  const observer = activity.observer()
  return {
    clock,
    activity,
    observer,
    fire: (namespace: Namespace, lateMs = 0) => observer.fired(timerOf(namespace), lateMs),
  }
}

function timerOf(namespace: Namespace): Timer {
  return sampleTimer({ namespace, dueAt: NOON })
}

test('beyond the namespaces that are followed, one counts for the whole only, and its figures say that they are not there', () => {
  const { activity, fire } = setup({ namespacesMax: 1 })
  assert.equal(activity.isTracked({ namespace: B }), true)
  fire(A)
  fire(B)
  assert.equal(activity.lastMinute({}).named().fired, 2)
  assert.deepEqual(
    [A, B].map((namespace) => activity.lastMinute({ namespace }).named().fired),
    [1, 0],
  )
  assert.deepEqual(
    [{}, { namespace: A }, { namespace: B }].map((scope) => activity.isTracked(scope)),
    [true, true, false],
  )
  assert.equal(activity.isTracked({ namespaces: ['b' as NamespacePattern] }), false)
})

test('a tenant with many namespaces makes room for another tenant', () => {
  const { activity, observer } = setup({ namespacesMax: 4 })
  const fired = (namespace: string, tenant: string) => observer.fired({ ...timerOf(namespace as Namespace), tenant }, 0)
  for (let n = 0; n < 10; n++) fired(`greedy-${n}`, 'greedy')
  fired('b', 'small')
  assert.deepEqual(
    [activity.lastMinute({ namespace: B }).named().fired, activity.isTracked({ namespace: B })],
    [1, true],
  )
})

test('a namespace that was quiet for an hour makes room for another', async () => {
  const { activity, clock, fire } = setup({ namespacesMax: 1 })
  fire(A)
  await clock.advance(3_599_000)
  fire(B)
  assert.equal(activity.lastHour({ namespace: B }).named().fired, 0)
  await clock.advance(2_000)
  fire(B)
  assert.equal(activity.lastHour({ namespace: B }).named().fired, 1)
})

test('a minute later a firing is forgotten by the second, and an hour later by the minute', async () => {
  const { activity, clock, fire } = setup()
  fire(A, 3)
  const fired = () => [activity.lastMinute({}).named().fired, activity.lastHour({}).named().fired]
  await clock.advance(59_999)
  assert.deepEqual(fired(), [1, 1])
  await clock.advance(1)
  assert.deepEqual(fired(), [0, 1])
  await clock.advance(3_540_000)
  assert.deepEqual(fired(), [0, 0])
  fire(A, 5)
  assert.deepEqual(fired(), [1, 1])
  assert.equal(activity.lastHour({}).lateMaxMs, 5)
})

test('the seconds that are over come oldest first, each with what happened in it', async () => {
  const { activity, clock, fire } = setup()
  fire(A)
  await clock.advance(1_000)
  fire(A)
  fire(A)
  assert.deepEqual(
    activity
      .perSecond({})
      .slice(-2)
      .map(({ at, sum }) => [at - NOON, sum.named().fired]),
    [
      [-1_000, 0],
      [0, 1],
    ],
  )
  await clock.advance(1_000)
  const { at, sum } = activity.lastSecond({ namespace: A })
  assert.deepEqual([at, sum.named().fired, activity.perSecond({}).length], [NOON + 1_000, 2, 60])
})

test('patterns add up the namespaces that match them', () => {
  const { activity, fire } = setup()
  for (const namespace of ['team.x', 'team.y', 'other']) fire(namespace as Namespace)
  assert.equal(activity.lastMinute({ namespaces: ['team.*' as NamespacePattern] }).named().fired, 2)
  assert.equal(activity.lastMinute({ namespaces: [] }).named().fired, 0)
})

test('retries, failures, creates and cancels are told apart, and a retry says nothing about lateness', () => {
  const { activity, observer } = setup()
  const context = { now: NOON, retentionMs: 1_000 }
  const attempt = (before: Timer) => {
    const outcome = failedDelivery('no')
    const after = settle(before, { startedAt: NOON, durationMs: 1, outcome }, context)
    observer.fired(before, before.attempts === 0 ? 0 : null)
    observer.settled(before, after, outcome, 1)
    return after
  }
  const once = timerOf(A)
  attempt(attempt({ ...once, retry: { ...once.retry, maxAttempts: 2 } }))
  const created = { type: 'create', namespace: A } as CreateCommand
  observer.executed(created, { timer: once, previous: null, changed: true })
  observer.executed(created, { timer: once, previous: null, changed: false })
  const { fired, retried, failed, created: creates, canceled } = activity.lastMinute({ namespace: A }).named()
  assert.deepEqual(
    { fired, retried, failed, creates, canceled },
    { fired: 1, retried: 1, failed: 1, creates: 1, canceled: 0 },
  )
})
