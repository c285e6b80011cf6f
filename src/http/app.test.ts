import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import type { Contract } from './contracts/contract.ts'
import { CONTRACTS } from './contracts/all-contracts.ts'
import { v1Contract } from './contracts/v1/contract.ts'
import { testServer } from './test-server.fixture.ts'

/** Another envelope, a shared prefix, and a handler with a defect. */
const oddContract: Contract = {
  name: 'odd',
  owns: ({ path }) => path.startsWith('/odd/'),
  register: (app) => {
    app.get('/odd/defect', () => {
      throw new TypeError('secret internals')
    })
    app.put('/odd/:id', () => ({ fine: true }))
  },
  renderError: (error, { requestId }) => ({ status: 499, body: JSON.stringify({ odd: error.code, requestId }) }),
}

suite('errors', () => {
  test('each contract answers in its own envelope, also before any of its routes is reached', async (t) => {
    const { request } = await testServer(t, { contracts: [v1Contract, oddContract] })
    const put = (body: string, type = 'application/json') =>
      request('/odd/1', { method: 'PUT', body, headers: { 'content-type': type } })
    assert.equal((await put('{')).json['odd'], 'INVALID_INPUT')
    assert.equal((await put('{}', 'text/plain')).json['odd'], 'UNSUPPORTED_MEDIA_TYPE')
    assert.equal((await put('x'.repeat(9_000_000))).json['odd'], 'PAYLOAD_TOO_LARGE')
    assert.equal((await request('/odd/nowhere/at/all')).json['odd'], 'ROUTE_NOT_FOUND')
    assert.equal((await put('{}')).text, '{"fine":true}')
  })

  test('a defect is a 500 with the request id and without the cause', async (t) => {
    const native: Contract = {
      ...oddContract,
      renderError: (error, surroundings) => v1Contract.renderError(error, surroundings),
    }
    const { request } = await testServer(t, { contracts: [native] })
    const { status, text, json } = await request('/odd/defect')
    assert.equal(status, 500)
    assert.equal(json['error'], 'INTERNAL')
    assert.match((json['details'] as { requestId: string }).requestId, /^req_[\da-z]+$/)
    assert.ok(!text.includes('secret') && !text.includes('.ts'))
  })

  test('a known path with another method is 405 and says which it takes', async (t) => {
    const { request } = await testServer(t, { contracts: [v1Contract, oddContract] })
    const answer = await request('/api/v1/timers/create?x=1', { method: 'DELETE' })
    assert.equal(answer.status, 405)
    assert.equal(answer.headers.get('allow'), 'POST')
    const odd = await request('/odd/17', { method: 'DELETE' })
    assert.equal(odd.json['odd'], 'METHOD_NOT_ALLOWED')
    assert.equal(odd.headers.get('allow'), 'PUT')
  })

  test('an unknown path and a path that is no path are answered natively', async (t) => {
    const { request } = await testServer(t)
    assert.equal((await request('/nowhere')).json['error'], 'ROUTE_NOT_FOUND')
    assert.equal((await request('/api/v1/timers/%zz', { method: 'POST' })).json['error'], 'INVALID_INPUT')
  })

  test('what is not HTTP gets an answer too', async (t) => {
    const { url, request } = await testServer(t)
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.end('hello, is this the timer service?\r\n\r\n')
    let answer = ''
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text))
    await once(socket, 'close')
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/)
    assert.equal((JSON.parse(answer.slice(answer.indexOf('{'))) as { error: string }).error, 'INVALID_INPUT')
    assert.equal((await request('/healthz')).status, 200)
  })
})

