// What the driver throws is judged here, made of its own classes: a healthy server seldom shows it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errors, types } from 'cassandra-driver'
import { storeError as made } from '../keyed/attempts.ts'
import { kindOf, nullIfRefused } from './failures.ts'

const { responseErrorCodes: codes } = types
const storeError = (error: unknown, mayBeDone: boolean) =>
  made({ database: 'Cassandra', place: 'here', kindOf }, error, mayBeDone)
const said = (code: number) => new errors.ResponseError(code, 'said')
const cut = () => Object.assign(new Error('socket was closed'), { isSocketError: true })
const CAS_WRITE_UNKNOWN = 0x1700

test('a time-out, a failure on the way and a lost connection leave the outcome unknown', () => {
  const lost = [
    said(codes.writeTimeout),
    said(codes.writeFailure),
    said(codes.readTimeout),
    said(codes.overloaded),
    said(codes.serverError),
    said(CAS_WRITE_UNKNOWN),
    new errors.OperationTimedOutError('no answer', 'host'),
    cut(),
  ]
  for (const error of lost) {
    assert.equal(kindOf(error), 'lost', error.message)
    assert.equal(storeError(error, true).retryable, true)
  }
})

test('what no replica or no node could take was not done, and is tried again', () => {
  for (const error of [said(codes.unavailableException), new errors.NoHostAvailableError({ a: cut() }, 'none')]) {
    assert.equal(kindOf(error), 'away')
    const { retryable, outcomeUnknown } = storeError(error, false)
    assert.deepEqual([retryable, outcomeUnknown], [true, false])
  }
})

test('a read that replicas refuse is known from one that got no quorum or no answer in time', () => {
  assert.equal(nullIfRefused(said(codes.readFailure)), null)
  for (const code of [codes.unavailableException, codes.readTimeout, codes.overloaded])
    assert.throws(() => nullIfRefused(said(code)), { code })
})

test('wrong credentials, rights and statements are final', () => {
  const refused = new errors.AuthenticationError('bad password')
  const final = [
    refused,
    new errors.NoHostAvailableError({ a: refused }, 'none'),
    said(codes.unauthorized),
    said(codes.syntaxError),
    said(codes.invalid),
    new TypeError('not a map'),
  ]
  for (const error of final) {
    assert.equal(kindOf(error), 'malformed', error.message)
    assert.equal(storeError(error, false).retryable, false)
  }
})
