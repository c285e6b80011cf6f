import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DELIVERED, FAILED, GONE, KEY, MINUTE, NOW, RETENTION_MS, SECOND, at } from './command.fixture.ts'
import { createOf, inStatus, specOf, timerOf, tryDecide } from './command.fixture.ts'
import type { Command, TimerChanges, UpdateCommand } from './command.ts'
import { decide } from './decide.ts'
import { deliveryId } from '../timer/ids.ts'
import { SINGLE_ATTEMPT } from './retry.ts'
import { parseSchedule } from '../time/schedule.ts'
import { settle } from './settle.ts'
import { assertTimerInvariants } from './timer-invariants.ts'
import { CatchUp, NEVER, Status } from '../timer/timer.ts'
import type { Target } from '../targets/target.ts'
import type { JsonText, Millis, Timer } from '../timer/timer.ts'

const refused = (code: string) => ({ type: 'refused', code })

/** Decides, and checks that what comes out is a timer that can follow the one that was there. */
function written(before: Timer | null, command: Command, now: Millis): Timer {
  const decision = decide(before, command, at(now))
  assert.equal(decision.type, 'write')
  assertTimerInvariants(decision.timer, before)
  assert.equal(decision.timer.updatedAt, now)
  return decision.timer
}

const updateOf = (changes: TimerChanges, minLeadMs: Millis | null = null): UpdateCommand => ({
  type: 'update',
  ...KEY,
  changes,
  ifVersion: null,
  minLeadMs,
})
const instant = (ms: Millis): string => new Date(ms).toISOString()
const failedForGood = (timer: Timer, outcome = FAILED): Timer =>
  settle(timer, { startedAt: timer.wakeAt, durationMs: 5, outcome }, at(timer.wakeAt + 5))
const failedOnce = (timer: Timer): Timer =>
  settle(timer, { startedAt: timer.wakeAt, durationMs: 5, outcome: FAILED }, at(timer.wakeAt + 5))

test('a change of a timer that does not exist is refused', () => {
  const changes: Command[] = [updateOf({}), { type: 'cancel', ...KEY, ifVersion: 1 }]
  for (const type of ['trigger', 'pause', 'resume', 'retry'] as const) changes.push({ type, ...KEY })
  for (const command of changes) {
    assert.throws(() => decide(null, command, at(NOW)), {
      code: 'TIMER_NOT_FOUND',
      details: { namespace: KEY.namespace, id: KEY.id },
    })
  }
})

test('a change that expects another version is refused, even where it would be too late anyway', () => {
  for (const status of Object.values(Status)) {
    const timer = inStatus(timerOf('PT1M'), status)
    for (const ifVersion of [0, 2]) {
      const update: Command = { type: 'update', ...KEY, changes: {}, ifVersion, minLeadMs: null }
      assert.throws(() => decide(timer, update, at(NOW)), {
        code: 'VERSION_CONFLICT',
        details: { ifVersion, version: 1 },
      })
      assert.deepEqual(tryDecide(timer, { type: 'cancel', ...KEY, ifVersion }, NOW), refused('VERSION_CONFLICT'))
    }
  }
  assert.equal(written(timerOf('PT1M'), { type: 'cancel', ...KEY, ifVersion: 1 }, NOW).status, 'canceled')
})

test('a refusal says whether the timer is being delivered or what became of it', () => {
  const cancelIn = (status: Status) => () =>
    decide(inStatus(timerOf('PT1M'), status), { type: 'cancel', ...KEY, ifVersion: null }, at(NOW))
  assert.throws(cancelIn('executing'), { message: /being delivered now/, details: { status: 'executing' } })
  assert.throws(cancelIn('completed'), { message: /'completed'/, details: { status: 'completed' } })
})

