import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { CONTRACTS } from '../all-contracts.ts'
import { REFUSED, testServer } from '../../test-server.fixture.ts'
import type { Answer, TestServer, TestServerOptions } from '../../test-server.fixture.ts'
import { EXAMPLES } from './operations.ts'

const BODY = { ...EXAMPLES.create, executeAt: '2029-12-01T12:01:00Z' }
const PATH = '/api/v1/timers/billing/invoice-2030-17'
const MINUTE = 60_000

type Groups = TestServer & {
  readonly create: (changes?: object) => Promise<Answer>
  readonly send: (method: string, path: string, body?: unknown) => Promise<Answer>
}

async function setup(t: TestContext, options: TestServerOptions = {}): Promise<Groups> {
  const server = await testServer(t, { contracts: CONTRACTS, ...options })
  const send: Groups['send'] = (method, path, body) => {
    const content =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    return server.request(path, { method, ...content })
  }
  return { ...server, send, create: (changes = {}) => server.post('/api/v1/timers', { ...BODY, ...changes }) }
}

const details = ({ json }: Answer) => json['details'] as Record<string, unknown>

function assertError(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.json['error']], [status, code], answer.text)
  assert.deepEqual(Object.keys(answer.json), ['error', 'message', 'details', 'timestamp'])
}

