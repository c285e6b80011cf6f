import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { createSigner } from './signature.ts'

const OLD = Buffer.alloc(24, 1).toString('base64')
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`

test('a bad secret is refused by its place in the list, without its text', () => {
  const cases: [string, RegExp][] = [
    ['', /secret 2 is not base64/],
    ['whsec_', /secret 2 is not base64/],
    ['not base64 at all, and it is long enough', /secret 2 is not base64/],
    ['A'.repeat(41), /secret 2 is not base64/],
    [Buffer.alloc(23, 9).toString('base64'), /secret 2 has 23 bytes: at least 24/],
  ]
  for (const [secret, expected] of cases) {
    assert.throws(
      () => createSigner([NEW, secret]),
      (error: Error) => expected.test(error.message) && (secret.length < 10 || !error.message.includes(secret)),
    )
  }
})

test('without secrets nothing is signed', () => {
  assert.equal(createSigner([]), null)
})

test('during a rotation either secret verifies, and no other', () => {
  const sign = createSigner([NEW, OLD])!
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signature = sign({ id: 'msg-1', timestamp, body: '{}' })
  assert.match(signature, /^v1,\S{44} v1,\S{44}$/)
  const headers = { 'webhook-id': 'msg-1', 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  assert.deepEqual(new Webhook(NEW).verify('{}', headers), {})
  assert.deepEqual(new Webhook(OLD).verify('{}', headers), {})
  assert.throws(() => new Webhook(Buffer.alloc(24, 3).toString('base64')).verify('{}', headers))
  assert.throws(() => new Webhook(NEW).verify('{"changed":true}', headers))
})

test('any body signs the way the reference implementation signs it', () => {
  const sign = createSigner([NEW])!
  const reference = new Webhook(NEW)
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.stringMatching(/^[a-z0-9-]{1,40}$/),
      fc.nat(),
      (body, id, seconds) => {
        assert.equal(
          sign({ id, timestamp: String(seconds), body }),
          reference.sign(id, new Date(seconds * 1_000), body),
        )
      },
    ),
  )
})
