import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { Lease } from './lease.ts'

const LEASE_MS = 5_000

function setup() {
  const clock = new ManualClock()
  const lease = new Lease(clock, LEASE_MS)
  return { clock, lease, beat: () => lease.renewed(clock.monotonic()) }
}

test('a node that never reached the store is certain of nothing', () => {
  const { lease } = setup()
  assert.equal(lease.hasBeaten, false)
  assert.equal(lease.isCertain, false)
})

test('certainty ends before the lease does, counted from when the beat was sent', async () => {
  const { clock, lease } = setup()
  const sentAt = clock.monotonic()
  await clock.advance(1_000)
  lease.renewed(sentAt)
  await clock.advance(2_999)
  assert.equal(lease.isCertain, true)
  await clock.advance(1)
  assert.equal(lease.isCertain, false)
})

test('a clock that is set changes nothing', async () => {
  const { clock, lease, beat } = setup()
  beat()
  clock.step(10 * LEASE_MS)
  assert.equal(lease.isCertain, true)
  clock.step(-20 * LEASE_MS)
  await clock.advance(LEASE_MS)
  assert.equal(lease.isCertain, false)
})

test('a node that was away doubts the silence of others for a lease; one that has just been started does not', async () => {
  const { clock, lease, beat } = setup()
  await clock.advance(10 * LEASE_MS)
  beat()
  assert.equal(lease.isInDoubt, false)
  await clock.advance(LEASE_MS)
  beat()
  assert.equal(lease.isInDoubt, true)
  await clock.advance(LEASE_MS - 1)
  assert.equal(lease.isInDoubt, true)
  await clock.advance(1)
  assert.equal(lease.isInDoubt, false)
})

test('a beat that failed is made again sooner, and takes no certainty away', () => {
  const { lease, beat } = setup()
  beat()
  const usualMs = lease.nextBeatMs
  lease.beatFailed()
  assert.ok(lease.nextBeatMs < usualMs)
  assert.equal(lease.isCertain, true)
  beat()
  assert.equal(lease.nextBeatMs, usualMs)
})

test('several beats fit into the time of certainty', () => {
  const { lease } = setup()
  assert.ok(3 * lease.nextBeatMs < LEASE_MS * 0.8)
})
