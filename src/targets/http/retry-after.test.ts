import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RETRY_DURATION_MAX_MS } from '../../core/limits.ts'
import { parseRetryAfter } from './retry-after.ts'

const NOW = Date.UTC(2026, 9, 21, 7, 28, 0)

test('what cannot be understood is no wish to wait', () => {
  for (const text of [undefined, '', 'soon', '-5', '1.5', '5 apples', '2026-10-21', 'Wed, 41 Oct 2026 07:28:00 GMT']) {
    assert.equal(parseRetryAfter(text, NOW), null, String(text))
  }
})

test('seconds and HTTP dates are waits in milliseconds', () => {
  assert.equal(parseRetryAfter(' 120 ', NOW), 120_000)
  assert.equal(parseRetryAfter('0', NOW), 0)
  assert.equal(parseRetryAfter('Wed, 21 Oct 2026 07:28:30 GMT', NOW), 30_000)
})

test('a date in the past is no wait, and a wait beyond any policy is cut to the longest', () => {
  assert.equal(parseRetryAfter('Wed, 21 Oct 2015 07:28:00 GMT', NOW), 0)
  assert.equal(parseRetryAfter('9999999999', NOW), RETRY_DURATION_MAX_MS)
})