suite('operational routes', () => {
  test('a part that cannot do its work makes the service not ready, and is named', async (t) => {
    const ready = { store: () => {}, engine: () => Promise.reject(new Error('owns no shard')) }
    const { request } = await testServer(t, { ready })
    const { status, json } = await request('/readyz')
    assert.equal(status, 503)
    assert.deepEqual(json, { status: 'not ready', parts: { store: 'ok', engine: 'owns no shard' } })
    assert.equal((await request('/healthz')).json['message'], 'healthy')
  })

  test('ready, metrics and the way to the documentation', async (t) => {
    const { request } = await testServer(t)
    assert.deepEqual((await request('/readyz')).json, { status: 'ready', parts: { store: 'ok' } })
    assert.equal((await request('/metrics')).text, 'duetime_up 1\n')
    assert.match((await request('/')).text, /href="\/docs"/)
  })

  test('the process is alive while its database does not answer, so that nobody restarts it for that', async (t) => {
    const ready = { store: () => Promise.reject(new Error('the database is down')) }
    const { request } = await testServer(t, { ready })
    assert.equal((await request('/readyz')).status, 503)
    assert.equal((await request('/healthz')).status, 500)
    const { status, json } = await request('/livez')
    assert.deepEqual([status, json], [200, { status: 'alive' }])
  })

  test('the OpenAPI document describes every operation with an example and its errors', async (t) => {
    const { request } = await testServer(t)
    const { json } = await request('/openapi.json')
    assert.equal(json['openapi'], '3.1.0')
    const paths = Object.entries(json['paths'] as Record<string, Record<string, Described>>)
    const timerPaths = paths.filter(([path]) => path.startsWith('/api/v1/timers/'))
    assert.equal(timerPaths.length, 12)
    for (const [path, { post }] of timerPaths) {
      assert.ok(post?.summary && post.tags.includes('timers'), path)
      assert.ok(post.requestBody?.content['application/json']?.example, path)
      assert.ok('400' in post.responses && ('200' in post.responses || '204' in post.responses), path)
    }
    const refs = JSON.stringify(json).match(/"#\/components\/schemas\/[^"]+"/g) ?? []
    const schemas = Object.keys((json['components'] as { schemas: object }).schemas)
    for (const ref of refs) assert.ok(schemas.includes(ref.slice('"#/components/schemas/'.length, -1)), ref)
  })

  test('the OpenAPI document has every operation of every contract, under the contract’s tag', async (t) => {
    const { request } = await testServer(t, { contracts: CONTRACTS })
    const { json } = await request('/openapi.json')
    const tags = (json['tags'] as { name: string }[]).map(({ name }) => name)
    const ids = new Set<string>()
    for (const [path, operations] of Object.entries(json['paths'] as Record<string, Record<string, Described>>)) {
      for (const [method, operation] of Object.entries(operations)) {
        const place = `${method} ${path}`
        assert.ok(operation.tags.length > 0 && operation.tags.every((tag) => tags.includes(tag)), place)
        assert.ok(operation.summary, place)
        if (operation.tags.includes('operation')) continue
        assert.ok(operation.operationId !== undefined && !ids.has(operation.operationId), place)
        ids.add(operation.operationId)
        assert.ok(
          '400' in operation.responses && Object.keys(operation.responses).some((status) => status.startsWith('2')),
          place,
        )
        if (operation.requestBody !== undefined)
          assert.ok(operation.requestBody.content['application/json']?.example, place)
        else assert.match(JSON.stringify(operation.parameters), /"example":/, place)
      }
    }
    assert.equal((await request('/docs')).status, 200)
  })

  test('a path that is spelled with percent signs is answered in the envelope of the contract that it means', async (t) => {
    const { request } = await testServer(t, { contracts: CONTRACTS })
    const { status, json } = await request('/%74imers/not-a-uuid')
    assert.deepEqual([status, json['code'], json['data']], [400, 2, null])
  })

  test('the documentation page shows every operation and needs nothing from elsewhere', async (t) => {
    const { request } = await testServer(t)
    const { text, headers } = await request('/docs')
    assert.match(headers.get('content-security-policy')!, /^default-src 'none'; style-src 'sha256-/)
    for (const verb of [
      'create',
      'get',
      'update',
      'delete',
      'list',
      'batch',
      'cancel',
      'trigger',
      'pause',
      'resume',
      'retry',
      'preview',
    ]) {
      assert.ok(text.includes(`curl &quot;$DUETIME/api/v1/timers/${verb}&quot;`), verb)
    }
    assert.ok(!/<script|<link|<img|@import|url\(|style="/.test(text))
    for (const [link, id] of text.matchAll(/href="#([^"]+)"/g)) assert.ok(text.includes(`id="${id}"`), link)
  })
})

type Described = {
  readonly operationId?: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: unknown
  readonly requestBody?: { readonly content: Record<string, { readonly example?: unknown }> }
  readonly responses: object
}
