import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  DELIVERED,
  GONE,
  KEY,
  MINUTE,
  NOW,
  RETENTION_MS,
  SECOND,
  at,
  createOf,
  specOf,
  timerOf,
  tryDecide,
} from './command.fixture.ts'
import { OnConflict } from './command.ts'
import type { Command, TimerChanges } from './command.ts'
import { failedDelivery } from '../timer/delivery.ts'
import type { DeliveryOutcome } from '../timer/delivery.ts'
import { deliveryId } from '../timer/ids.ts'
import { DEFAULT_RETRY } from './retry.ts'
import { parseSchedule } from '../time/schedule.ts'
import { markExecuting, settle } from './settle.ts'
import { assertTimerInvariants } from './timer-invariants.ts'
import { CatchUp, NEVER, Status, isFinished } from '../timer/timer.ts'
import type { Millis, Timer } from '../timer/timer.ts'
import { ALLOWED_IN } from '../timer/transitions.ts'

test('a timer that cannot be is reported with what is wrong about it', () => {
  const timer = timerOf('R3/PT1M')
  const wrong: [Partial<Timer>, RegExp][] = [
    [{ wakeAt: timer.dueAt - 1 }, /before the due time/],
    [{ wakeAt: NEVER }, /for never/],
    [{ status: 'completed' }, /finishing time/],
    [{ iteration: 4 }, /within its repetitions/],
    [{ anchorAt: null }, /has an anchor/],
    [{ attempts: 4, firstAttemptAt: NOW, executedAt: NOW }, /has an attempt left/],
    [{ dueAt: timer.dueAt + 0.5 }, /whole milliseconds/],
    [{ firing: 2 }, /new firing is a new version/],
  ]
  const regular = { status: Status.pending, wakeAt: timer.wakeAt, attempts: 0, firstAttemptAt: null }
  const putOff = { wakeAt: timer.wakeAt + 1, extra: { dueAt: timer.wakeAt + 1, number: 1, regular } }
  wrong.push([{ ...putOff, extra: { ...putOff.extra, moved: true } }, /put off into the next regular one/])
  wrong.push([{ ...putOff, extra: { ...putOff.extra, dueAt: NOW } }, /put off into the next regular one/])
  for (const [changes, message] of wrong) assert.throws(() => assertTimerInvariants({ ...timer, ...changes }), message)
  assertTimerInvariants({ ...timer, ...putOff }) // a trigger of a timer that is overdue
})

test('a step that cannot be is reported with what is wrong about it', () => {
  const before = timerOf('R3/PT1M')
  const after: Timer = { ...before, version: 2 }
  assertTimerInvariants(after, before)
  const wrong: [Timer, Timer | null, RegExp][] = [
    [after, null, /a new timer is/],
    [before, before, /grows by one/],
    [after, { ...before, status: 'paused', wakeAt: NEVER, firing: 2 }, /followed by itself or by the next/],
    [
      { ...after, status: 'canceled', finishedAt: NOW, wakeAt: NOW },
      { ...before, status: 'executing' },
      /executing can become canceled/,
    ],
    [{ ...after, createdAt: NOW + 1 }, before, /another attempt the same/],
    [{ ...after, dueAt: after.dueAt + 1, wakeAt: after.dueAt + 1 }, before, /keeps its due time/],
    [{ ...after, firing: 2 }, { ...before, iteration: 2 }, /does not go back/],
  ]
  for (const [next, from, message] of wrong) assert.throws(() => assertTimerInvariants(next, from), message)
})

const schedules = fc.constantFrom(
  'PT1S',
  'R1/PT1M',
  'R3/PT10M',
  'R7/PT1S',
  'R2/P1M',
  'R/PT1H',
  'R4/2026-02-01T00:00:00Z/P1D',
)
const updateOf = (changes: TimerChanges, ifVersion: number | null): Command => ({
  type: 'update',
  ...KEY,
  changes,
  ifVersion,
  minLeadMs: 0,
})

type Step =
  | { readonly type: 'command'; readonly command: Command }
  | { readonly type: 'clock'; readonly ms: Millis }
  | {
      readonly type: 'attempt'
      readonly outcome: DeliveryOutcome
      readonly durationMs: Millis
      readonly isMarked: boolean
    }

