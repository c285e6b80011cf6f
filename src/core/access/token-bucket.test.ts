import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fullBucket, take } from './token-bucket.ts'
import type { Taken } from './token-bucket.ts'

const LIMIT = { perSecond: 10, burst: 3 }

/** Takes one at each of these times. */
function takeAt(times: readonly number[], limit = LIMIT): Taken[] {
  let bucket = fullBucket(limit, 0)
  return times.map((now) => {
    const taken = take(bucket, limit, now)
    bucket = taken.bucket
    return taken
  })
}

test('an empty bucket refuses, says how long to wait, and lets the next one through exactly then', () => {
  const [, , last, refused, early, inTime] = takeAt([0, 0, 0, 0, 99, 100])
  assert.deepEqual([last!.allowed, last!.remaining, last!.retryAfterMs], [true, 0, 100])
  assert.deepEqual([refused!.allowed, refused!.retryAfterMs, refused!.fullAfterMs], [false, 100, 300])
  assert.deepEqual([early!.allowed, Math.round(early!.retryAfterMs)], [false, 1])
  assert.equal(inTime!.allowed, true)
})

test('refused requests do not make the wait longer', () => {
  const taken = takeAt([0, 0, 0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100])
  assert.equal(taken.filter(({ allowed }) => allowed).length, 4)
})

test('it fills up to its size and no further', () => {
  const [, afterAnHour] = takeAt([0, 3_600_000])
  assert.equal(afterAnHour!.remaining, 2)
})

test('over any stretch no more get through than the burst and the rate allow, and no fewer', () => {
  const limit = fc.record({ perSecond: fc.integer({ min: 1, max: 1_000 }), burst: fc.integer({ min: 1, max: 50 }) })
  fc.assert(
    fc.property(limit, fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 200 }), (one, gaps) => {
      let now = 0
      const times = gaps.map((gap) => (now += gap))
      const allowed = takeAt(times, one).filter((taken) => taken.allowed).length
      assert.ok(allowed <= one.burst + (now * one.perSecond) / 1_000 + 1e-6)
      assert.ok(allowed >= Math.min(times.length, one.burst))
    }),
  )
})
