import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { failedDelivery } from '../../../core/timer/delivery.ts'
import { CONTRACTS } from '../all-contracts.ts'
import { testServer } from '../../test-server.fixture.ts'
import type { Answer, TestServer, TestServerOptions } from '../../test-server.fixture.ts'
import { EXAMPLES } from './operations.ts'

const NOW = Date.UTC(2029, 11, 1, 12)
const MINUTE = 60_000
const instant = (ms: number) => new Date(ms).toISOString()
const BODY = { ...EXAMPLES.create, execute_at: instant(NOW + MINUTE) }

type Platform = TestServer & {
  readonly send: (method: string, path: string, body?: unknown) => Promise<Answer>
  /** Creates a timer and answers its path. */
  readonly created: (changes?: object) => Promise<string>
}

async function setup(t: TestContext, options: TestServerOptions = {}): Promise<Platform> {
  const server = await testServer(t, { contracts: CONTRACTS, ...options })
  const send: Platform['send'] = (method, path, body) => {
    const content =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    return server.request(path, { method, ...content })
  }
  const created: Platform['created'] = async (changes = {}) => {
    const answer = await send('POST', '/timers', { ...BODY, ...changes })
    assert.equal(answer.status, 201, answer.text)
    return `/timers/${String(data(answer)['id'])}`
  }
  return { ...server, send, created }
}

const data = ({ json }: Answer) => json['data'] as Record<string, unknown>

function assertError(answer: Answer, status: number, code: number, message: string | RegExp): void {
  assert.deepEqual([answer.status, Object.keys(answer.json)], [status, ['code', 'message', 'data']], answer.text)
  assert.deepEqual([answer.json['code'], answer.json['data']], [code, null])
  assert.match(
    answer.json['message'] as string,
    typeof message === 'string' ? new RegExp(`^${RegExp.escape(message)}$`) : message,
  )
}

