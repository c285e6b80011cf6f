import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median, percentile, spreadOf } from './statistics.ts'

test('nothing has no median and no percentile', () => {
  assert.throws(() => median([]), /no values/)
  assert.throws(() => percentile([], 0.5), /no values/)
})

test('the median of an even number of rounds is a round that happened', () => {
  assert.equal(median([4, 1, 3, 2]), 2)
  assert.equal(median([9, 1, 5]), 5)
})

test('a percentile is the smallest value that so many do not exceed', () => {
  const values = Float64Array.from({ length: 200 }, (_, index) => 200 - index)
  assert.deepEqual(spreadOf(values), { count: 200, min: 1, p50: 100, p99: 198, max: 200 })
})
