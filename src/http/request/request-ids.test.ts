import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { requestIds } from './request-ids.ts'

const request = (id?: string) =>
  ({ headers: id === undefined ? {} : { 'x-request-id': id } }) as unknown as IncomingMessage

test('an id that is long, empty or not plain is not taken over', () => {
  const idOf = requestIds()
  for (const id of ['', 'x'.repeat(129), 'a b', 'a\nb', '"', '<script>', 'ü', '{}'])
    assert.match(idOf(request(id)), /^req_[\da-z]+$/)
})

test('a plain id is taken over, and made ones are all different', () => {
  const idOf = requestIds()
  for (const id of ['a', 'req_1641998402500', '7f1c:2.b-c', 'x'.repeat(128)]) assert.equal(idOf(request(id)), id)
  assert.equal(new Set(Array.from({ length: 100 }, () => idOf(request()))).size, 100)
})
