import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXAMPLES } from './examples.ts'
import { details, HOOK, setup, setupWithTimer } from './v1.fixture.ts'

test('either-or fields are refused when both or none are given, and the field is named', async (t) => {
  const { call } = await setup(t)
  const refused = async (body: object, field: string) => {
    const answer = await call('create', body)
    assert.equal(answer.status, 400, answer.text)
    assert.equal(details(answer)['field'], field)
  }
  await refused({ executeAt: '2030-01-31T09:00:00Z', schedule: 'PT1M', callbackUrl: HOOK }, 'schedule')
  await refused({ callbackUrl: HOOK }, 'executeAt')
  await refused({ schedule: 'PT1M' }, 'callbackUrl')
  await refused({ schedule: 'PT1M', callbackUrl: HOOK, callback: { type: 'http', url: HOOK } }, 'callback')
  await refused({ executeAt: '2030-01-31T09:00:00Z', timeZone: 'Europe/Berlin', callbackUrl: HOOK }, 'timeZone')
  await refused({ schedule: 'PT1M', timeZone: 'Europe/Nowhere', callbackUrl: HOOK }, 'timeZone')
  await refused(
    { schedule: 'PT1M', callbackUrl: HOOK, callbackTimeout: '5s', callbackTimeoutSeconds: 6 },
    'callbackTimeoutSeconds',
  )
  await refused(
    { schedule: 'PT1M', callbackUrl: HOOK, retryPolicy: { maxRetries: 1, maxAttempts: 2 } },
    'retryPolicy.maxAttempts',
  )
  await refused(
    { schedule: 'PT1M', callbackUrl: HOOK, retryPolicy: { initialInterval: 'soon' } },
    'retryPolicy.initialInterval',
  )
  await refused({ schedule: 'PT1M', callbackUrl: HOOK, retryPolicy: { maxRetries: 101 } }, 'retryPolicy.maxRetries')
  await refused({ schedule: 'PT1M', callbackUrl: HOOK, callbackTimeout: '2h' }, 'callbackTimeout')
  await refused({ schedule: 'PT1M', callbackUrl: HOOK, metadata: { nested: {} } }, 'metadata.nested')
  await refused({ schedule: 'every day', callbackUrl: HOOK }, 'schedule')
  await refused({ executeAt: 'PT10M', callbackUrl: HOOK }, 'executeAt')
})

test('a number of retries that is refused has one bound in every message', async (t) => {
  const { call } = await setup(t)
  const bounds =
    'retryPolicy.maxRetries must be 0 to 100, or retryPolicy.maxAttempts, which counts the first one, 1 to 101'
  for (const retryPolicy of [
    { maxRetries: -1 },
    { maxRetries: 101 },
    { maxRetries: 9_999_999 },
    { maxRetries: 1e300 },
    { maxAttempts: 0 },
    { maxAttempts: 102 },
  ]) {
    const { status, json } = await call('create', { schedule: 'PT1M', callbackUrl: HOOK, retryPolicy })
    assert.deepEqual([status, json['message']], [400, bounds], JSON.stringify(retryPolicy))
  }
  for (const retryPolicy of [{ maxRetries: 100 }, { maxAttempts: 1 }, { maxAttempts: 101 }]) {
    assert.equal((await call('create', { schedule: 'PT1M', callbackUrl: HOOK, retryPolicy })).status, 200)
  }
})

test('a callback that could not be delivered is refused', async (t) => {
  const { call } = await setup(t)
  const refused = async (callback: object, field: string) => {
    const answer = await call('create', { schedule: 'PT1M', callback })
    assert.equal(answer.status, 400, answer.text)
    assert.equal(details(answer)['field'], field)
  }
  await refused({ type: 'http', url: 'ftp://example.com' }, 'callback.url')
  await refused({ type: 'http', url: 'https://exa mple.com' }, 'callback.url')
  await refused({ type: 'http', url: HOOK, headers: { 'X-A': 'a\r\nX-B: b' } }, 'callback.headers.X-A')
  await refused({ type: 'http', url: HOOK, headers: { 'Webhook-Id': 'mine' } }, 'callback.headers.Webhook-Id')
  await refused({ type: 'http', url: HOOK, headers: { Host: 'other' } }, 'callback.headers.Host')
  await refused({ type: 'http', url: HOOK, headers: { 'not a token': 'x' } }, 'callback.headers.not a token')
  await refused({ type: 'http', url: HOOK, headers: { a: '1', A: '2' } }, 'callback.headers.A')
  await refused({ type: 'nats', topic: 'a..b' }, 'callback.topic')
  await refused({ type: 'nats', topic: 'orders.due' }, 'callback')
})

