import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  DELIVERED,
  FAILED,
  KEY,
  MINUTE,
  NOW,
  SECOND,
  at,
  createOf,
  inStatus,
  specOf,
  timerOf,
  tryDecide,
} from './command.fixture.ts'
import type { Command, TimerSpec } from './command.ts'
import { standsAlone } from './create.ts'
import { decide } from './decide.ts'
import type { DeliveryOutcome } from '../timer/delivery.ts'
import { DEFAULT_RETRY, SINGLE_ATTEMPT } from './retry.ts'
import { settle } from './settle.ts'
import { Status } from '../timer/timer.ts'
import type { Target } from '../targets/target.ts'
import type { JsonText, Millis, Timer } from '../timer/timer.ts'

const instant = (ms: Millis): string => new Date(ms).toISOString()
const DUE = NOW + MINUTE
const target: Target = { type: 'http', url: 'https://a.test/hook', headers: { 'X-One': '1', two: '2' } }
const payload = '{"a":[1,{"b":2,"c":3}],"d":9007199254740993}' as JsonText
const metadata = '{"team":"x","n":1}' as JsonText
const PARAMETERS: Partial<TimerSpec> = { target, payload, metadata, traceparent: 'trace-1' }

const again = (changes: Partial<TimerSpec> = {}, schedule = instant(DUE)): Command =>
  createOf(specOf(schedule, { ...PARAMETERS, traceparent: 'trace-2', ...changes }), {
    onConflict: 'match',
    minLeadMs: 0,
  })
const first = (schedule = instant(DUE)): Timer => timerOf(schedule, PARAMETERS)
const delivered = (timer: Timer, outcome: DeliveryOutcome): Timer =>
  settle(timer, { startedAt: timer.wakeAt, durationMs: 5, outcome }, at(timer.wakeAt + 5))

function assertMatches(timer: Timer, command: Command, now: Millis = NOW + SECOND): void {
  assert.deepEqual(tryDecide(timer, command, now), { type: 'keep', timer })
}
function assertConflicts(timer: Timer, command: Command, now: Millis = NOW + SECOND): void {
  assert.throws(() => decide(timer, command, at(now)), { code: 'TIMER_ALREADY_EXISTS', details: { timer } })
}

test('any other parameter is a conflict, and the answer has the timer that is there', () => {
  const others: readonly Partial<TimerSpec>[] = [
    { target: { ...target, url: 'https://a.test/hook/' } },
    { target: { ...target, headers: { 'X-One': '1' } } },
    { target: { ...target, headers: null } },
    { target: { type: 'nats', topic: 'a', key: null, headers: null } },
    { target: { type: 'none' } },
    { payload: null },
    { payload: '{"a":[1,{"b":2,"c":3}],"d":9007199254740992}' as JsonText },
    { metadata: null },
    { metadata: '{"team":"x","n":2}' as JsonText },
    { retry: SINGLE_ATTEMPT },
    { timeoutMs: 31 * SECOND },
    { protocol: 'platform' },
  ]
  for (const changes of others) assertConflicts(first(), again(changes))
  for (const schedule of [instant(DUE + 1), 'PT1M', `R1/${instant(DUE)}/PT1M`])
    assertConflicts(first(), again({}, schedule))
})

test('the same parameters are the existing timer, however they are spelled', () => {
  assertMatches(first(), again())
  const respelled = { payload: '{ "d":9007199254740993, "a":[1, {"c":3,"b":2}] }', metadata: '{"n":1.0,"team":"x"}' }
  assertMatches(first(), again(respelled as { payload: JsonText; metadata: JsonText }))
  assertMatches(first(), again({ target: { ...target, headers: { two: '2', 'x-one': '1' } } }))
  assertMatches(first(), again({ retry: { ...DEFAULT_RETRY } }))
  assertMatches(first(), again({}, `${new Date(DUE + 90 * MINUTE).toISOString().slice(0, -1)}+01:30`))
})

