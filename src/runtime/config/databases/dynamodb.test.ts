import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDynamodbUrl } from './dynamodb.ts'

test('a DynamoDB URL without region, table or sense is refused with the right form', () => {
  for (const url of [
    'dynamodb:',
    'dynamodb://',
    'dynamodb://eu-central-1',
    'dynamodb://eu-central-1/ab',
    'dynamodb://r/t able',
  ])
    assert.throws(
      () => parseDynamodbUrl(url),
      { name: 'RangeError', message: /dynamodb:\/\/eu-central-1\/duetime/ },
      url,
    )
  assert.throws(() => parseDynamodbUrl('dynamodb://r/table?region=x'), /`region` is not known/)
  assert.throws(() => parseDynamodbUrl('dynamodb://r/table?endpoint=localhost'), /endpoint is an http or https URL/)
})

test('credentials do not belong into a DynamoDB URL, and are not repeated', () => {
  assert.throws(
    () => parseDynamodbUrl('dynamodb://key:secret@r/table'),
    (error: Error) => {
      assert.match(error.message, /without credentials/)
      assert.doesNotMatch(error.message, /key:secret/)
      return true
    },
  )
})

test('a DynamoDB URL names region, table and perhaps an endpoint', () => {
  assert.deepEqual(parseDynamodbUrl('dynamodb://eu-central-1/duetime'), {
    region: 'eu-central-1',
    table: 'duetime',
    endpoint: null,
  })
  assert.deepEqual(parseDynamodbUrl('dynamodb://local/my.table_1?endpoint=http%3A%2F%2F127.0.0.1%3A8000%2F'), {
    region: 'local',
    table: 'my.table_1',
    endpoint: 'http://127.0.0.1:8000',
  })
})
