// DynamoDB Local never throttles and is never full, so what the SDK throws then is judged here, made of its own classes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  InternalServerError,
  ItemCollectionSizeLimitExceededException,
  ProvisionedThroughputExceededException,
  ThrottlingException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import { failureKind, refusalOf, storeError } from './failures.ts'

const said = (httpStatusCode: number) => ({ message: 'said', $metadata: { httpStatusCode } })
const canceled = (...codes: readonly string[]) =>
  new TransactionCanceledException({ ...said(400), CancellationReasons: codes.map((Code) => ({ Code })) })

test('what was throttled or in conflict was not done, and is tried again', () => {
  const errors = [
    new ThrottlingException(said(400)),
    new ProvisionedThroughputExceededException(said(400)),
    canceled('None', 'ThrottlingError'),
    canceled('TransactionConflict', 'None', 'ProvisionedThroughputExceeded'),
  ]
  for (const error of errors) {
    assert.equal(failureKind(error), 'busy')
    const { retryable, outcomeUnknown, isFull } = storeError(error, 'here', false)
    assert.deepEqual([retryable, outcomeUnknown, isFull], [true, false, false])
  }
})

test('a partition that is full says so', () => {
  for (const error of [
    new ItemCollectionSizeLimitExceededException(said(400)),
    canceled('ItemCollectionSizeLimitExceeded'),
  ]) {
    assert.equal(failureKind(error), 'full')
    assert.equal(storeError(error, 'here', false).isFull, true)
  }
})

test('an answer that got lost, or an error inside the service, leaves the outcome unknown, also for the attempts after it', () => {
  const cut = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  for (const error of [cut, new InternalServerError(said(500))]) {
    assert.equal(failureKind(error), 'lost')
    assert.equal(storeError(error, 'here', false).outcomeUnknown, true)
  }
  const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  assert.equal(failureKind(away), 'away')
  assert.equal(storeError(away, 'here', false).outcomeUnknown, false)
  assert.equal(storeError(away, 'here', true).outcomeUnknown, true)
})

test('a condition that was not met is no failure', () => {
  const refusal = refusalOf(canceled('None', 'ConditionalCheckFailed'), true)!
  assert.deepEqual(
    refusal.reasons.map(({ isInTheWay }) => isInTheWay),
    [false, true],
  )
  assert.equal(refusal.mayBeDone, true)
  assert.equal(refusalOf(canceled('TransactionConflict'), false), null)
})
