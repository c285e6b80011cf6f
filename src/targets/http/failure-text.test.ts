import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFailure, describeWait } from './failure-text.ts'

const EXCHANGE = { hostname: 'a.example', responseStarted: false }

test('every failure of the network is told in words, with its code', () => {
  const told: [string, string][] = [
    ['ECONNREFUSED', 'connection refused (ECONNREFUSED)'],
    ['ENOTFOUND', 'DNS lookup failed for a.example (ENOTFOUND)'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timed out while connecting (ETIMEDOUT)'],
    ['EHOSTUNREACH', 'host unreachable (EHOSTUNREACH)'],
    ['ECONNRESET', 'connection closed before a response (ECONNRESET)'],
    ['UND_ERR_SOCKET', 'connection closed before a response'],
    ['CERT_HAS_EXPIRED', 'TLS certificate not accepted: what node said (CERT_HAS_EXPIRED)'],
    ['EPROTO', 'TLS handshake failed (EPROTO): is this an https port?'],
    ['EMFILE', 'what node said (EMFILE)'],
  ]
  for (const [code, text] of told)
    assert.equal(describeFailure(Object.assign(new Error('what node said'), { code }), EXCHANGE), text)
})

test('an error without a code keeps its message, on one line and bounded', () => {
  assert.equal(describeFailure(new Error('one\n  two'), EXCHANGE), 'one two')
  assert.equal(describeFailure(new Error('x'.repeat(10_000)), EXCHANGE).length, 201)
})

test('addresses that failed together are told by the first of them', () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  assert.equal(
    describeFailure(new AggregateError([refused, new Error('other')]), EXCHANGE),
    'connection refused (ECONNREFUSED)',
  )
})

test('waits read as seconds', () => {
  assert.deepEqual([30_000, 1_500, 1, 3_600_000].map(describeWait), ['30s', '1.5s', '0.001s', '3600s'])
})