test('a past due time is refused unless the entry point takes it, and then the timer wakes at once', () => {
  const late = createOf(specOf(instant(NOW - 1)))
  const details = { fault: 'past', provided: instant(NOW - 1) }
  assert.throws(() => decide(null, { ...late, minLeadMs: 0 }, at(NOW)), { code: 'INVALID_SCHEDULE', details })
  assert.equal(written(null, late, NOW).wakeAt, NOW - 1)
  assert.equal(written(null, createOf(specOf(instant(NOW)), { minLeadMs: 0 }), NOW).dueAt, NOW)
  assert.equal(written(null, createOf(specOf('0000-01-01T00:00:00Z')), NOW).dueAt, Date.parse('0000-01-01T00:00:00Z'))
})

test('a lead that is asked for must be exceeded, in a create and in an update', () => {
  const soon = specOf(instant(NOW + 5 * SECOND))
  assert.throws(() => decide(null, createOf(soon, { minLeadMs: 5 * SECOND }), at(NOW)), /more than 5 s in the future/)
  assert.deepEqual(
    tryDecide(timerOf('PT1M'), updateOf({ schedule: soon.schedule }, 5 * SECOND), NOW),
    refused('INVALID_SCHEDULE'),
  )
  assert.equal(written(null, createOf(soon, { minLeadMs: 5 * SECOND }), NOW - 1).dueAt, NOW + 5 * SECOND)
})

test('an update without a new schedule is not judged by its due time', () => {
  const timer = timerOf('PT1M')
  assert.equal(written(timer, updateOf({ payload: null }, 5 * SECOND), timer.dueAt + MINUTE).dueAt, timer.dueAt)
})

test('create on an existing id does what onConflict says in every status, and a canceled timer is never in the way', () => {
  for (const status of Object.values(Status)) {
    const before = inStatus(timerOf('PT10M'), status)
    const kept = tryDecide(before, createOf(specOf('PT1M'), { onConflict: 'keep' }), NOW + 1)
    const rejected = tryDecide(before, createOf(specOf('PT1M'), { onConflict: 'reject' }), NOW + 1)
    if (status === Status.canceled) {
      assert.equal(kept.type, 'write')
      assert.equal(rejected.type, 'write')
    } else {
      assert.deepEqual(kept, { type: 'keep', timer: before })
      assert.deepEqual(rejected, refused('TIMER_ALREADY_EXISTS'))
    }
  }
  const before = timerOf('PT10M')
  assert.throws(() => decide(before, createOf(specOf('PT1M'), { onConflict: 'reject' }), at(NOW)), {
    details: { timer: before },
  })
})

test('a command that comes again neither revives what has completed nor makes a second firing of what waits', () => {
  const again = createOf(specOf(instant(NOW + MINUTE)), { onConflict: 'replaceLive' })
  const first = written(null, again, NOW)
  for (const status of Object.values(Status)) {
    const before = inStatus(first, status)
    const same = tryDecide(before, again, NOW + 1)
    const other = tryDecide(before, createOf(specOf(instant(NOW + 2 * MINUTE)), { onConflict: 'replaceLive' }), NOW + 1)
    assert.equal(same.type, status === Status.canceled || status === Status.failed ? 'write' : 'keep', status)
    assert.equal(other.type, status === Status.completed ? 'keep' : 'write', status)
  }
})

test('a kept timer is not looked at twice: its schedule may have passed meanwhile', () => {
  const before = timerOf('PT10M')
  const again = createOf(specOf(instant(NOW - MINUTE)), { onConflict: 'keep', minLeadMs: 0 })
  assert.deepEqual(tryDecide(before, again, NOW), { type: 'keep', timer: before })
})

test('a timer that replaces another begins anew, with a delivery id of its own', () => {
  const before = inStatus(failedOnce(timerOf('R5/PT1H')), 'failed')
  const after = written(before, createOf(specOf('PT1M', { payload: '1' as JsonText })), NOW + 3 * SECOND)
  assert.deepEqual(after, {
    ...timerOf('PT1M', { payload: '1' as JsonText }, NOW + 3 * SECOND),
    version: before.version + 1,
    firing: before.firing + 1,
  })
  assert.notEqual(deliveryId(written(before, createOf(specOf('PT1M')), before.createdAt)), deliveryId(before))
})

