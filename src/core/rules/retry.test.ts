import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RETRIES_MAX, RETRY_DURATION_MAX_MS, RETRY_INTERVAL_MAX_MS, RETRY_MULTIPLIER_MAX } from '../limits.ts'
import { DEFAULT_RETRY, SINGLE_ATTEMPT, backoffMs, nextAttemptAt, sameRetryPolicy } from './retry.ts'
import type { RetryPolicy } from '../timer/retry-policy.ts'
import type { FailedAttempt } from './retry.ts'

const NOW = Date.UTC(2026, 0, 31)
const first: FailedAttempt = { attempts: 1, firstAttemptAt: NOW, retryAfterMs: null, waitMinMs: 1, spread: 0 }

const policies: fc.Arbitrary<RetryPolicy> = fc.record({
  maxAttempts: fc.integer({ min: 1, max: RETRIES_MAX + 1 }),
  initialIntervalMs: fc.integer({ min: 1_000, max: RETRY_INTERVAL_MAX_MS }),
  multiplier: fc.double({ min: 1, max: RETRY_MULTIPLIER_MAX, noNaN: true }),
  maxIntervalMs: fc.integer({ min: 1_000, max: RETRY_INTERVAL_MAX_MS }),
  maxDurationMs: fc.integer({ min: 0, max: RETRY_DURATION_MAX_MS }),
})
const failures: fc.Arbitrary<FailedAttempt> = fc.record({
  attempts: fc.integer({ min: 1, max: RETRIES_MAX + 1 }),
  firstAttemptAt: fc.integer({ min: NOW - RETRY_DURATION_MAX_MS, max: NOW }),
  retryAfterMs: fc.option(fc.integer({ min: 0, max: RETRY_DURATION_MAX_MS })),
  waitMinMs: fc.constant(1),
  spread: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
})

test('there is no attempt after the last one', () => {
  assert.equal(nextAttemptAt(SINGLE_ATTEMPT, first, NOW), null)
  assert.equal(nextAttemptAt(DEFAULT_RETRY, { ...first, attempts: DEFAULT_RETRY.maxAttempts }, NOW), null)
  assert.notEqual(nextAttemptAt(DEFAULT_RETRY, { ...first, attempts: DEFAULT_RETRY.maxAttempts - 1 }, NOW), null)
})

test('an attempt at the very end of the total duration is made, a millisecond later none', () => {
  const policy = { ...DEFAULT_RETRY, maxDurationMs: 30_000 }
  assert.equal(nextAttemptAt(policy, first, NOW), NOW + 30_000)
  assert.equal(nextAttemptAt(policy, { ...first, firstAttemptAt: NOW - 1 }, NOW), null)
})

test('the wait grows by the multiplier and stops growing at the maximum', () => {
  assert.deepEqual(
    Array.from({ length: 7 }, (_, n) => backoffMs(DEFAULT_RETRY, n + 1) / 1_000),
    [30, 60, 120, 240, 480, 600, 600],
  )
})

test('a wait of part of a millisecond is rounded up, never down', () => {
  const policy = { ...DEFAULT_RETRY, initialIntervalMs: 1_001, multiplier: 1.2 }
  assert.equal(nextAttemptAt(policy, { ...first, attempts: 2 }, NOW), NOW + 1_202)
})

test('jitter adds up to a tenth and takes nothing away', () => {
  assert.equal(nextAttemptAt(DEFAULT_RETRY, { ...first, spread: 0.5 }, NOW), NOW + 31_500)
  assert.equal(nextAttemptAt(DEFAULT_RETRY, { ...first, spread: 1 - 2 ** -32 }, NOW), NOW + 33_000)
})

test('the least wait that is allowed has its jitter, too, and ends with the policy', () => {
  const policy = { ...DEFAULT_RETRY, initialIntervalMs: 1 }
  assert.equal(nextAttemptAt(policy, { ...first, waitMinMs: 1_000, spread: 0.5 }, NOW), NOW + 1_050)
  assert.equal(nextAttemptAt({ ...policy, maxDurationMs: 500 }, { ...first, waitMinMs: 1_000 }, NOW), null)
})

test('the next attempt keeps the policy interval, the maximum with its jitter, the total duration and Retry-After', () => {
  fc.assert(
    fc.property(policies, failures, (policy, failed) => {
      const at = nextAttemptAt(policy, failed, NOW)
      assert.equal(nextAttemptAt(policy, failed, NOW), at)
      if (at === null) {
        const latest = NOW + backoffMs(policy, failed.attempts) * 1.1 + 1
        assert.ok(
          failed.attempts >= policy.maxAttempts || latest - failed.firstAttemptAt > policy.maxDurationMs,
          'gave up too soon',
        )
        return
      }
      const delayMs = at - NOW
      assert.ok(Number.isSafeInteger(at) && failed.attempts < policy.maxAttempts)
      const isLast = at === failed.firstAttemptAt + policy.maxDurationMs
      assert.ok(delayMs >= backoffMs(policy, failed.attempts) && (isLast || delayMs >= (failed.retryAfterMs ?? 0)))
      assert.ok(delayMs >= Math.min(policy.initialIntervalMs, policy.maxIntervalMs))
      // Rounding up to the whole millisecond is all that may come on top.
      assert.ok(delayMs < Math.max(policy.maxIntervalMs * 1.1, failed.retryAfterMs ?? 0) + 1)
      assert.ok(at - failed.firstAttemptAt <= policy.maxDurationMs)
    }),
    { numRuns: 1_000 },
  )
})

test('Retry-After can only make the wait longer', () => {
  fc.assert(
    fc.property(policies, failures, (policy, failed) => {
      const asked = nextAttemptAt(policy, failed, NOW)
      const unasked = nextAttemptAt(policy, { ...failed, retryAfterMs: null }, NOW)
      if (unasked === null) assert.equal(asked, null)
      else
        assert.equal(
          asked,
          Math.min(Math.max(unasked, NOW + (failed.retryAfterMs ?? 0)), failed.firstAttemptAt + policy.maxDurationMs),
        )
    }),
  )
})

test('policies are the same when all their values are', () => {
  assert.ok(sameRetryPolicy(DEFAULT_RETRY, { ...DEFAULT_RETRY }))
  for (const key of Object.keys(DEFAULT_RETRY) as (keyof RetryPolicy)[]) {
    assert.ok(!sameRetryPolicy(DEFAULT_RETRY, { ...DEFAULT_RETRY, [key]: DEFAULT_RETRY[key] + 1 }), key)
  }
})
