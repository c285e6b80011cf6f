import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOf, inStatus, KEY, NOW, specOf, timerOf, tryDecide } from './command.fixture.ts'
import { LifecycleEventType, lifecycleEvents } from './lifecycle-event.ts'
import { talliesOf } from './tallies.ts'
import { assertTimerInvariants } from './timer-invariants.ts'
import { Status } from './timer.ts'
import type { Timer } from './timer.ts'

const place = (sequence: number, stream = 'S') => ({ stream, sequence })
const cancel = (sequence: number) => ({ type: 'cancel', ...KEY, ifVersion: null, place: place(sequence) }) as const
const schedule = (sequence: number, stream?: string) => ({ ...createOf(specOf('PT1M')), place: place(sequence, stream) })
const followed = (status: Status, sequence: number): Timer => ({ ...inStatus(timerOf('PT10M'), status), lastCommand: place(sequence) })
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
  assert.deepEqual(lifecycleEvents(before, decision.timer, ALL).map(({ type }) => type), ['canceled'])
})

test('other doors keep the place, and a cancel of theirs needs a timer', () => {
  const timer = followed(Status.pending, 5)
  for (const command of [createOf(specOf('PT1M')), { type: 'cancel', ...KEY, ifVersion: null } as const, { type: 'pause', ...KEY } as const]) {
    const decision = tryDecide(timer, command, NOW)
    assert.deepEqual(decision.type === 'write' && decision.timer.lastCommand, place(5))
  }
  assert.deepEqual(tryDecide(null, { type: 'cancel', ...KEY, ifVersion: null }, NOW), { type: 'refused', code: 'TIMER_NOT_FOUND' })
})
