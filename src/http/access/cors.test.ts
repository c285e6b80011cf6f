import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { KeyRing } from '../../service/keys/key-ring.ts'
import { CONTRACTS } from '../contracts/all-contracts.ts'
import { testServer } from '../test-server.fixture.ts'

const APP = 'https://app.example.com'
const EVIL = 'https://evil.example'
const PATHS = [
  '/api/v1/timers/create',
  '/api/v1/timers',
  '/api/v1/timers/a/b',
  '/api/v1/live',
  '/timers',
  '/timers/batch',
  '/timers?limit=1',
]

type Seen = { readonly status: number; readonly headers: IncomingHttpHeaders }

/** By hand: fetch would not let a test say what it is, and where it is sent. */
async function ask(url: string, method: string, headers: Record<string, string>): Promise<Seen> {
  const asked = request(url, { method, headers }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  return { status: answer.statusCode!, headers: answer.headers }
}

const preflight = (url: string, origin: string, more: Record<string, string> = {}) =>
  ask(url, 'OPTIONS', {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type,x-api-key',
    ...more,
  })
const corsHeaders = ({ headers }: Seen) => Object.keys(headers).filter((name) => name.startsWith('access-control-'))

test('without the setting no page of another origin is answered', async (t) => {
  const { url } = await testServer(t, { contracts: CONTRACTS })
  for (const path of PATHS) {
    const seen = await preflight(`${url}${path}`, APP)
    assert.ok(seen.status >= 400, path)
    assert.deepEqual(corsHeaders(seen), [])
  }
  const get = await ask(`${url}/timers`, 'GET', { origin: APP })
  assert.deepEqual([get.status, corsHeaders(get), get.headers.vary], [200, [], undefined])
})

test('origins that are not named get nothing, and neither do pages for what is not the API', async (t) => {
  const { url } = await testServer(t, { contracts: CONTRACTS, corsOrigins: [APP] })
  for (const origin of [
    EVIL,
    'null',
    `${APP}.evil.example`,
    `${APP}:444`,
    'http://app.example.com',
    APP.toUpperCase(),
    '*',
    '',
  ]) {
    const seen = await preflight(`${url}/timers`, origin)
    assert.ok(seen.status >= 400, origin)
    assert.deepEqual(corsHeaders(seen), [])
    const get = await ask(`${url}/timers`, 'GET', { origin })
    assert.deepEqual([corsHeaders(get), get.headers.vary], [[], 'Origin'])
  }
  for (const path of [
    '/metrics',
    '/readyz',
    '/',
    '/ui',
    '/docs',
    '/openapi.json',
    '/internal/v1/look',
    '/timersx',
    '/apix',
  ]) {
    assert.deepEqual(corsHeaders(await ask(`${url}${path}`, 'GET', { origin: APP })), [], path)
    assert.deepEqual(corsHeaders(await preflight(`${url}${path}`, APP)), [], path)
  }
})

test('a page that is named may ask, may read answers and refusals, and is asked for its key', async (t) => {
  const { url } = await testServer(t, {
    contracts: CONTRACTS,
    corsOrigins: ['http://localhost:5173', APP],
    keys: new KeyRing(),
  })
  for (const path of PATHS) {
    const { status, headers } = await preflight(`${url}${path}`, APP)
    assert.deepEqual([status, headers['access-control-allow-origin'], headers.vary], [204, APP, 'Origin'], path)
    assert.match(headers['access-control-allow-methods']!, /GET, POST, PUT, DELETE/)
    for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-API-Key', 'X-Request-ID']) {
      assert.ok(headers['access-control-allow-headers']!.includes(name), name)
    }
    assert.equal(headers['access-control-allow-credentials'], undefined)
  }
  const refused = await ask(`${url}/timers`, 'GET', { origin: APP })
  assert.deepEqual(
    [refused.status, refused.headers['access-control-allow-origin'], refused.headers.vary],
    [401, APP, 'Origin'],
  )
  assert.match(refused.headers['access-control-expose-headers']!, /Retry-After/)
  assert.equal(refused.headers['access-control-allow-credentials'], undefined)
})

test('any page may ask where that is configured, and no answer depends on which', async (t) => {
  const { url } = await testServer(t, { contracts: CONTRACTS, corsOrigins: ['*'], keys: new KeyRing() })
  for (const origin of [APP, 'null']) {
    const { status, headers } = await preflight(`${url}/timers`, origin)
    assert.deepEqual([status, headers['access-control-allow-origin'], headers.vary], [204, '*', undefined])
    assert.equal(headers['access-control-allow-credentials'], undefined)
  }
})

test('a page that points its name at this machine is refused all the same', async (t) => {
  const { url } = await testServer(t, { contracts: CONTRACTS, corsOrigins: [APP] })
  const seen = await ask(`${url}/timers`, 'GET', { origin: APP, host: 'app.example.com' })
  assert.equal(seen.status, 403)
})