suite('create', () => {
  test('an id that is taken with other parameters is a conflict, and shows the timer that has it', async (t) => {
    const { create } = await setup(t)
    const first = await create()
    const others = [
      { executeAt: '2029-12-01T12:01:01Z' },
      { callbackUrl: 'https://example.com/elsewhere' },
      { payload: { ...BODY.payload, invoice: 18 } },
      { payload: null },
      { metadata: { team: 'x' } },
      { retryPolicy: { maxRetries: 5 } },
      { callbackTimeout: '11s' },
    ]
    for (const changes of others) {
      const answer = await create(changes)
      assertError(answer, 409, 'TIMER_ALREADY_EXISTS')
      assert.deepEqual(details(answer)['timer'], first.json, JSON.stringify(changes))
    }
  })

  test('the same parameters answer with the timer that is there, however they are spelled', async (t) => {
    const { create } = await setup(t)
    const first = await create()
    assert.equal(first.status, 200)
    const spelled = [
      {},
      { executeAt: '2029-12-01T13:01:00+01:00' },
      { payload: { action: 'remind', invoice: 17 } },
      { callbackTimeout: undefined, callbackTimeoutSeconds: 10 },
      { retryPolicy: { maxAttempts: 6, initialInterval: 'PT30S', maxAttemptsDuration: '60m' } },
    ]
    for (const changes of spelled) assert.deepEqual((await create(changes)).json, first.json, JSON.stringify(changes))
  })

  test('it is compared with the parameters it was made with after it was rescheduled, retried, completed or failed', async (t) => {
    let calls = 0
    const answers = [
      { type: 'rescheduled', nextAt: Date.UTC(2029, 11, 1, 12, 2), statusCode: 200 },
      REFUSED,
      { type: 'delivered', statusCode: 200 },
    ] as const
    const { create, clock } = await setup(t, { answer: () => answers[calls++]! })
    await create()
    for (const status of ['pending', 'pending', 'completed']) {
      await clock.advance(MINUTE)
      const again = await create()
      assert.deepEqual(
        [again.status, again.json['executeAt'], again.json['status']],
        [200, '2029-12-01T12:02:00.000Z', status],
      )
      assertError(await create({ executeAt: '2029-12-01T12:02:00Z' }), 409, 'TIMER_ALREADY_EXISTS')
    }
    assert.equal(calls, 3)
  })

  test('a canceled timer is not in the way of a new one with its id', async (t) => {
    const { create, send } = await setup(t)
    await create()
    assert.equal((await send('DELETE', PATH)).status, 204)
    const { status, json } = await create({ executeAt: '2031-01-31T09:00:00Z' })
    assert.deepEqual([status, json['status'], json['executeAt']], [200, 'pending', '2031-01-31T09:00:00.000Z'])
  })

  test('what it needs is named when it is missing, and the past is refused', async (t) => {
    const { create } = await setup(t)
    for (const field of ['id', 'executeAt', 'callbackUrl']) {
      const answer = await create({ [field]: undefined })
      assertError(answer, 400, 'INVALID_INPUT')
      assert.equal(details(answer)['field'], field)
    }
    assert.equal(details(await create({ executeAt: '2029-01-31T09:00:00Z' }))['field'], 'executeAt')
    assert.equal(details(await create({ groupId: '-x' }))['field'], 'groupId')
    assert.equal((await create({ groupId: undefined })).json['groupId'], 'default')
  })

  test('a group that is not enabled is refused by the name it has here', async (t) => {
    const { create } = await setup(t, { namespaces: ['orders'] })
    const answer = await create()
    assertError(answer, 400, 'NAMESPACE_NOT_ENABLED')
    assert.equal(details(answer)['field'], 'groupId')
  })

  test('malformed JSON and what is no object is refused in this contract, which takes what no other does', async (t) => {
    const { post } = await setup(t)
    for (const body of ['{', '[]', '7', 'null']) assertError(await post('/api/v1/timers', body), 400, 'INVALID_INPUT')
    assertError(await post('/api/v1/timers', '{}', { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE')
  })
})

suite('one timer', () => {
  test('unknown, canceled and never there are the same: not found', async (t) => {
    const { create, send } = await setup(t)
    await create({ id: 'gone' })
    await send('DELETE', '/api/v1/timers/billing/gone')
    for (const path of ['/api/v1/timers/billing/gone', '/api/v1/timers/billing/never', '/api/v1/timers/other/gone']) {
      assertError(await send('GET', path), 404, 'TIMER_NOT_FOUND')
      assertError(await send('PUT', path, EXAMPLES.update), 404, 'TIMER_NOT_FOUND')
      assertError(await send('DELETE', path), 404, 'TIMER_NOT_FOUND')
    }
  })

  test('it is too late to change or cancel what has finished', async (t) => {
    const { create, send, clock } = await setup(t)
    await create()
    await clock.advance(MINUTE)
    assert.equal((await send('GET', PATH)).json['status'], 'completed')
    assertError(await send('PUT', PATH, EXAMPLES.update), 409, 'TIMER_NOT_PENDING')
    assertError(await send('DELETE', PATH), 409, 'TIMER_NOT_PENDING')
  })

  test('an update of nothing, or to the past, is refused', async (t) => {
    const { create, send } = await setup(t)
    await create()
    assert.equal(details(await send('PUT', PATH, {}))['field'], 'executeAt')
    assert.equal(details(await send('PUT', PATH, { executeAt: '2029-01-31T09:00:00Z' }))['field'], 'executeAt')
    assert.equal(details(await send('PUT', PATH, { callbackUrl: 'ftp://x' }))['field'], 'callbackUrl')
  })

  test('a retry policy keeps the fields that are not given', async (t) => {
    const { create, send } = await setup(t)
    const { json } = await create()
    const { json: after } = await send('PUT', PATH, { retryPolicy: { initialInterval: '1s' } })
    assert.deepEqual(after['retryPolicy'], { ...(json['retryPolicy'] as object), initialInterval: '1s' })
    assert.equal((json['retryPolicy'] as { maxRetries: number }).maxRetries, 5)
  })

  test('an update changes what is given and nothing else', async (t) => {
    const { create, send } = await setup(t)
    const { json: before } = await create()
    const { json: after } = await send('PUT', PATH, { executeAt: '2030-02-15T09:00:00Z', payload: null })
    const { payload: _, ...rest } = before
    const { version, deliveryId: __, ...others } = after
    assert.equal(version, 2)
    const {
      version: ___,
      deliveryId: ____,
      ...expected
    } = { ...rest, executeAt: '2030-02-15T09:00:00.000Z' } as Record<string, unknown>
    assert.deepEqual(others, expected)
  })

  test('any id can be in a path', async (t) => {
    const { create, send } = await setup(t)
    for (const id of [
      'a/b',
      'ü €/😀',
      '100%',
      'a?b#c',
      '%2F',
      ' ',
      '/',
      'stats',
      'create',
      'é'.repeat(255),
      '/'.repeat(255),
      '+',
    ]) {
      assert.equal((await create({ id })).status, 200, id)
      const path = `/api/v1/timers/billing/${encodeURIComponent(id)}`
      assert.equal((await send('GET', path)).json['id'], id)
      assert.equal((await send('PUT', path, EXAMPLES.update)).json['id'], id)
      assert.equal((await send('DELETE', path)).status, 204, id)
    }
  })

  test('what cannot be an id or a group is refused', async (t) => {
    const { send } = await setup(t)
    assert.equal(details(await send('GET', `/api/v1/timers/billing/${'x'.repeat(256)}`))['field'], 'timerId')
    assert.equal(details(await send('GET', '/api/v1/timers/billing/a%00b'))['field'], 'timerId')
    assert.equal(details(await send('GET', '/api/v1/timers/a%20b/x'))['field'], 'groupId')
    assertError(await send('GET', '/api/v1/timers/billing/%zz'), 400, 'INVALID_INPUT')
    for (const method of ['PATCH', 'POST']) {
      const refused = await send(method, PATH, {})
      assertError(refused, 405, 'METHOD_NOT_ALLOWED')
      assert.equal(refused.headers.get('allow'), 'DELETE, GET, HEAD, PUT')
    }
    assertError(await send('POST', `${PATH}/c`, {}), 404, 'ROUTE_NOT_FOUND')
  })

  test('a DELETE that announces JSON and sends none is a DELETE', async (t) => {
    const { create, request } = await setup(t)
    await create()
    assert.equal(
      (await request(PATH, { method: 'DELETE', headers: { 'content-type': 'application/json' } })).status,
      204,
    )
  })
})

test('payloads arrive as they were sent, however large their numbers', async (t) => {
  const { post, send, firings, clock } = await setup(t)
  const payload = '{"id":12345678901234567890,"huge":1e400,"tiny":-0.10000000000000000001}'
  const text = `{"id":"exact","executeAt":"2029-12-01T12:01:00Z","callbackUrl":"https://example.com/hook","payload":${payload}}`
  const created = await post('/api/v1/timers', text)
  assert.ok(created.text.includes(`"payload":${payload}`), created.text)
  assert.ok((await send('GET', '/api/v1/timers/default/exact')).text.includes(payload))
  assert.equal((await post('/api/v1/timers', text)).status, 200)
  assertError(await post('/api/v1/timers', text.replace('567890', '567891')), 409, 'TIMER_ALREADY_EXISTS')
  await clock.advance(MINUTE)
  assert.equal(firings[0]?.timer.payload, payload)
})
