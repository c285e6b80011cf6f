import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bucketOf, percentile, upperBoundOf, valueOf } from './histogram.ts'

test('there is no percentile of nothing', () => {
  assert.equal(percentile(new Map(), 0.99), null)
})

test('a value read from its bucket is off by an eighth at most, and small ones not at all', () => {
  for (let value = 0; value < 8; value++) assert.equal(valueOf(bucketOf(value)), value)
  const lateness = fc.integer({ min: 0, max: 50 * 365 * 86_400_000 })
  fc.assert(
    fc.property(lateness, (value) =>
      assert.ok(Math.abs(valueOf(bucketOf(value)) - value) <= value / 8 + 1, String(value)),
    ),
  )
})

test('buckets are in the order of the values, and what is later than all of them is in the last', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (a, b) => {
      assert.ok(a > b || bucketOf(a) <= bucketOf(b))
    }),
  )
  assert.equal(bucketOf(Number.MAX_SAFE_INTEGER), bucketOf(1e300))
  assert.equal(bucketOf(-5), 0)
})

test('a percentile is the value that so many do not exceed', () => {
  const counts = new Map([
    [bucketOf(1), 94],
    [bucketOf(5), 5],
    [bucketOf(1_000), 1],
  ])
  assert.deepEqual(
    [0.5, 0.94, 0.95, 0.99].map((share) => percentile(counts, share)),
    [1, 1, 5, 5],
  )
  assert.ok(Math.abs(percentile(counts, 1)! - 1_000) < 125)
})

test('the upper bound of a bucket is its last whole value', () => {
  for (let bucket = 0; bucket < 60; bucket++) {
    assert.equal(bucketOf(upperBoundOf(bucket)), bucket)
    assert.equal(bucketOf(upperBoundOf(bucket) + 1), bucket + 1)
  }
})
