import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import { CONTRACTS } from '../contracts/all-contracts.ts'
import { testServer } from '../test-server.fixture.ts'

const KIB = 1_024
const TIMER = { executeAt: '2030-01-31T09:00:00Z', callbackUrl: 'https://example.com/hook' }

/** A request whose body the test sends by hand. */
function open(url: string, headers: Record<string, string | number> = {}): ClientRequest {
  return httpRequest(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } })
}

async function answerTo(request: ClientRequest): Promise<{ status: number; json: Record<string, unknown> }> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const text = await readText(response)
  request.destroy()
  return { status: response.statusCode!, json: JSON.parse(text) as Record<string, unknown> }
}

test('a body that is too large for its route is refused before it is sent', async (t) => {
  const { url } = await testServer(t, { contracts: CONTRACTS })
  for (const path of ['/api/v1/timers/create', '/timers']) {
    const request = open(`${url}${path}`, { 'content-length': 600 * KIB })
    request.flushHeaders()
    const { status, json } = await answerTo(request)
    assert.equal(status, 413)
    assert.match(json['message'] as string, /524288 bytes that BODY_MAX_BYTES allows/)
  }
})

test('a client that asks before it sends is told to go on for a body that is taken, and to keep one that is not', async (t) => {
  const { url } = await testServer(t, { contracts: CONTRACTS })
  const ask = (bytes: number) => {
    const request = open(`${url}/api/v1/timers/create`, { 'content-length': bytes, expect: '100-continue' })
    request.flushHeaders()
    let told = false
    request.on('continue', () => (told = true))
    return { request, wasTold: () => told }
  }
  const { request: refused, wasTold } = ask(600 * KIB)
  const [response] = (await once(refused, 'response')) as [IncomingMessage]
  assert.deepEqual([response.statusCode, response.headers.connection, wasTold()], [413, 'close', false])
  refused.destroy()
  const body = JSON.stringify(TIMER)
  const { request } = ask(body.length)
  await once(request, 'continue')
  request.end(body)
  assert.equal((await answerTo(request)).status, 200)
})

test('a body of unknown length is refused as soon as it is too large', async (t) => {
  const { url } = await testServer(t)
  const request = open(`${url}/api/v1/timers/create`)
  request.write(`{"payload":"${'x'.repeat(600 * KIB)}`)
  assert.equal((await answerTo(request)).status, 413)
})

test('a batch may be larger than one timer, and has its own limit', async (t) => {
  const { url, post } = await testServer(t)
  const timers = Array.from({ length: 5 }, (_, index) => ({
    ...TIMER,
    id: `t${index}`,
    payload: 'x'.repeat(250 * KIB),
  }))
  assert.equal((await post('/api/v1/timers/batch', { timers })).json['created'], 5)
  const request = open(`${url}/api/v1/timers/batch`, { 'content-length': 9 * KIB * KIB })
  request.flushHeaders()
  assert.match((await answerTo(request)).json['message'] as string, /BATCH_BODY_MAX_BYTES/)
})

test('more values than can be parsed in a moment are refused, in a batch as well', async (t) => {
  const { post } = await testServer(t)
  const { status, json } = await post('/api/v1/timers/batch', `{"timers":["\\u0061",${'[],'.repeat(2_700_000)}1]}`)
  assert.equal(status, 413)
  assert.deepEqual(json['details'], { maxValues: 200_000 })
})

test('a connection can be used again after a body that was too large', async (t) => {
  const { post } = await testServer(t)
  const large = { ...TIMER, payload: 'x'.repeat(3_000 * KIB) }
  for (let i = 0; i < 3; i++) assert.equal((await post('/api/v1/timers/create', large)).status, 413)
  assert.equal((await post('/api/v1/timers/create', TIMER)).status, 200)
})

test('bodies of cycles are refused in its own envelope, whatever is wrong with them and wherever its fields are', async (t) => {
  const { url, post } = await testServer(t, { contracts: CONTRACTS })
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const bodies: readonly (readonly [string, number])[] = [
    [`{"timer_id":"a","metadata":${deep},"duration_or_cycle":"PT1M"}`, 400],
    [`{"metadata":${deep},"timer_id":"a"}`, 400],
    ['{"timer_id":"a","duration_or_cycle":', 400],
    ['{"timer_id":"a","metadata":{"__proto__":1}}', 400],
    [`{"timer_id":"a","metadata":[${'1,'.repeat(220_000)}1]}`, 413],
    [`{"timer_id":"a","metadata":{"text":"${'x'.repeat(600 * KIB)}"}}`, 413],
  ]
  for (const [body, expected] of bodies) {
    const { status, json, text } = await post('/api/v1/timers', body)
    assert.equal(status, expected, text)
    assert.deepEqual(Object.keys(json), ['success', 'error', 'request_id'], text)
  }
  const chunked = open(`${url}/api/v1/timers`)
  chunked.write(
    `{"metadata":{"text":"${'x'.repeat(300 * KIB)}"},"timer_id":"a","duration_or_cycle":"${'x'.repeat(300 * KIB)}`,
  )
  const { status, json } = await answerTo(chunked)
  assert.equal(status, 413)
  assert.equal(json['success'], false)
})

test('bodies of groups are refused in the native envelope', async (t) => {
  const { post } = await testServer(t, { contracts: CONTRACTS })
  for (const body of [
    `{"id":"a","payload":"${'x'.repeat(600 * KIB)}"}`,
    '{"id":"a","payload":{"timer_id":',
    '{"id":',
  ]) {
    const { json } = await post('/api/v1/timers', body)
    assert.deepEqual(Object.keys(json), ['error', 'message', 'details', 'timestamp'])
  }
})
