import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { startSink } from './sink.ts'
import type { Received } from './sink.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

async function setup(t: TestContext) {
  const received: Received[] = []
  const secret = `whsec_${Buffer.alloc(32).toString('base64')}`
  const sink = await startSink({
    port: 0,
    clock: new ManualClock(),
    secret,
    bodyMaxBytes: 1_000,
    onReceived: (one) => void received.push(one),
  })
  t.after(() => sink.stop())
  const send = async (init: RequestInit, path = '/hook') => (await fetch(`${sink.url}${path}`, init)).status
  return { url: sink.url, received, send }
}

test('what no delivery looks like is refused, and nobody is told about it', async (t) => {
  const { received, send } = await setup(t)
  assert.equal(await send({ method: 'GET' }), 405)
  assert.equal(await send({ method: 'PUT', body: '{}', headers: JSON_TYPE }), 405)
  // What a page of any other site can send without asking.
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    assert.equal(await send({ method: 'POST', body: '{}', headers: { 'content-type': type } }), 415)
  }
  assert.equal(await send({ method: 'POST', body: 'x'.repeat(1_001), headers: JSON_TYPE }), 413)
  assert.deepEqual(received, [])
})

test('a body of unknown length is refused as soon as it is too large', async (t) => {
  const { url, received } = await setup(t)
  const request = httpRequest(`${url}/hook`, { method: 'POST', headers: JSON_TYPE })
  request.write('x'.repeat(1_001))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  request.destroy()
  assert.equal(response.statusCode, 413)
  assert.deepEqual(received, [])
})

test('deliveries are taken, those without a body and with a type of their own as well', async (t) => {
  const { received, send } = await setup(t)
  assert.equal(await send({ method: 'POST', body: '{}', headers: JSON_TYPE }), 200)
  assert.equal(await send({ method: 'POST', headers: { 'webhook-id': 'a' } }), 200)
  assert.equal(
    await send({ method: 'POST', body: 'a', headers: { 'webhook-id': 'a', 'content-type': 'text/csv' } }),
    200,
  )
  assert.deepEqual(
    received.map(({ body }) => body),
    ['{}', '', 'a'],
  )
})
