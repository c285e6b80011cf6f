import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerOf } from '../../broker/broker.ts'
import type { Header } from '../../broker/broker.ts'
import { silentLogger } from '../../runtime/telemetry/logger.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { Subjects } from '../subjects.ts'
import { RequestHandler } from './request-handler.ts'
import type { NativeApi, NativeCall } from './request-handler.ts'

type Answer = Awaited<ReturnType<NativeApi>>

function setup(
  prefix: string | null = null,
  answer: Answer = { status: 200, body: '{"id":"a"}' },
  replyBytesMax = 1_048_576,
) {
  const calls: NativeCall[] = []
  const api = async (call: NativeCall) => {
    calls.push(call)
    return answer
  }
  const handler = new RequestHandler({
    api,
    subjects: new Subjects(prefix),
    replyBytesMax: () => replyBytesMax,
    clock: new ManualClock(0),
    logger: silentLogger(),
  })
  const ask = (subject: string, body: unknown, headers: readonly Header[] = []) =>
    handler.answer({ subject, headers, data: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) })
  return { calls, ask }
}

test('a defect is an answer that does not tell it', async () => {
  const handler = new RequestHandler({
    api: () => Promise.reject(new Error('the secret cause')),
    subjects: new Subjects(null),
    replyBytesMax: () => 1_048_576,
    clock: new ManualClock(0),
    logger: silentLogger(),
  })
  const reply = await handler.answer({ subject: 'duetime.v1.timers.get', headers: [], data: Buffer.from('{}') })
  assert.equal(headerOf(reply, 'Nats-Service-Error-Code'), '500')
  assert.ok(!String(reply.data).includes('secret'))
})

test('an error of the API carries its code and status in headers', async () => {
  const { ask } = setup(null, { status: 404, body: '{"error":"TIMER_NOT_FOUND","message":"no"}' })
  const reply = await ask('duetime.v1.timers.get', {})
  assert.deepEqual(reply, {
    headers: [
      ['Nats-Service-Error', 'TIMER_NOT_FOUND'],
      ['Nats-Service-Error-Code', '404'],
    ],
    data: '{"error":"TIMER_NOT_FOUND","message":"no"}',
  })
})

test('an answer that is larger than a message may be is refused, with what to ask for instead', async () => {
  const { ask, calls } = setup(null, { status: 200, body: JSON.stringify('x'.repeat(4_000)) }, 4_096)
  const reply = await ask('duetime.v1.timers.list', {})
  assert.equal(headerOf(reply, 'Nats-Service-Error'), 'PAYLOAD_TOO_LARGE')
  assert.match(String(reply.data), /answer has 4002 bytes and the NATS server takes 3072: ask for fewer timers/)
  assert.equal(calls[0]!.answerBytesMax, 3_072)
})

test('a verb that the API has not is refused in its words', async () => {
  const { ask } = setup(null, null)
  assert.equal(headerOf(await ask('duetime.v1.timers.explode', {}), 'Nats-Service-Error'), 'ROUTE_NOT_FOUND')
})

test('the last word is the verb, the message is the body, and only headers of the API are passed on', async () => {
  const { ask, calls } = setup()
  const reply = await ask('duetime.v1.timers.create', '{"id": "a"}', [
    ['X-API-Key', 'k'],
    ['Other', 'x'],
    ['traceparent', 't'],
  ])
  assert.deepEqual(reply, { headers: [], data: '{"id":"a"}' })
  assert.deepEqual(calls, [
    { verb: 'create', body: '{"id": "a"}', headers: { 'x-api-key': 'k', traceparent: 't' }, answerBytesMax: 1_047_552 },
  ])
  await ask('duetime.v1.timers.a%2Fb?c', {})
  assert.equal(calls[1]!.verb, 'a%252Fb%3Fc')
})

test('with a prefix a request is for the namespace of its subject and no other', async () => {
  const { ask, calls } = setup('tenants')
  for (const [verb, body] of [
    ['create', { namespace: 'other', id: 'a' }],
    ['cancel', { namespace: 'default', all: true }],
    ['batch', { timers: [{ id: 'a' }, { id: 'b', namespace: 'other' }] }],
  ] as const) {
    const reply = await ask(`tenants.acme.duetime.v1.timers.${verb}`, body)
    assert.equal(headerOf(reply, 'Nats-Service-Error'), 'FORBIDDEN')
  }
  assert.equal(calls.length, 0)

  await ask('tenants.acme.duetime.v1.timers.cancel', { all: true })
  await ask('tenants.acme.duetime.v1.timers.batch', { timers: [{ id: 'a' }, { id: 'b', namespace: 'acme' }, 7] })
  await ask('tenants.acme.duetime.v1.timers.preview', { schedule: 'PT1M' })
  await ask('tenants.acme.duetime.v1.timers.get', 'not json')
  assert.deepEqual(
    calls.map(({ body }) => body),
    [
      '{"all":true,"namespace":"acme"}',
      '{"timers":[{"id":"a","namespace":"acme"},{"id":"b","namespace":"acme"},7]}',
      '{"schedule":"PT1M"}',
      'not json',
    ],
  )
})
