import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  at,
  createOf,
  FAILED,
  GONE,
  inStatus,
  KEY,
  MINUTE,
  NOW,
  specOf,
  timerOf,
  tryDecide,
} from './command.fixture.ts'
import { OnConflict } from './command.ts'
import { decide } from './decide.ts'
import { LifecycleEventType, lifecycleEvents } from '../events/lifecycle-event.ts'
import { settle } from './settle.ts'
import { talliesOf } from '../statistics/tallies.ts'
import { assertTimerInvariants } from './timer-invariants.ts'
import { Status } from '../timer/timer.ts'
import type { Timer } from '../timer/timer.ts'

const place = (sequence: number, stream = 'S') => ({ stream, sequence })
const cancel = (sequence: number) => ({ type: 'cancel', ...KEY, ifVersion: null, place: place(sequence) }) as const
const schedule = (sequence: number, stream?: string) => ({
  ...createOf(specOf('PT1M')),
  place: place(sequence, stream),
})
const followed = (status: Status, sequence: number): Timer => ({
  ...inStatus(timerOf('PT10M'), status),
  lastCommand: place(sequence),
})
const ALL = new Set(Object.values(LifecycleEventType))

test('a command that was sent before the last one followed, or is that one, changes nothing in any status', () => {
  for (const status of Object.values(Status)) {
    const timer = followed(status, 5)
    for (const command of [schedule(4), schedule(5), cancel(4), cancel(5)]) {
      assert.deepEqual(tryDecide(timer, command, NOW), { type: 'keep', timer }, `${command.type} in ${status}`)
    }
  }
})

test('numbers of another stream are not compared', () => {
  const decision = tryDecide(followed(Status.pending, 5), schedule(1, 'T'), NOW)
  assert.deepEqual(decision.type === 'write' && decision.timer.lastCommand, place(1, 'T'))
})

test('a cancel from a stream is remembered where there is nothing to cancel, and nothing is told or counted of it', () => {
  for (const before of [null, followed(Status.canceled, 5)]) {
    const decision = tryDecide(before, cancel(6), NOW)
    assert.ok(decision.type === 'write' && decision.timer.status === Status.canceled)
    assert.deepEqual(decision.timer.lastCommand, place(6))
    assertTimerInvariants(decision.timer, before)
    assert.deepEqual(lifecycleEvents(before, decision.timer, ALL), [])
    assert.deepEqual(talliesOf(before, decision.timer), [])
  }
})

test('a timer whose event nobody got is scheduled still, and can be canceled', () => {
  const before = followed(Status.failed, 5)
  const decision = tryDecide(before, cancel(6), NOW)
  assert.ok(decision.type === 'write' && decision.timer.status === Status.canceled)
  assertTimerInvariants(decision.timer, before)
  assert.deepEqual(
    lifecycleEvents(before, decision.timer, ALL).map(({ type }) => type),
    ['canceled'],
  )
})

test('other entry points keep the place, and a cancel of theirs needs a timer', () => {
  const timer = followed(Status.pending, 5)
  for (const command of [
    createOf(specOf('PT1M')),
    { type: 'cancel', ...KEY, ifVersion: null } as const,
    { type: 'pause', ...KEY } as const,
  ]) {
    const decision = tryDecide(timer, command, NOW)
    assert.deepEqual(decision.type === 'write' && decision.timer.lastCommand, place(5))
  }
  assert.deepEqual(tryDecide(null, { type: 'cancel', ...KEY, ifVersion: null }, NOW), {
    type: 'refused',
    code: 'TIMER_NOT_FOUND',
  })
})

const replaceLive = (minutes: number, sequence: number) => ({
  ...createOf(specOf(new Date(NOW + minutes * MINUTE).toISOString())),
  onConflict: OnConflict.replaceLive,
  place: place(sequence),
})

test('a create that asks for what is there outdates those that were sent before it, and nothing is told or counted of it', () => {
  for (const status of [Status.pending, Status.paused, Status.executing, Status.completed]) {
    const before = inStatus(decide(null, replaceLive(10, 1), at(NOW)).timer, status)
    const repeated = decide(before, replaceLive(10, 5), at(NOW + 1))
    assert.deepEqual(repeated, { type: 'write', timer: { ...before, version: 2, lastCommand: place(5) } })
    assertTimerInvariants(repeated.timer, before)
    assert.deepEqual([lifecycleEvents(before, repeated.timer, ALL), talliesOf(before, repeated.timer)], [[], []])
    assert.equal(decide(repeated.timer, replaceLive(20, 3), at(NOW + 2)).type, 'keep')
    assert.equal(decide(repeated.timer, replaceLive(10, 5), at(NOW + 2)).type, 'keep')
  }
})

test('a cancel that meets a delivery outdates what was sent before it, and cancels what is left when it comes again', () => {
  const pending = decide(null, replaceLive(10, 1), at(NOW)).timer
  const executing = inStatus(pending, Status.executing)
  const refused = decide(executing, cancel(4), at(pending.dueAt))
  assert.ok(refused.type === 'refuse' && refused.error.code === 'TIMER_NOT_PENDING')
  assertTimerInvariants(refused.timer, pending)
  assert.deepEqual(
    tryDecide(refused.timer, cancel(4), NOW),
    { type: 'refused', code: 'TIMER_NOT_PENDING' },
    'it is remembered once',
  )
  for (const outcome of [FAILED, GONE]) {
    const failed = settle(refused.timer, { startedAt: pending.dueAt, durationMs: 1, outcome }, at(pending.dueAt + 1))
    assert.equal(decide(failed, replaceLive(20, 3), at(pending.dueAt + 2)).type, 'keep')
    assert.equal(decide(failed, cancel(4), at(pending.dueAt + 3)).timer.status, 'canceled')
  }
})
