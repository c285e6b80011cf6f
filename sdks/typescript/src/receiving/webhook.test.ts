import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook, WebhookVerificationError } from './webhook.ts'
import type { WebhookHeaders } from './webhook.ts'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const NOW = Date.parse('2030-01-31T09:00:00Z')
const BODY = '{"id":"a","price":"4 €"}'

/** Signed by the reference implementation of the specification. */
function signed(body = BODY, { at = NOW, secret = SECRET } = {}) {
  return {
    'webhook-id': 'msg-1',
    'webhook-timestamp': String(at / 1_000),
    'webhook-signature': new Webhook(secret).sign('msg-1', new Date(at), body),
  }
}

type Body = Parameters<typeof verifyWebhook>[0]

function verify(headers: WebhookHeaders, body: Body = BODY, secrets: string | string[] = SECRET) {
  return verifyWebhook(body, headers, secrets, { now: NOW })
}

test('another body, id, time or secret, and headers that are missing or nonsense, do not verify', async () => {
  const good = signed()
  const bad: [WebhookHeaders, string?][] = [
    [good, BODY.replace('4', '5')],
    [good, ''],
    [{ ...good, 'webhook-id': 'msg-2' }],
    [{ ...good, 'webhook-timestamp': String(NOW / 1_000 + 1) }],
    [{ ...good, 'webhook-timestamp': 'now' }],
    [signed(BODY, { secret: OTHER })],
    [{ ...good, 'webhook-signature': good['webhook-signature'].replace('v1,', 'v1a,') }],
    [{ ...good, 'webhook-signature': 'v1,' }],
    [{ ...good, 'webhook-signature': 'v1,%%%' }],
    [{ ...good, 'webhook-signature': 'v1,AAAA' }],
    [{ ...good, 'webhook-signature': undefined }],
    [{}],
    [new Headers()],
  ]
  for (const [headers, body] of bad) await assert.rejects(verify(headers, body), WebhookVerificationError)
})

test('old and future deliveries do not verify, within the tolerance they do', async () => {
  for (const seconds of [-301, 301])
    await assert.rejects(verify(signed(BODY, { at: NOW + seconds * 1_000 })), /too old or too new/)
  for (const seconds of [-300, 300]) await verify(signed(BODY, { at: NOW + seconds * 1_000 }))
  await assert.rejects(
    verifyWebhook(BODY, signed(BODY, { at: NOW - 11_000 }), SECRET, { now: NOW, toleranceSeconds: 10 }),
  )
})

test('a secret that is none is the receiver’s mistake, and is not shown', async () => {
  const isDiscreet = (error: Error) => error instanceof TypeError && !error.message.includes('öö')
  await assert.rejects(verify(signed(), BODY, 'whsec_öö'), isDiscreet)
  await assert.rejects(verify(signed(), BODY, []), TypeError)
})

test('a genuine delivery verifies, whatever its body and headers come as', async () => {
  const headers = signed()
  const bytes = new TextEncoder().encode(BODY)
  for (const body of [BODY, bytes, bytes.buffer]) {
    assert.deepEqual(await verify(headers, body), { id: 'msg-1', timestamp: new Date(NOW) })
  }
  await verify(new Headers(headers))
  const { 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers
  await verify({ 'Webhook-Id': 'msg-1', 'Webhook-Timestamp': [timestamp], 'Webhook-Signature': signature })
})

test('while secrets change, either side may know both', async () => {
  await verify(signed(), BODY, [OTHER, SECRET])
  const both = `${signed(BODY, { secret: OTHER })['webhook-signature']} ${signed()['webhook-signature']}`
  await verify({ ...signed(), 'webhook-signature': both })
})
