import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERROR_CATALOGUE } from '../../core/errors.ts'
import { notOwner } from './owned-rows.ts'

test('what clients are told while a timer moves says what to do, and nothing of how the service is built', () => {
  const told = [notOwner().message, ...Object.values(ERROR_CATALOGUE).map(({ help }) => help)]
  for (const text of told) assert.doesNotMatch(text, /shard|epoch|\bowns?\b|fenc/i)
  assert.match(notOwner().message, /nothing was done.*try again/)
})