test('an update changes what is given and nothing else', () => {
  const timer = timerOf('PT10M', {
    payload: '1' as JsonText,
    metadata: '{"a":1}' as JsonText,
    traceparent: 't',
    correlationId: 'c',
  })
  const bumped = { version: 2, firing: 2, updatedAt: NOW + 7 }
  assert.deepEqual(written(timer, updateOf({}), NOW + 7), { ...timer, ...bumped })
  assert.deepEqual(written(timer, updateOf({ payload: null, timeoutMs: 9 }), NOW + 7), {
    ...timer,
    ...bumped,
    payload: null,
    timeoutMs: 9,
  })
  const callback = { target: { type: 'http', url: 'http://a.test', headers: null }, protocol: 'platform' } as const
  assert.deepEqual(written(timer, updateOf({ callback, catchUp: 'one' }), NOW + 7), {
    ...timer,
    ...bumped,
    ...callback,
    catchUp: 'one',
  })
  const dueAt = NOW + 7 + 60 * MINUTE
  const rescheduled = { schedule: 'PT1H', nominalAt: dueAt, dueAt, wakeAt: dueAt }
  assert.deepEqual(written(timer, updateOf({ schedule: parseSchedule('PT1H') }), NOW + 7), {
    ...timer,
    ...bumped,
    ...rescheduled,
  })
})

test('a cycle that is updated to an instant forgets its grid', () => {
  const after = written(timerOf('R3/PT10M'), updateOf({ schedule: parseSchedule(instant(NOW + MINUTE)) }), NOW)
  assert.deepEqual([after.schedule, after.anchorAt, after.iteration, after.dueAt], [null, null, 1, NOW + MINUTE])
})

test('an update of a timer that waits for a retry does not make it fire sooner', () => {
  const waiting = failedOnce(timerOf(instant(NOW + MINUTE)))
  const after = written(waiting, updateOf({ payload: '2' as JsonText }), waiting.updatedAt + 1)
  assert.equal(after.wakeAt, waiting.wakeAt)
  assert.equal(after.dueAt, waiting.wakeAt)
  assert.equal(after.attempts, 0)
  assert.equal(after.schedule, instant(NOW + MINUTE))
})

test('a paused timer stays asleep through updates and wakes by its new due time', () => {
  const paused = written(timerOf('PT1M'), { type: 'pause', ...KEY }, NOW)
  const updated = written(paused, updateOf({ schedule: parseSchedule('PT2M') }), NOW)
  assert.equal(updated.wakeAt, NEVER)
  assert.equal(written(updated, { type: 'resume', ...KEY }, NOW + SECOND).wakeAt, NOW + 2 * MINUTE)
})

test('an update of a timer that was paused while it waited for a retry leaves its due time alone', () => {
  const waiting = failedOnce(timerOf('PT1M'))
  const paused = written(waiting, { type: 'pause', ...KEY }, waiting.updatedAt + 1)
  const updated = written(paused, updateOf({ payload: null }), waiting.updatedAt + 2)
  assert.deepEqual([updated.dueAt, updated.wakeAt, updated.attempts], [NOW + MINUTE, NEVER, 0])
})

test('a canceled timer is kept for its retention time, from now', () => {
  const after = written(timerOf('PT10M'), { type: 'cancel', ...KEY, ifVersion: null }, NOW + SECOND)
  assert.deepEqual(
    [after.finishedAt, after.wakeAt, after.dueAt],
    [NOW + SECOND, NOW + SECOND + RETENTION_MS, NOW + 10 * MINUTE],
  )
})

test('a triggered cycle fires once more, now, and goes on with the iteration that it was at', () => {
  for (const catchUp of Object.values(CatchUp)) {
    const before = timerOf('R3/PT10M', { catchUp })
    const fired = written(before, { type: 'trigger', ...KEY }, NOW + SECOND)
    assert.deepEqual([fired.dueAt, fired.wakeAt, fired.iteration], [before.dueAt, NOW + SECOND, 1])
    const next = settle(fired, { startedAt: NOW + SECOND, durationMs: 1, outcome: DELIVERED }, at(NOW + SECOND + 1))
    assert.deepEqual(
      [next.dueAt, next.wakeAt, next.iteration, deliveryId(next)],
      [before.dueAt, before.dueAt, 1, deliveryId(before)],
    )
  }
})

