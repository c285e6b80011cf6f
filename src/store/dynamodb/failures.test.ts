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
import { storeError as made } from '../keyed/attempts.ts'
import { kindOf, messageOf, refusalsIn } from './failures.ts'

const storeError = (error: unknown, mayBeDone: boolean) =>
  made({ database: 'DynamoDB', place: 'here', kindOf, messageOf }, error, mayBeDone)

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
    assert.equal(kindOf(error), 'busy')
    const { retryable, outcomeUnknown, isFull } = storeError(error, false)
    assert.deepEqual([retryable, outcomeUnknown, isFull], [true, false, false])
  }
})

test('a partition that is full says so', () => {
  for (const error of [
    new ItemCollectionSizeLimitExceededException(said(400)),
    canceled('ItemCollectionSizeLimitExceeded'),
  ]) {
    assert.equal(kindOf(error), 'full')
    assert.equal(storeError(error, false).isFull, true)
  }
})

test('an answer that got lost, or an error inside the service, leaves the outcome unknown, also for the attempts after it', () => {
  const cut = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  for (const error of [cut, new InternalServerError(said(500))]) {
    assert.equal(kindOf(error), 'lost')
    assert.equal(storeError(error, false).outcomeUnknown, true)
  }
  const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  assert.equal(kindOf(away), 'away')
  assert.equal(storeError(away, false).outcomeUnknown, false)
  assert.equal(storeError(away, true).outcomeUnknown, true)
})

test('a condition that was not met is no failure', () => {
  assert.deepEqual(
    refusalsIn(canceled('None', 'ConditionalCheckFailed')).map(({ isInTheWay }) => isInTheWay),
    [false, true],
  )
  assert.throws(() => refusalsIn(canceled('TransactionConflict')), TransactionCanceledException)
})