const outcomes: fc.Arbitrary<DeliveryOutcome> = fc.oneof(
  fc.constant(DELIVERED),
  fc.constant(GONE),
  {
    weight: 3,
    arbitrary: fc
      .option(fc.nat(60 * MINUTE))
      .map((retryAfterMs) => failedDelivery('HTTP 503', { statusCode: 503, retryAfterMs })),
  },
  fc.nat(60 * MINUTE).map((ms): DeliveryOutcome => ({ type: 'rescheduled', nextAt: NOW + ms, statusCode: 200 })),
)
const policies = fc.constantFrom(
  DEFAULT_RETRY,
  { ...DEFAULT_RETRY, maxAttempts: 2 },
  { ...DEFAULT_RETRY, initialIntervalMs: 1, maxIntervalMs: 1 },
)
const commands: fc.Arbitrary<Command> = fc.oneof(
  fc
    .record({
      schedule: schedules,
      onConflict: fc.constantFrom(...Object.values(OnConflict)),
      catchUp: fc.constantFrom(...Object.values(CatchUp)),
      retry: policies,
    })
    .map(({ schedule, onConflict, ...spec }): Command => createOf(specOf(schedule, spec), { onConflict })),
  fc
    .tuple(schedules, policies, fc.option(fc.integer({ min: 1, max: 9 })))
    .map(([schedule, retry, ifVersion]) => updateOf({ schedule: parseSchedule(schedule), retry }, ifVersion)),
  fc.constant(updateOf({ payload: null }, null)),
  fc.constant<Command>({ type: 'cancel', ...KEY, ifVersion: null }),
  fc.constantFrom<Command[]>(
    { type: 'trigger', ...KEY },
    { type: 'pause', ...KEY },
    { type: 'resume', ...KEY },
    { type: 'retry', ...KEY },
  ),
)
const steps: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: commands.map((command) => ({ type: 'command' as const, command })), weight: 3 },
  fc.integer({ min: -60 * MINUTE, max: 24 * 60 * MINUTE }).map((ms) => ({ type: 'clock' as const, ms })),
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('attempt' as const),
      outcome: outcomes,
      durationMs: fc.nat(MINUTE),
      isMarked: fc.boolean(),
    }),
  },
)

test('whatever happens to a timer, in whatever order and on whatever clock, it stays one that can be', () => {
  let written = 0
  let extrasEnded = 0
  fc.assert(
    fc.property(fc.array(steps, { minLength: 30, maxLength: 60 }), (sequence) => {
      let timer: Timer | null = sequence.length % 2 === 0 ? timerOf('R5/PT1M') : null
      let now = NOW
      const firstSeen = new Map<string, number>()
      const follow = (before: Timer | null, after: Timer): void => {
        assertTimerInvariants(after, before)
        // A delivery id belongs to one firing for ever: it is taken up again only where an extra firing came between.
        const firing = after.extra?.number ?? after.firing
        assert.equal(firstSeen.get(deliveryId(after)) ?? firing, firing)
        firstSeen.set(deliveryId(after), firing)
        if (before !== null && before.extra !== null && after.extra === null) extrasEnded++
        timer = after
        written++
      }
      for (const step of sequence) {
        const before: Timer | null = timer
        if (step.type === 'clock') now += step.ms
        else if (step.type === 'command') {
          const decision = tryDecide(before, step.command, now)
          assert.deepEqual(tryDecide(before, step.command, now), decision)
          if (decision.type === 'write') follow(before, decision.timer)
          if (decision.type === 'keep') assert.equal(decision.timer, before)
          if (decision.type === 'refused' && decision.code === 'TIMER_NOT_PENDING' && step.command.type !== 'create') {
            assert.ok(!ALLOWED_IN[step.command.type].includes(before!.status))
          }
        } else if (before !== null && before.wakeAt < NEVER && !isFinished(before)) {
          const startedAt = (now = Math.max(now, before.wakeAt))
          if (step.isMarked) follow(before, markExecuting(before, now + SECOND))
          const delivered: Timer = timer!
          now += step.durationMs
          const context = at(now)
          const after = settle(delivered, { startedAt, durationMs: step.durationMs, outcome: step.outcome }, context)
          assert.deepEqual(
            settle(delivered, { startedAt, durationMs: step.durationMs, outcome: step.outcome }, context),
            after,
          )
          follow({ ...delivered, status: Status.executing }, after)
          if (isFinished(after)) assert.equal(after.wakeAt, now + RETENTION_MS)
        }
      }
    }),
    { numRuns: 300 },
  )
  assert.ok(written > 1_000, `the walk wrote ${written} times only`)
  assert.ok(extrasEnded > 20, `${extrasEnded} extra firings only`)
})