test('a payload over the limit is refused with 413, one at the limit is taken', async (t) => {
  const { call } = await setup(t, { payloadMaxBytes: 10 })
  const body = (payload: unknown) => ({ schedule: 'PT1M', callbackUrl: HOOK, payload })
  const refused = await call('create', body('äöüä.'))
  assert.equal(refused.status, 413)
  assert.equal(refused.json['error'], 'PAYLOAD_TOO_LARGE')
  assert.equal(details(refused)['field'], 'payload')
  assert.equal((await call('create', body('äöüä'))).status, 200)
})

test('on a taken id, reject answers 409 with the timer, keep answers with it, replace takes its place', async (t) => {
  const { call } = await setupWithTimer(t)
  const other = { ...EXAMPLES.create.request, payload: 'other' }
  const rejected = await call('create', { ...other, onConflict: 'reject' })
  assert.equal(rejected.status, 409)
  assert.equal(rejected.json['error'], 'TIMER_ALREADY_EXISTS')
  assert.deepEqual((details(rejected)['timer'] as Record<string, unknown>)['payload'], EXAMPLES.create.request.payload)
  assert.deepEqual(
    (await call('create', { ...other, onConflict: 'keep' })).json['payload'],
    EXAMPLES.create.request.payload,
  )
  assert.equal((await call('create', other)).json['payload'], 'other')
})

test('a namespace that is not enabled is refused', async (t) => {
  const { call } = await setup(t, { namespaces: ['default'] })
  const answer = await call('create', { ...EXAMPLES.create.request, namespace: 'other' })
  assert.equal(answer.status, 400)
  assert.equal(answer.json['error'], 'NAMESPACE_NOT_ENABLED')
})

test('answers what the documentation shows', async (t) => {
  const { call } = await setup(t)
  const { json, status, headers } = await call('create', EXAMPLES.create.request)
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  const { deliveryId: _, ...shown } = EXAMPLES.create.answer
  const { deliveryId, ...answered } = json
  assert.deepEqual(answered, shown)
  assert.match(deliveryId as string, /^[\da-f]{32}-/)
})

test('without an id the timer gets a UUIDv7, without a namespace it is in default', async (t) => {
  const { call } = await setup(t)
  const { json } = await call('create', { schedule: 'PT1M', callbackUrl: HOOK })
  assert.match(json['id'] as string, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  assert.equal(json['namespace'], 'default')
})

test('the trace of the request is delivered, and a malformed one is ignored', async (t) => {
  const { call, clock, firings } = await setup(t)
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  await call('create', { id: 'a', schedule: 'PT1S', callbackUrl: HOOK }, { traceparent })
  await call('create', { id: 'b', schedule: 'PT2S', callbackUrl: HOOK }, { traceparent: 'nonsense' })
  await clock.advance(3_000)
  assert.deepEqual(
    firings.map(({ timer }) => timer.traceparent),
    [traceparent, null],
  )
})

test('an id of any Unicode text and a namespace of its own are kept as they are', async (t) => {
  const { call } = await setup(t)
  const id = 'a/b c?#%2F "quoted" \u{1F552} \u2028'
  await call('create', { id, namespace: 'team-a', schedule: 'PT1M', callbackUrl: HOOK })
  assert.equal((await call('get', { namespace: 'team-a', timerId: id })).json['id'], id)
  assert.equal((await call('get', { timerId: id })).status, 404)
})
