import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoffMs, parseRetryAfter } from './backoff.ts'

test('waits grow up to a bound and are anywhere below it', () => {
  const longest = (retry: number) => backoffMs(retry, null, () => 1)
  assert.deepEqual([0, 1, 2, 3, 10, 1_000].map(longest), [100, 200, 400, 800, 5_000, 5_000])
  assert.equal(
    backoffMs(5, null, () => 0),
    0,
  )
})

test('what the server asks for is never cut short', () => {
  assert.equal(
    backoffMs(0, 7_000, () => 0),
    7_000,
  )
  assert.equal(
    backoffMs(20, 7_000, () => 1),
    7_500,
  )
})

test('Retry-After is seconds or a date, and anything else is nothing', () => {
  const now = Date.parse('2030-01-31T09:00:00Z')
  assert.equal(parseRetryAfter('2', now), 2_000)
  assert.equal(parseRetryAfter('Thu, 31 Jan 2030 09:00:05 GMT', now), 5_000)
  assert.equal(parseRetryAfter('Thu, 31 Jan 2030 08:00:00 GMT', now), 0)
  for (const text of [null, '', 'soon']) assert.equal(parseRetryAfter(text, now), null)
})
