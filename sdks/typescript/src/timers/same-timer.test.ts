import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAsAsked } from './same-timer.ts'
import type { Timer } from './timer.ts'

const TIMER = {
  executeAt: '2030-01-31T09:00:00.000Z',
  callbackUrl: 'https://***@example.com/x',
  callback: { type: 'http', url: 'https://***@example.com/x', headers: { authorization: '***' } },
  payload: { list: [1, { deep: null }], text: 'x' },
  metadata: { team: 'billing' },
} as unknown as Timer

test('one difference makes it another timer', () => {
  const different: Parameters<typeof isAsAsked>[1][] = [
    { executeAt: '2030-01-31T09:00:00.001Z' },
    { schedule: 'PT1H' },
    { callbackUrl: 'https://me:secret@example.com/y' },
    { callback: { type: 'nats', topic: 'a' } },
    { payload: { list: [1, { deep: 0 }], text: 'x' } },
    { payload: { list: [1, { deep: null }] } },
    { payload: [] },
    { payload: null },
    { metadata: { team: 'billing', more: 1 } },
    { metadata: null },
  ]
  for (const asked of different) assert.ok(!isAsAsked(TIMER, asked), JSON.stringify(asked))
})

test('the same said in another way is the same', () => {
  const same: Parameters<typeof isAsAsked>[1][] = [
    {},
    { executeAt: '2030-01-31T10:00:00+01:00' },
    { schedule: '2030-01-31T10:00:00+01:00' },
    { callbackUrl: 'https://me:secret@example.com/x' },
    { callback: { type: 'http', url: 'https://me:secret@example.com/x', headers: { authorization: 'Bearer abc' } } },
    { payload: { text: 'x', list: [1, { deep: null, absent: undefined }] } },
    { metadata: { team: 'billing' } },
  ]
  for (const asked of same) assert.ok(isAsAsked(TIMER, asked), JSON.stringify(asked))
  const nats = { ...TIMER, callback: { type: 'nats', topic: 'a', key: 'b' } } as Timer
  assert.ok(isAsAsked(nats, { callback: { type: 'nats', topic: 'a', key: 'b' } }))
  assert.ok(!isAsAsked(nats, { callback: { type: 'nats', topic: 'a' } }))
})
