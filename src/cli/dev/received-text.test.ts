import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receivedText } from './received-text.ts'
import type { Received } from './sink.ts'

const BODY = {
  id: 'hello',
  namespace: 'default',
  payload: { to: 'you' },
  executeAt: '2026-01-01T00:00:00.000Z',
  firedAt: '2026-01-01T00:00:00.003Z',
  attempt: 1,
}

function shown(body: unknown, more: Partial<Received> = {}): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = { host: 'x', 'content-type': 'application/json', 'webhook-id': 'abc-1', 'x-mine': 'yes' }
  const request = { at: Date.UTC(2026, 0, 1), method: 'POST', path: '/hook', headers, body: text }
  return receivedText({ ...request, signature: 'verified', status: 200, ...more }, (_, plain) => plain)
}

test('a body that is no callback is shown as it is, with what a terminal would obey made visible', () => {
  assert.match(
    shown('hi \u001B[2J'),
    /→ 200\n {4}webhook-id abc-1 · signature verified · x-mine: yes\n {4}hi \\u001b\[2J\n$/,
  )
  assert.match(shown('', { status: 400, signature: 'missing', headers: {} }), /→ 400\n {4}not signed\n$/)
})

test('a callback is shown with its timer, how late it is, its own headers and its payload', () => {
  assert.equal(
    shown(BODY),
    '2026-01-01 00:00:00.000  hello  POST /hook  → 200\n' +
      '    due 2026-01-01T00:00:00.000Z, 3ms late · namespace default · attempt 1\n' +
      '    webhook-id abc-1 · signature verified · x-mine: yes\n' +
      '    {"to":"you"}\n',
  )
})

test('a repeated attempt is not called late, and a wrong signature is hard to overlook', () => {
  assert.match(
    shown({ ...BODY, attempt: 2, firedAt: '2026-01-01T00:00:31.000Z' }),
    /31s ago · namespace default · attempt 2/,
  )
  assert.match(shown(BODY, { signature: 'wrong' }), /signature WRONG/)
})

test('the callbacks of the contract cycles are understood too', () => {
  const body = {
    timer_id: 't',
    tenant_id: 'a',
    fired_at: BODY.executeAt,
    scheduled_at: BODY.executeAt,
    iteration: 2,
    metadata: { k: 1 },
  }
  assert.match(
    shown(body),
    / {2}t {2}POST.*\n {4}due 2026-01-01T00:00:00.000Z, on time · namespace a · iteration 2\n.*\n {4}\{"k":1\}/,
  )
})

test('nothing that somebody sends gets to the terminal as it is', () => {
  const evil = 'x\u001B]0;owned\u0007\u009B2J'
  const body = { ...BODY, id: evil, namespace: evil, executeAt: evil, firedAt: evil, payload: { [evil]: evil } }
  const headers = { 'webhook-id': evil, 'x-mine': evil }
  const text =
    shown(body, { path: `/${evil}`, headers }) +
    shown(evil, { headers, path: `/?${evil}` }) +
    shown({ ...body, id: undefined, timer_id: evil, tenant_id: evil })
  assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u)
})
