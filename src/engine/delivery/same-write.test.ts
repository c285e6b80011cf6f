import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, createOf, DELIVERED, FAILED, KEY, NOW, specOf, timerOf } from '../../core/rules/command.fixture.ts'
import { decide } from '../../core/rules/decide.ts'
import { stepAtDue } from '../../core/rules/due/due-step.ts'
import { DEFAULT_RETRY } from '../../core/rules/retry.ts'
import { settleRunning } from '../../core/rules/running/settle-running.ts'
import { settle } from '../../core/rules/settle.ts'
import { deliveryId } from '../../core/timer/ids.ts'
import { Overlap } from '../../core/timer/timer.ts'
import { remoteDelivery } from './remote-delivery.ts'
import { attemptIdentity, isAtAttempt, isSameWrite } from './same-write.ts'

/** One firing runs beside the current one, which is being delivered as well. */
function besideEachOther() {
  const { timer } = decide(null, createOf({ ...specOf('R/PT1M'), overlap: Overlap.allow }), at(NOW))
  const row = stepAtDue(timer, at(timer.dueAt))!
  const ended = { startedAt: row.dueAt, durationMs: 5, outcome: FAILED }
  return { row, ended, context: at(row.dueAt + 5), running: row.running!.firings[0]!.firing }
}

test('outcomes of two firings that began and ended in the same milliseconds are not taken for one', () => {
  const { row, ended, context, running } = besideEachOther()
  const own = settle(row, ended, context)
  const beside = settleRunning(row, running, { ...ended, outcome: DELIVERED }, context)!
  assert.deepEqual([own.version, own.updatedAt, own.executedAt], [beside.version, beside.updatedAt, beside.executedAt])
  assert.equal(isSameWrite(beside, own), false)
  assert.equal(isSameWrite({ ...own }, own), true)
})

test('a delivery at another node is known although others of its timer were stored meanwhile', () => {
  const { row, ended, context, running } = besideEachOther()
  const delivery = remoteDelivery(row, 'a')
  assert.equal(delivery.deliveryId, deliveryId(row))
  const later = { ...settleRunning(row, running, ended, context)!, version: row.version + 3 }
  assert.equal(isAtAttempt(later, delivery), true)
})

test('a firing that a retry has begun anew is not taken for the attempt that had failed', () => {
  const timer = timerOf('PT1M', { retry: { ...DEFAULT_RETRY, maxAttempts: 1 } })
  const failed = settle(timer, { startedAt: timer.dueAt, durationMs: 5, outcome: FAILED }, at(timer.dueAt + 5))
  const { timer: anew } = decide(failed, { type: 'retry', ...KEY }, at(timer.dueAt + 10))
  const [first, next] = [attemptIdentity(timer), attemptIdentity(anew)]
  assert.deepEqual([next.deliveryId, next.attempt], [first.deliveryId, first.attempt])
  assert.deepEqual(
    [isAtAttempt(failed, first), isAtAttempt(anew, first), isAtAttempt(anew, next)],
    [false, false, true],
  )
})
