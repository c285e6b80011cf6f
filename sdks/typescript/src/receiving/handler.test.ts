import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { fail, handler, reschedule } from './handler.ts'
import type { Firing, FiringFunction, HandlerOptions } from './handler.ts'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const FIRING = { id: 'a', namespace: 'default', groupId: 'default', payload: { n: 1 }, deliveryId: 'd-1', attempt: 1 }

async function answerTo(run: FiringFunction<{ n: number }>, options: HandlerOptions = {}, request: RequestInit = {}) {
  const init = { method: 'POST', body: JSON.stringify(FIRING), ...request }
  const response = await handler(run, options)(new Request('http://localhost/hook', init))
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: JSON.parse(text) as unknown }
}

function signedHeaders(body: string): Record<string, string> {
  const now = new Date()
  const timestamp = String(Math.floor(now.getTime() / 1_000))
  return {
    'webhook-id': 'd-1',
    'webhook-timestamp': timestamp,
    'webhook-signature': new Webhook(SECRET).sign('d-1', now, body),
  }
}

test('what is no delivery never reaches the function', async () => {
  const never = () => assert.fail('called')
  assert.equal((await answerTo(never, {}, { method: 'GET', body: null })).status, 405)
  for (const body of ['', 'null', '{', '[]', '{"id":"a"}'])
    assert.equal((await answerTo(never, {}, { body })).status, 400, body)
})

test('a body that is too large is refused', async () => {
  const never = () => assert.fail('called')
  assert.equal((await answerTo(never, { maxBodyBytes: 10 })).status, 413)
  assert.equal((await answerTo(never, { maxBodyBytes: 10 }, { headers: { 'content-length': '11' } })).status, 413)
})

test('with a secret, unsigned and forged deliveries are 401', async () => {
  const never = () => assert.fail('called')
  assert.equal((await answerTo(never, { secret: SECRET })).status, 401)
  const forged = { headers: signedHeaders('{}') }
  assert.equal((await answerTo(never, { secret: SECRET }, forged)).status, 401)
  const seen: string[] = []
  const genuine = { headers: signedHeaders(JSON.stringify(FIRING)) }
  assert.equal((await answerTo(({ id }) => void seen.push(id), { secret: SECRET }, genuine)).status, 200)
  assert.deepEqual(seen, ['a'])
})

test('a function that throws is a failure whose reason stays here', async () => {
  const told: [unknown, Firing][] = []
  const error = new Error('the password is 1234')
  const throwing = () => Promise.reject(error)
  const { status, json } = await answerTo(throwing, { onError: (...about) => void told.push(about) })
  assert.equal(status, 500)
  assert.deepEqual(json, { ok: false })
  assert.deepEqual(
    told.map(([thrown, { id }]) => [thrown, id]),
    [[error, 'a']],
  )
})

test('a secret that is none fails every delivery and is reported here', async () => {
  const told: unknown[] = []
  const { status, json } = await answerTo(() => {}, { secret: 'öö', onError: (error) => void told.push(error) })
  assert.deepEqual([status, json], [500, { ok: false }])
  assert.ok(told[0] instanceof TypeError)
})

test('what the function returns is answered in the words of the protocol', async () => {
  assert.deepEqual((await answerTo(() => {})).json, { ok: true })
  const later = await answerTo(() => reschedule(new Date('2030-01-31T09:00:00Z')))
  assert.deepEqual([later.status, later.json], [200, { ok: false, nextExecuteAt: '2030-01-31T09:00:00.000Z' }])
  const failed = await answerTo(({ payload }) => fail(`no stock of ${payload.n}`, { retryAfterSeconds: 1.5 }))
  assert.deepEqual(
    [failed.status, failed.json, failed.headers.get('retry-after')],
    [200, { ok: false, error: 'no stock of 1' }, '2'],
  )
  assert.equal((await answerTo(() => fail('gone', { final: true }))).status, 410)
})
