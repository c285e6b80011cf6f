import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { JsonText } from '../../core/timer/timer.ts'
import { aFiring, aReceiver, aTarget, NOT_ABORTED, plainProtocol } from './delivery.fixture.ts'
import { isReservedHeader } from './request-headers.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

test('a header value that would smuggle in another header is not sent, and the delivery says so', async (t) => {
  const receiver = await aReceiver(t, (response) => response.end())
  const injected = { 'x-team': 'a\r\nx-admin: yes' }
  const outcome = await aTarget(t).deliver(
    aFiring('', { target: { type: 'http', url: receiver.url, headers: injected } }),
    NOT_ABORTED,
  )
  assert.equal(outcome.type, 'failed')
  assert.equal(outcome.error, 'the request cannot be sent: invalid x-team header')
  assert.equal(receiver.requests.length, 0)
})

test("a timer's headers replace the defaults but not what receivers and connections rely on", async (t) => {
  const receiver = await aReceiver(t, (response) => response.end())
  const headers = {
    'Content-Type': 'application/vnd.example+json',
    'USER-AGENT': 'mine',
    'X-Team': 'a',
    'Webhook-Id': 'forged',
    'WEBHOOK-SIGNATURE': 'v1,forged',
    'Idempotency-Key': 'forged',
    Host: 'forged.example',
    Connection: 'close',
    'Content-Length': '0',
    'Transfer-Encoding': 'chunked',
    Expect: '100-continue',
  }
  const firing = aFiring('', { target: { type: 'http', url: receiver.url, headers } }, { deliveryId: 'true-id' })
  const outcome = await aTarget(t, { signingSecrets: [SECRET] }).deliver(firing, NOT_ABORTED)
  assert.equal(outcome.type, 'delivered')
  const [request] = receiver.requests
  const seen = request!.headers
  assert.deepEqual(
    [seen['content-type'], seen['user-agent'], seen['x-team'], seen['webhook-id'], seen['idempotency-key']],
    ['application/vnd.example+json', 'mine', 'a', 'true-id', 'true-id'],
  )
  assert.deepEqual(
    [seen.host, seen.connection, seen['content-length']],
    [new URL(receiver.url).host, 'keep-alive', '7'],
  )
  assert.ok(!request!.rawHeaders.some((text) => text.includes('forged')))
})

test("a contract's headers replace the defaults and give way to the timer's", async (t) => {
  const receiver = await aReceiver(t, (response) => response.end())
  const request = () => ({ body: null, headers: { 'User-Agent': 'timer-platform/1', 'X-Contract': 'platform' } })
  const target = aTarget(t, { protocols: [{ ...plainProtocol(), request }] })
  await target.deliver(
    aFiring('', { target: { type: 'http', url: receiver.url, headers: { 'x-contract': 'mine' } } }),
    NOT_ABORTED,
  )
  const { headers, body } = receiver.requests[0]!
  assert.deepEqual([headers['user-agent'], headers['x-contract']], ['timer-platform/1', 'mine'])
  assert.deepEqual([headers['content-type'], body], [undefined, ''])
})

test('a delivery is a POST with the body, the delivery id and the time', async (t) => {
  const receiver = await aReceiver(t, (response) => response.end())
  const payload = '{"text":"grüße \\u2028 💡"}' as JsonText
  await aTarget(t).deliver(
    aFiring(`${receiver.url}?a=b%20c#part`, { payload }, { deliveryId: 'id-1', firedAt: 1_999 }),
    NOT_ABORTED,
  )
  const { method, url, body, headers } = receiver.requests[0]!
  assert.deepEqual([method, url, body], ['POST', '/hook?a=b%20c', payload])
  assert.deepEqual(
    [
      headers['webhook-id'],
      headers['idempotency-key'],
      headers['webhook-timestamp'],
      headers['content-type'],
      headers['user-agent'],
    ],
    ['id-1', 'id-1', '1', 'application/json', 'duetime/test'],
  )
  assert.deepEqual([headers['webhook-signature'], headers['traceparent']], [undefined, undefined])
})

test('the signature convinces a Standard Webhooks verifier', async (t) => {
  const receiver = await aReceiver(t, (response) => response.end())
  await aTarget(t, { signingSecrets: [SECRET] }).deliver(
    aFiring(receiver.url, {}, { firedAt: Date.now() }),
    NOT_ABORTED,
  )
  const { body, headers } = receiver.requests[0]!
  assert.deepEqual(new Webhook(SECRET).verify(body, headers as Record<string, string>), { n: 1 })
})

test('the trace goes on with a span of its own for every attempt', async (t) => {
  const receiver = await aReceiver(t, (response) => response.end())
  const target = aTarget(t)
  for (let n = 0; n < 2; n++) await target.deliver(aFiring(receiver.url, { traceparent: TRACEPARENT }), NOT_ABORTED)
  await target.deliver(aFiring(receiver.url, { traceparent: 'nonsense' }), NOT_ABORTED)
  const [first, second, third] = receiver.requests.map((request) => request.headers['traceparent'])
  assert.match(String(first), /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/)
  assert.match(String(second), /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/)
  assert.equal(new Set([first, second, TRACEPARENT]).size, 3)
  assert.equal(third, undefined)
})

test('a user name and password in the URL are sent as basic authorization', async (t) => {
  const receiver = await aReceiver(t, (response) => response.end())
  await aTarget(t).deliver(aFiring(receiver.url.replace('//', '//ann:p%40ss%@')), NOT_ABORTED)
  await aTarget(t).deliver(aFiring(receiver.url.replace('//', '//ann:p%40ss@')), NOT_ABORTED)
  const sent = receiver.requests.map((request) =>
    Buffer.from(String(request.headers.authorization).slice(6), 'base64').toString(),
  )
  assert.deepEqual(sent, ['ann:p%40ss%', 'ann:p@ss'])
})

test('reserved headers are reserved in any case', () => {
  for (const name of ['Webhook-Anything', 'HOST', 'content-length', 'Idempotency-Key', 'transfer-encoding']) {
    assert.ok(isReservedHeader(name), name)
  }
  for (const name of ['authorization', 'x-webhook', 'content-type', 'user-agent'])
    assert.ok(!isReservedHeader(name), name)
})
