import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, createOf, DELIVERED, FAILED, NOW, specOf } from '../../core/rules/command.fixture.ts'
import { decide } from '../../core/rules/decide.ts'
import { stepAtDue } from '../../core/rules/due/due-step.ts'
import { settleRunning } from '../../core/rules/running/settle-running.ts'
import { settle } from '../../core/rules/settle.ts'
import { deliveryId } from '../../core/timer/ids.ts'
import { Overlap } from '../../core/timer/timer.ts'
import { isAttemptOf, remoteDelivery } from './remote-delivery.ts'
import { isSameWrite } from './same-write.ts'

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
  assert.equal(isAttemptOf(later, delivery), true)
})
