import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { Webhook } from 'standardwebhooks'
import type { FiringFunction, HandlerOptions } from './receiving/handler.ts'
import { fastifyReceiver } from './node.ts'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
// Spaces that a body which was parsed and written again would not have.
const BODY = '{ "id": "a", "deliveryId": "d-1", "payload": { "n": 1 } }'

async function answerTo(run: FiringFunction, options: HandlerOptions, headers: Record<string, string> = {}) {
  const app = Fastify()
  await app.register(fastifyReceiver(run, { path: '/hook', ...options }))
  app.post('/other', (request) => ({ parsed: request.body }))
  const post = (url: string) =>
    app.inject({ method: 'POST', url, payload: BODY, headers: { 'content-type': 'application/json', ...headers } })
  const answers = [await post('/hook'), await post('/other')] as const
  await app.close()
  return answers
}

test('a delivery on Fastify is verified by its bytes, and other routes still parse theirs', async () => {
  const now = new Date()
  const signed = {
    'webhook-id': 'd-1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(SECRET).sign('d-1', now, BODY),
  }
  const seen: unknown[] = []
  const run: FiringFunction = ({ payload }) => void seen.push(payload)
  const [unsigned] = await answerTo(run, { secret: SECRET })
  assert.equal(unsigned.statusCode, 401)
  const [genuine, other] = await answerTo(run, { secret: SECRET }, signed)
  assert.deepEqual([genuine.statusCode, genuine.json()], [200, { ok: true }])
  assert.deepEqual(seen, [{ n: 1 }])
  assert.deepEqual(other.json(), { parsed: JSON.parse(BODY) as unknown })
})

test('a body that is too large for the receiver is refused', async () => {
  const [answer] = await answerTo(() => assert.fail('called'), { maxBodyBytes: 10 })
  assert.equal(answer.statusCode, 413)
})