test('a triggered one-shot is due now instead of later, also when it was paused', () => {
  for (const status of [Status.pending, Status.paused]) {
    const fired = written(inStatus(timerOf('PT10M'), status), { type: 'trigger', ...KEY }, NOW + SECOND)
    assert.deepEqual(
      [fired.status, fired.dueAt, fired.wakeAt, fired.extra],
      ['pending', NOW + SECOND, NOW + SECOND, null],
    )
  }
})

test('a triggered one-shot remembers the instant it was made for', () => {
  const fired = written(timerOf(instant(NOW + MINUTE)), { type: 'trigger', ...KEY }, NOW)
  assert.equal(fired.schedule, instant(NOW + MINUTE))
  assert.equal(written(fired, { type: 'trigger', ...KEY }, NOW + 1).schedule, instant(NOW + MINUTE))
})

test('a resumed timer keeps its delivery id, and fires at once when it came due meanwhile', () => {
  const paused = written(timerOf('PT1M'), { type: 'pause', ...KEY }, NOW)
  for (const now of [NOW + 1, NOW + 60 * MINUTE]) {
    const resumed = written(paused, { type: 'resume', ...KEY }, now)
    assert.deepEqual([resumed.wakeAt, deliveryId(resumed)], [NOW + MINUTE, deliveryId(paused)])
  }
})

test('of the iterations that a pause missed only the last one fires', () => {
  const lastAt = (pausedFor: Millis, schedule = 'R10/PT1M'): Timer => {
    const paused = written(timerOf(schedule), { type: 'pause', ...KEY }, NOW)
    return written(paused, { type: 'resume', ...KEY }, NOW + pausedFor)
  }
  for (const pausedFor of [30 * SECOND, MINUTE, 2 * MINUTE - 1]) {
    const { iteration, firing } = lastAt(pausedFor)
    assert.deepEqual([iteration, firing], [1, 1], 'it is still the firing that was paused')
  }
  for (const pausedFor of [3 * MINUTE, 3 * MINUTE + 1, 4 * MINUTE - 1]) {
    const { iteration, dueAt, wakeAt, firing } = lastAt(pausedFor)
    assert.deepEqual([iteration, dueAt, wakeAt, firing], [3, NOW + 3 * MINUTE, NOW + 3 * MINUTE, 2])
  }
  assert.equal(lastAt(60 * MINUTE).iteration, 10)
  assert.equal(lastAt(60 * MINUTE, 'R/PT1M').iteration, 60)
})

test('a failed timer that is retried has a fresh budget and the delivery id it had', () => {
  const single = timerOf('PT1M', { retry: { ...timerOf('PT1M').retry, maxAttempts: 1 } })
  const failed = failedOnce(single)
  assert.equal(failed.status, 'failed')
  const again = written(failed, { type: 'retry', ...KEY }, NOW + 10 * MINUTE)
  assert.deepEqual(
    [again.wakeAt, again.attempts, again.finishedAt, again.dueAt],
    [NOW + 10 * MINUTE, 0, null, single.dueAt],
  )
  assert.equal(deliveryId(again), deliveryId(single))
  assert.equal(again.attemptLog.length, 1)
})

test('an update that retries brings a failed timer back, with what is new, a delivery id of its own and its history', () => {
  const failed = failedForGood(timerOf(instant(NOW + MINUTE), { retry: SINGLE_ATTEMPT }))
  const now = failed.updatedAt + MINUTE
  const target: Target = { type: 'http', url: 'https://example.org/', headers: null }
  const command: Command = { ...updateOf({ callback: { target, protocol: 'v1' } }), retry: true }
  const after = written(failed, command, now)
  assert.deepEqual(
    [after.status, after.dueAt, after.wakeAt, after.attempts, after.finishedAt],
    ['pending', now, now, 0, null],
  )
  assert.deepEqual([after.target, after.attemptLog, after.schedule], [target, failed.attemptLog, instant(NOW + MINUTE)])
  assert.notEqual(deliveryId(after), deliveryId(failed))
  const later = written(failed, { ...updateOf({ schedule: parseSchedule('PT1H') }), retry: true }, now)
  assert.equal(later.wakeAt, now + 60 * MINUTE)
  assert.equal(written(failed, { ...updateOf({}), retry: true }, now).wakeAt, now)
})

