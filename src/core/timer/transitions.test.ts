import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEY, NOW, createOf, inStatus, specOf, timerOf, tryDecide } from '../rules/command.fixture.ts'
import type { Command } from '../rules/command.ts'
import { assertTimerInvariants } from '../rules/timer-invariants.ts'
import { Status } from './timer.ts'
import { ALLOWED_IN, TRANSITIONS } from './transitions.ts'
import type { ChangeType } from './transitions.ts'

const STATUSES = Object.values(Status)
const changeOf = (type: ChangeType): Command =>
  type === 'update'
    ? { type, ...KEY, changes: {}, ifVersion: null, minLeadMs: null }
    : type === 'cancel'
      ? { type, ...KEY, ifVersion: null }
      : { type, ...KEY }

/** What each change makes of each status it is allowed in; `kept` when there is nothing to do. */
const BECOMES: Readonly<Record<ChangeType, Partial<Record<Status, Status | 'kept'>>>> = {
  update: { pending: 'pending', paused: 'paused' },
  cancel: { pending: 'canceled', paused: 'canceled' },
  trigger: { pending: 'pending', paused: 'pending' },
  pause: { pending: 'paused', paused: 'kept' },
  resume: { pending: 'kept', paused: 'pending' },
  retry: { failed: 'pending' },
}

for (const type of Object.keys(BECOMES) as ChangeType[]) {
  test(`${type} does in every status what the tables say`, () => {
    assert.deepEqual([...ALLOWED_IN[type]].toSorted(), Object.keys(BECOMES[type]).toSorted())
    for (const status of STATUSES) {
      const before = inStatus(timerOf('PT10M'), status)
      const decision = tryDecide(before, changeOf(type), NOW + 1)
      const expected = BECOMES[type][status]
      if (expected === undefined) assert.deepEqual(decision, { type: 'refused', code: 'TIMER_NOT_PENDING' }, status)
      else if (expected === 'kept') assert.deepEqual(decision, { type: 'keep', timer: before }, status)
      else {
        assert.ok(decision.type === 'write' && decision.timer.status === expected, status)
        assertTimerInvariants(decision.timer, before)
      }
    }
  })
}

test('a replacing create is allowed in every status, and makes a pending timer', () => {
  for (const status of STATUSES) {
    const before = inStatus(timerOf('PT10M'), status)
    const decision = tryDecide(before, createOf(specOf('PT1M')), NOW + 1)
    assert.ok(decision.type === 'write' && decision.timer.status === 'pending', status)
    assertTimerInvariants(decision.timer, before)
  }
})

test('a finished timer never goes on as if nothing had happened', () => {
  for (const status of [Status.completed, Status.failed, Status.canceled]) {
    assert.deepEqual(
      TRANSITIONS[status].filter((next) => next !== Status.canceled),
      [Status.pending],
    )
  }
})

test('what is being delivered cannot be canceled', () => {
  assert.deepEqual([...TRANSITIONS.executing].toSorted(), ['completed', 'failed', 'paused', 'pending'])
})
