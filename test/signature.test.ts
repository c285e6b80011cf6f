// A receiver checks that a delivery comes from this service with any library of the Standard Webhooks specification.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { accepted, Client } from './support/client.ts'
import { startReceiver } from './support/receiver.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

test('receivers verify deliveries with the new secret and, while they change over, with the old one', async (t) => {
  const [newest, old, foreign] = [newSecret(), newSecret(), newSecret()]
  const receiver = await startReceiver(t)
  const service = await startService(t, { cwd: tempDir(t), env: { WEBHOOK_SECRETS: `${newest},${old}` } })
  const timer = { id: 'signed', schedule: 'PT1S', callbackUrl: receiver.url, payload: { price: '4 €', n: 1.0 } }
  await accepted(new Client(() => service).create(timer))

  const { rawBody, headers, body } = await receiver.received('signed')
  const signed = headers as Record<string, string>
  assert.throws(() => new Webhook(foreign).verify(rawBody, signed), /No matching signature/)
  assert.throws(() => new Webhook(newest).verify(rawBody.replace('4 €', '5 €'), signed), /No matching signature/)
  assert.throws(
    () => new Webhook(newest).verify(rawBody, { ...signed, 'webhook-id': 'another' }),
    /No matching signature/,
  )
  assert.deepEqual(new Webhook(newest).verify(rawBody, signed), body)
  assert.deepEqual(new Webhook(old).verify(rawBody, signed), body)
  assert.ok(!service.output.includes(newest.slice(6)) && !service.output.includes(old.slice(6)), 'a secret was logged')
})