test('also when the timer has finished and its time lies in the past; a canceled one is not in the way', () => {
  const muchLater = NOW + 60 * MINUTE
  for (const status of Object.values(Status)) {
    const timer = inStatus(first(), status)
    if (status === Status.canceled) {
      assert.equal(tryDecide(timer, again({ timeoutMs: 5 * SECOND }), NOW + SECOND).type, 'write')
      assert.deepEqual(tryDecide(timer, again(), muchLater), { type: 'refused', code: 'INVALID_SCHEDULE' })
    } else {
      assertMatches(timer, again(), muchLater)
      assertConflicts(timer, again({ timeoutMs: 5 * SECOND }), muchLater)
    }
  }
})

test('an old create does not stand alone: what it made may be the answer', () => {
  for (const onConflict of ['match', 'keep', 'reject'] as const) {
    const command = createOf(specOf(instant(DUE)), { onConflict, minLeadMs: 0 })
    assert.equal(standsAlone(command, DUE), true)
    assert.equal(standsAlone(command, DUE + 1), false)
    assert.equal(standsAlone({ ...command, onConflict: 'replace' }, DUE + 1), true)
  }
  assert.equal(standsAlone({ type: 'pause', ...KEY }, NOW), false)
})

test('what happened to the timer since does not change what it was made with', () => {
  const rescheduled = delivered(first(), { type: 'rescheduled', nextAt: DUE + 60 * MINUTE, statusCode: 200 })
  const waiting = delivered(first(), FAILED)
  const byHand = decide(first(), { type: 'trigger', ...KEY }, at(NOW + SECOND)).timer
  const paused = decide(first(), { type: 'pause', ...KEY }, at(NOW + SECOND)).timer
  for (const timer of [
    rescheduled,
    waiting,
    byHand,
    paused,
    delivered(rescheduled, DELIVERED),
    delivered(waiting, DELIVERED),
  ]) {
    assertMatches(timer, again(), timer.updatedAt)
    assertConflicts(timer, again({}, instant(rescheduled.dueAt)), timer.updatedAt)
  }
})

test('an update gives a timer other parameters', () => {
  const update = (changes: object): Command => ({ type: 'update', ...KEY, changes, ifVersion: null, minLeadMs: null })
  const moved = decide(first(), update({ schedule: specOf(instant(DUE + MINUTE)).schedule }), at(NOW)).timer
  assertConflicts(moved, again())
  assertMatches(moved, again({}, instant(DUE + MINUTE)))
  const changed = decide(delivered(first(), FAILED), update({ payload: null }), at(DUE + SECOND)).timer
  assertMatches(changed, again({ payload: null }), DUE + 2 * SECOND)
})

test('durations and cycles are compared as they were written, and a cycle goes on meanwhile', () => {
  assertMatches(first('PT10M'), again({}, 'PT10M'), NOW + 5 * MINUTE)
  const cycle = delivered(first('R3/PT10M'), DELIVERED)
  assertMatches(cycle, again({}, 'R3/PT10M'), cycle.updatedAt)
  assertConflicts(cycle, again({}, 'R4/PT10M'), cycle.updatedAt)
  assertConflicts(cycle, again({ catchUp: 'one' }, 'R3/PT10M'), cycle.updatedAt)
})

test('a callback of another way of delivering brings the retries of that way, unless others are given', () => {
  const update = (protocol: string, more: object = {}): Timer => {
    const changes = { callback: { target, protocol, retryOfProtocol: SINGLE_ATTEMPT }, ...more }
    return decide(first(), { type: 'update', ...KEY, changes, ifVersion: null, minLeadMs: null }, at(NOW)).timer
  }
  assert.deepEqual(update('platform').retry, SINGLE_ATTEMPT)
  assert.deepEqual(update('v1').retry, DEFAULT_RETRY)
  assert.deepEqual(update('platform', { retry: DEFAULT_RETRY }).retry, DEFAULT_RETRY)
})