suite('errors', () => {
  test('whatever goes wrong has the envelope, with the code that fits', async (t) => {
    const { send, request } = await setup(t)
    const post = (body: string, type = 'application/json') =>
      request('/timers', { method: 'POST', body, headers: { 'content-type': type } })
    assertError(await post('{'), 400, 2, /not valid JSON/)
    assertError(await post(''), 400, 2, /no body/)
    assertError(await post('[]'), 400, 2, /must be a JSON object/)
    assertError(await post('{}', 'text/plain'), 415, 2, /application\/json/)
    assertError(await post('x'.repeat(9_000_000)), 413, 2, /BODY_MAX_BYTES/)
    assertError(await send('PATCH', '/timers', {}), 405, 2, /takes GET, HEAD, POST/)
    assertError(await send('POST', '/healthz', {}), 405, 2, /takes GET/)
    assertError(await send('GET', '/timers/a/b'), 404, 3, /no GET/)
    assertError(await send('GET', '/timers/%zz'), 400, 2, /not a valid URL/)
    for (const id of [
      '1',
      'x'.repeat(36),
      '018f3c8e5b7a7d3c9a510d6a1f0c2b44',
      '018f3c8e-5b7a-7d3c-9a51-0d6a1f0c2b44%20',
    ]) {
      for (const method of ['GET', 'DELETE'])
        assertError(await send(method, `/timers/${id}`), 400, 2, /^id must be a UUID/)
      assertError(await send('PUT', `/timers/${id}`, {}), 400, 2, /^id must be a UUID/)
    }
  })

  test('a time that is not more than 5 seconds ahead is refused, in a create and in an update', async (t) => {
    const { send, created } = await setup(t)
    const path = await created()
    for (const ms of [-1, 0, 5_000]) {
      const soon = { execute_at: instant(NOW + ms) }
      assertError(await send('POST', '/timers', { ...BODY, ...soon }), 400, 2, 'execute_at must be in the future')
      assertError(await send('PUT', path, soon), 400, 2, 'execute_at must be in the future')
    }
    assert.equal((await send('PUT', path, { execute_at: instant(NOW + 5_001) })).status, 200)
    assertError(await send('POST', '/timers', { ...BODY, execute_at: 'PT5M' }), 400, 2, /^execute_at: "PT5M" is not/)
  })

  test('the parts of a callback are named', async (t) => {
    const { send } = await setup(t)
    const refused = async (callback: unknown, message: RegExp) => {
      assertError(await send('POST', '/timers', { ...BODY, callback }), 400, 2, message)
    }
    await refused({ url: 'https://example.com' }, /^callback\.type must be one of "http", "nats"$/)
    await refused({ type: 'http' }, /^callback\.url is required$/)
    await refused({ type: 'http', url: 'https://example.com', method: 'GET' }, /^callback\.method is not a known field/)
    await refused(
      { type: 'http', url: 'https://example.com', headers: { 'a b': 'x' } },
      /^callback\.headers\.a b is not a valid header name$/,
    )
    await refused({ type: 'nats', topic: '' }, /^callback\.topic must have/)
    await refused({ type: 'nats', topic: 'a b' }, /^callback\.topic must be a NATS subject/)
    await refused({ type: 'nats', topic: 'a.b', key: 'c' }, /NATS is not configured/)
  })

  test('a payload that is too large is 413', async (t) => {
    const { send } = await setup(t)
    const callback = { type: 'http', url: 'https://example.com', payload: 'x'.repeat(300_000) }
    assertError(await send('POST', '/timers', { ...BODY, callback }), 413, 2, /PAYLOAD_MAX_BYTES/)
  })

  test('too late is said in this contract’s words', async (t) => {
    const { send, created, clock } = await setup(t, { answer: () => failedDelivery('HTTP 500', { statusCode: 500 }) })
    const [failed, canceled] = [await created(), await created({ execute_at: instant(NOW + 10 * MINUTE) })]
    await send('DELETE', canceled)
    await clock.advance(MINUTE)
    for (const [path, status] of [
      [failed, 'failed'],
      [canceled, 'canceled'],
    ] as const) {
      assertError(await send('PUT', path, {}), 400, 2, `cannot update timer with status '${status}'`)
      assertError(await send('DELETE', path), 400, 2, `cannot cancel timer with status '${status}'`)
    }
  })
})