test('a cycle that failed goes on with the iteration that failed, now, and then on its grid', () => {
  const failed = failedForGood(timerOf('R3/PT10M'), GONE)
  const now = failed.updatedAt + MINUTE
  const after = written(failed, { ...updateOf({ payload: null }), retry: true }, now)
  assert.deepEqual([after.iteration, after.wakeAt], [1, now])
  const next = settle(after, { startedAt: now, durationMs: 1, outcome: DELIVERED }, at(now + 1))
  assert.deepEqual([next.iteration, next.dueAt], [2, NOW + 20 * MINUTE])
})

test('an update that retries is an update like any other of a timer that waits, and is refused for what cannot be retried', () => {
  const command: Command = { ...updateOf({ payload: null }), retry: true }
  for (const status of [Status.pending, Status.paused]) {
    assert.deepEqual(
      tryDecide(inStatus(timerOf('PT1H'), status), command, NOW),
      tryDecide(inStatus(timerOf('PT1H'), status), updateOf({ payload: null }), NOW),
    )
  }
  for (const status of [Status.executing, Status.completed, Status.canceled]) {
    assert.deepEqual(tryDecide(inStatus(timerOf('PT1H'), status), command, NOW), {
      type: 'refused',
      code: 'TIMER_NOT_PENDING',
    })
  }
  assert.throws(
    () => decide(inStatus(timerOf('PT1H'), Status.canceled), command, at(NOW)),
    /only a failed timer can be retried; a create on its id makes it anew/,
  )
  assert.throws(
    () => decide(inStatus(timerOf('PT1H'), Status.failed), updateOf({ payload: null }), at(NOW)),
    /retry: true/,
  )
})

test('a retry after the clock was set back is not before the due time', () => {
  const failed = inStatus(timerOf('PT10M'), 'failed')
  assert.equal(written(failed, { type: 'retry', ...KEY }, NOW + MINUTE).wakeAt, failed.dueAt)
})

test('replaceLive takes the place of a timer that has not completed, also of one that failed, and leaves a completed one alone', () => {
  const create = createOf(specOf(instant(NOW + 2 * MINUTE)), { onConflict: 'replaceLive' })
  for (const status of [Status.pending, Status.paused, Status.executing, Status.failed]) {
    const before = inStatus(timerOf(instant(NOW + MINUTE)), status)
    const after = decide(before, create, at(NOW))
    assert.deepEqual([after.type, after.timer.dueAt, after.timer.firing], ['write', NOW + 2 * MINUTE, 2])
  }
  const completed = inStatus(timerOf(instant(NOW + MINUTE)), Status.completed)
  assert.deepEqual(decide(completed, create, at(NOW)), { type: 'keep', timer: completed })
  assert.equal(decide(inStatus(timerOf(instant(NOW + MINUTE)), Status.canceled), create, at(NOW)).type, 'write')
})

test('a replaceLive that says the same again makes no second firing', () => {
  const spec = specOf(instant(NOW + MINUTE), { correlationId: 'c1' })
  const before = timerOf(instant(NOW + MINUTE), { correlationId: 'c1' })
  for (const status of [Status.pending, Status.paused, Status.executing]) {
    const there = inStatus(before, status)
    assert.deepEqual(decide(there, createOf(spec, { onConflict: 'replaceLive' }), at(NOW + SECOND)), {
      type: 'keep',
      timer: there,
    })
  }
  for (const changes of [{ correlationId: 'c2' }, { payload: '1' as JsonText }, { timeoutMs: 1 }]) {
    assert.equal(
      decide(before, createOf({ ...spec, ...changes }, { onConflict: 'replaceLive' }), at(NOW)).type,
      'write',
    )
  }
})
