import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '../runtime/logger.ts'
import { ManualClock } from '../runtime/manual-clock.ts'
import { checkParts } from './readiness.ts'

function setup({ reasons = true } = {}) {
  const clock = new ManualClock()
  return { clock, context: { clock, logger: silentLogger(), reasons } }
}

test('a part that says nothing is not ready after 2 seconds, and the others are as they are', async () => {
  const { clock, context } = setup()
  const asked = checkParts({ store: () => new Promise(() => {}), cluster: () => {} }, context)
  await clock.advance(2_000)
  assert.deepEqual(await asked, { store: 'no answer within 2 seconds', cluster: 'ok' })
})

test('a part that fails, at once or later, says why to those who may know', async () => {
  const fail = (): never => {
    throw new Error('secret host is down')
  }
  const checks = { now: fail, later: async () => fail() }
  assert.deepEqual(await checkParts(checks, setup().context), { now: 'secret host is down', later: 'secret host is down' })
  assert.deepEqual(await checkParts(checks, setup({ reasons: false }).context), { now: 'failed', later: 'failed' })
})

test('parts that are well leave nothing waiting', async () => {
  const { clock, context } = setup()
  assert.deepEqual(await checkParts({ store: async () => {}, cluster: () => {} }, context), { store: 'ok', cluster: 'ok' })
  assert.equal(clock.waiting, 0)
})