suite('one timer', () => {
  test('a delivery that fails is not tried again', async (t) => {
    const texts = ['HTTP 500', 'timed out after 30s waiting for a response', 'connection refused (ECONNREFUSED)']
    const shown = ['HTTP 500', 'Connection timeout', 'connection refused (ECONNREFUSED)']
    let calls = 0
    const { send, created, clock, firings } = await setup(t, { answer: () => failedDelivery(texts[calls++]!) })
    const paths: string[] = []
    for (const minutes of [1, 2, 3]) paths.push(await created({ execute_at: instant(NOW + minutes * MINUTE) }))
    await clock.advance(10 * MINUTE)
    assert.equal(firings.length, 3)
    for (const [index, path] of paths.entries()) {
      const { status, last_error: lastError, executed_at: executedAt } = data(await send('GET', path))
      assert.deepEqual([status, lastError, executedAt], ['failed', shown[index], instant(NOW + (index + 1) * MINUTE)])
    }
  })

  test('optional fields that are null are as good as absent', async (t) => {
    const { send, created } = await setup(t)
    const callback = { type: 'http', url: 'https://example.com/hook', headers: null, payload: null }
    const path = await created({ callback, metadata: null })
    const before = data(await send('GET', path))
    assert.deepEqual(before['callback_config'], { type: 'http', url: 'https://example.com/hook' })
    assert.equal(before['metadata'], null)
    assert.equal((await send('PUT', path, { execute_at: null, callback: null, metadata: null })).status, 200)
    assert.deepEqual(data(await send('GET', path)), before)
  })

  test('payload and metadata can be any JSON, and the payload is carried to the letter', async (t) => {
    const { send, created, request } = await setup(t)
    for (const value of [{ a: [1, null] }, [1, 'x'], 'text', 0, false]) {
      const path = await created({ callback: { ...BODY.callback, payload: value }, metadata: value })
      const { callback_config: config, metadata } = data(await send('GET', path))
      assert.deepEqual([(config as { payload: unknown }).payload, metadata], [value, value])
    }
    const exact = '{"order":12345678901234567890,"ratio":1e400}'
    const text = `{"execute_at":"${BODY.execute_at}","callback":{"type":"http","url":"https://example.com","payload":${exact}}}`
    const answer = await request('/timers', {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'application/json' },
    })
    const shown = await send('GET', `/timers/${String(data(answer)['id'])}`)
    assert.ok(shown.text.includes(`"payload":${exact}}`), shown.text)
  })

  test('the case of a UUID does not matter, and neither does the contract that made the timer', async (t) => {
    const { send, created, post } = await setup(t)
    const path = await created()
    const upper = path.replace(/[^/]+$/, (id) => id.toUpperCase())
    assert.equal((await send('GET', upper)).status, 200)
    const id = '550E8400-E29B-41D4-A716-446655440000'
    await post('/api/v1/timers/create', { id, executeAt: BODY.execute_at, callbackUrl: 'https://example.com/hook' })
    assert.equal(data(await send('GET', `/timers/${id}`))['id'], id)
    assert.equal(data(await send('DELETE', `/timers/${id}`))['status'], 'canceled')
    assertError(await send('GET', `/timers/${id.toLowerCase()}`), 404, 3, 'timer not found')
  })

  test('a paused timer is one that has not fired yet, and a timer without a callback says so', async (t) => {
    const { send, created, post } = await setup(t)
    const path = await created()
    await post('/api/v1/timers/pause', { timerId: path.slice('/timers/'.length) })
    assert.equal(data(await send('GET', path))['status'], 'pending')
    assert.equal(data(await send('GET', '/timers?status=pending'))['total'], 1)
    await post('/api/v1/timers', { timer_id: '018f3c8e-5b7a-7d3c-9a51-0d6a1f0c2b44', duration_or_cycle: 'PT1H' })
    const { callback_type: type, callback_config: config } = data(
      await send('GET', '/timers/018f3c8e-5b7a-7d3c-9a51-0d6a1f0c2b44'),
    )
    assert.deepEqual([type, config], ['none', null])
  })

  test('replacing the callback of a timer of another contract switches to one attempt, and back', async (t) => {
    const { send, post } = await setup(t)
    const id = '018f3c8e-5b7a-7d3c-9a51-0d6a1f0c2b44'
    const native = () => post('/api/v1/timers/get', { timerId: id })
    await post('/api/v1/timers/create', {
      id,
      executeAt: BODY.execute_at,
      callbackUrl: 'https://example.com/hook',
      payload: 1,
    })
    assert.equal(
      (await send('PUT', `/timers/${id}`, { callback: { type: 'http', url: 'https://example.com/other' } })).status,
      200,
    )
    const switched = (await native()).json
    assert.deepEqual(
      [switched['payload'], (switched['retryPolicy'] as { maxRetries: number }).maxRetries],
      [undefined, 0],
    )
    await post('/api/v1/timers/update', { timerId: id, callbackUrl: 'https://example.com/hook' })
    assert.equal(((await native()).json['retryPolicy'] as { maxRetries: number }).maxRetries, 3)
  })
})

suite('batch', () => {
  type Result = { readonly code: number; readonly message: string; readonly data: { readonly id: string } | null }
  const resultsOf = (answer: Answer) => data(answer)['results'] as Result[]

  test('none and more than a thousand items are refused', async (t) => {
    const { send } = await setup(t)
    assertError(await send('POST', '/timers/batch', {}), 400, 2, 'timers is required')
    assertError(await send('POST', '/timers/batch', { timers: [] }), 400, 2, /^timers must/)
    assertError(
      await send('POST', '/timers/batch', { timers: Array.from({ length: 1_001 }, () => BODY) }),
      400,
      2,
      /^timers must/,
    )
    assert.equal(
      data(await send('POST', '/timers/batch', { timers: Array.from({ length: 1_000 }, () => BODY) }))['created'],
      1_000,
    )
    // A batch has its own limit for bodies.
    const large = { ...BODY, metadata: 'x'.repeat(1_000) }
    assert.equal(
      data(await send('POST', '/timers/batch', { timers: Array.from({ length: 1_000 }, () => large) }))['created'],
      1_000,
    )
  })

  test('the case of a UUID does not matter, and its items keep their order all the same', async (t) => {
    const { send, created } = await setup(t)
    const id = (await created()).slice('/timers/'.length)
    const timers = [
      { action: 'update', id: id.toUpperCase(), execute_at: instant(NOW + 2 * MINUTE) },
      { action: 'cancel', id },
      { action: 'update', id: id.toUpperCase(), metadata: 1 },
    ]
    const messages = resultsOf(await send('POST', '/timers/batch', { timers })).map(({ message }) => message)
    assert.deepEqual(messages, [
      'timer updated successfully',
      'timer canceled successfully',
      "cannot update timer with status 'canceled'",
    ])
  })

  test('payloads are carried to the letter', async (t) => {
    const { send, request } = await setup(t)
    const exact = '{"order":12345678901234567890}'
    const item = `{"execute_at":"${BODY.execute_at}","callback":{"type":"http","url":"https://example.com","payload":${exact}}}`
    const answer = await request('/timers/batch', {
      method: 'POST',
      body: `{"timers":[${item}]}`,
      headers: { 'content-type': 'application/json' },
    })
    const shown = await send('GET', `/timers/${resultsOf(answer)[0]!.data!.id}`)
    assert.ok(shown.text.includes(`"payload":${exact}}`), shown.text)
  })

  test('a batch that is repeated with its idempotency key makes no second timers', async (t) => {
    const { post } = await setup(t)
    const timers = [BODY, BODY, { ...BODY, idempotency_key: 'own' }]
    const ids = async (key: string) =>
      resultsOf(await post('/timers/batch', { timers }, { 'idempotency-key': key })).map((result) => result.data!.id)
    const first = await ids('k')
    assert.equal(new Set(first).size, 3)
    assert.deepEqual(await ids('k'), first)
    assert.deepEqual(
      (await ids('l')).map((id, index) => id === first[index]),
      [false, false, true],
    )
  })
})

suite('list', () => {
  test('what is not in the query’s words is refused with the words that are', async (t) => {
    const { send } = await setup(t)
    for (const query of ['limit=0', 'limit=-1', 'limit=1.5', 'limit=x', 'limit=', 'limit=1e3']) {
      assertError(await send('GET', `/timers?${query}`), 400, 2, 'limit must be a whole number, 1 or more')
    }
    assertError(
      await send('GET', '/timers?offset=99999999999999999999'),
      400,
      2,
      'offset must be a whole number, 0 or more',
    )
    assertError(await send('GET', '/timers?status=paused'), 400, 2, /^status must be one of "pending", "executing"/)
    assertError(await send('GET', '/timers?status=pending&status=failed'), 400, 2, /^status must be a string/)
    assertError(
      await send('GET', '/timers?stauts=pending'),
      400,
      2,
      'stauts is not a known field; did you mean status?',
    )
  })

  test('it covers the namespace default and no other, whatever the ids', async (t) => {
    const { send, post, created } = await setup(t)
    const path = await created()
    const other = { executeAt: BODY.execute_at, callbackUrl: 'https://example.com/hook' }
    await post('/api/v1/timers/create', { ...other, id: 'no uuid' })
    await post('/api/v1/timers/create', { ...other, namespace: 'elsewhere', id: 'unseen' })
    const { timers, total } = data(await send('GET', '/timers')) as { timers: { id: string }[]; total: number }
    assert.deepEqual(
      [timers.map(({ id }) => id).toSorted(), total],
      [[path.slice('/timers/'.length), 'no uuid'].toSorted(), 2],
    )
  })
})
