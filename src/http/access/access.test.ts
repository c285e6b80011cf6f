import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { ANONYMOUS, Permission } from '../../core/access/access.ts'
import type { NamespacePattern, Principal, RateLimit } from '../../core/access/access.ts'
import { timerIdentity } from '../../core/timer/ids.ts'
import type { Namespace, TimerId } from '../../core/timer/timer.ts'
import { createLogger } from '../../runtime/telemetry/logger.ts'
import { createKey, hashKey } from '../../service/keys/api-key.ts'
import { KeyRing } from '../../service/keys/key-ring.ts'
import { assertNativeRefusal, ROUTES, TIMER, UUID } from './access-matrix.fixture.ts'
import type { Needs, RouteRule } from './access-matrix.fixture.ts'
import { CONTRACTS } from '../contracts/all-contracts.ts'
import type { Contract } from '../contracts/contract.ts'
import { CALENDAR_EXAMPLE } from '../calendars/operations.ts'
import { v1Contract } from '../contracts/v1/contract.ts'
import { EXAMPLES } from '../contracts/v1/examples.ts'
import { testServer } from '../test-server.fixture.ts'
import type { Answer, TestServer, TestServerOptions } from '../test-server.fixture.ts'

type KeyOf = {
  readonly permissions: readonly Permission[]
  readonly namespaces: readonly string[] | null
  readonly rateLimit?: RateLimit
}

const KEYS = {
  readOnly: { permissions: [Permission.read], namespaces: ['default'] },
  readAll: { permissions: [Permission.read], namespaces: null },
  elsewhere: { permissions: [Permission.timer], namespaces: ['elsewhere', 'def', 'default-*'] },
  right: { permissions: [Permission.timer], namespaces: ['def*'] },
  admin: { permissions: [Permission.admin], namespaces: null },
} satisfies Record<string, KeyOf>
type KeyName = keyof typeof KEYS
type Caller = KeyName | 'none' | 'wrong' | 'peer'

/** Who is let in where; everyone else is refused. */
const LET_IN: Readonly<Record<Needs, readonly Caller[]>> = {
  nothing: ['none', 'wrong', 'readOnly', 'readAll', 'elsewhere', 'right', 'admin'],
  'a key': ['readOnly', 'readAll', 'elsewhere', 'right', 'admin'],
  read: ['readOnly', 'readAll', 'right', 'admin'],
  change: ['right', 'admin'],
  'change each': ['elsewhere', 'right', 'admin'],
  'read all': ['readAll', 'admin'],
  'the cluster secret': ['peer'],
}
const CALLERS: readonly Caller[] = [...LET_IN.nothing, 'peer']
const WITHOUT_KEY: readonly Caller[] = ['none', 'wrong', 'peer']

type Guarded = TestServer & { readonly secrets: Readonly<Record<string, string>> }

async function guarded(
  t: Pick<TestContext, 'after'>,
  options: TestServerOptions & { readonly more?: Record<string, KeyOf> } = {},
): Promise<Guarded> {
  const secrets: Record<string, string> = { wrong: createKey() }
  const entries = Object.entries<KeyOf>({ ...KEYS, ...options.more }).map(
    ([name, { permissions, namespaces, rateLimit = null }]) => {
      const patterns = namespaces as readonly NamespacePattern[] | null
      const principal: Principal = { name, permissions: new Set(permissions), namespaces: patterns, rateLimit }
      return { hash: hashKey((secrets[name] = createKey())), principal }
    },
  )
  const keys = new KeyRing()
  keys.replace(entries)
  return { ...(await testServer(t, { ...options, keys, clusterSecret: CLUSTER_SECRET })), secrets }
}

const CLUSTER_SECRET = createKey()

function asCaller({ secrets }: Guarded, caller: string): Record<string, string> {
  if (caller === 'peer') return { authorization: `Bearer ${CLUSTER_SECRET}` }
  return caller === 'none' ? {} : { 'x-api-key': secrets[caller]! }
}

/** Wherever the routes come from: what is registered after this is seen. */
function watchRoutes(seen: string[]): Contract {
  const register: Contract['register'] = (app) => {
    app.addHook('onRoute', ({ method, url }) => void seen.push(...[method].flat().map((one) => `${one} ${url}`)))
  }
  return { ...v1Contract, owns: () => false, register }
}

suite('who may use which route', () => {
  test('every route that is served has a rule, and every rule a route', async (t) => {
    const seen: string[] = []
    await guarded(t, { contracts: [watchRoutes(seen), ...CONTRACTS] })
    // HEAD is GET without the body, and comes with it.
    assert.deepEqual(
      [...new Set(seen.map((route) => route.replace(/^HEAD /, 'GET ')))].toSorted(),
      [...ROUTES.keys()].toSorted(),
    )
  })

  let forRoutes: Guarded
  const ends: (() => unknown)[] = []
  // One for all routes: each finds its timers made anew.
  before(
    async () =>
      (forRoutes = await guarded({ after: (end) => void ends.push(end as () => unknown) }, { contracts: CONTRACTS })),
  )
  after(async () => {
    for (const end of ends.toReversed()) await end()
  })

  for (const [route, rule] of ROUTES) {
    test(`${route} needs ${rule.needs}`, async () => {
      for (const caller of CALLERS) await assertRule(forRoutes, route, rule, caller)
    })
  }

  async function assertRule(server: Guarded, route: string, rule: RouteRule, caller: Caller): Promise<void> {
    const asMade = await makeTimers(server)
    const answer = await ask(server, route, rule, caller)
    const context = `${caller}: ${answer.text.slice(0, 300)}`
    if (LET_IN[rule.needs].includes(caller) || rule.needs === 'nothing')
      return assert.equal(answer.status, rule.ok, context)
    const status = WITHOUT_KEY.includes(caller) || rule.needs === 'the cluster secret' ? 401 : 403
    assert.equal(answer.status, status, context)
    const assertRefusal = rule.refusal ?? assertNativeRefusal
    assertRefusal(answer.json, status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN')
    const asksForKey = status === 401 && rule.needs !== 'the cluster secret'
    assert.equal(answer.headers.get('www-authenticate'), asksForKey ? 'Bearer realm="duetime"' : null)
    assert.deepEqual(await versions(server), asMade, `${caller} was refused and changed a timer`)
  }

  test('of a batch, the items in other namespaces are refused one by one', async (t) => {
    const server = await guarded(t)
    const { json } = await server.post(
      '/api/v1/timers/batch',
      ROUTES.get('POST /api/v1/timers/batch')!.body,
      asCaller(server, 'right'),
    )
    const results = json['results'] as { status: number; error?: string }[]
    assert.deepEqual(
      results.map(({ status, error }) => [status, error]),
      [
        [200, undefined],
        [403, 'FORBIDDEN'],
      ],
    )
  })

  test('a path that is not there tells nothing without a key', async (t) => {
    const server = await guarded(t)
    for (const path of ['/nowhere', '/api/v1/timers/create']) assert.equal((await server.request(path)).status, 401)
    assert.equal((await server.request('/nowhere', { headers: asCaller(server, 'readOnly') })).status, 404)
    assert.equal((await server.request('/api/v1/timers/create', { headers: asCaller(server, 'readOnly') })).status, 405)
  })
})

function ask(server: Guarded, route: string, { path, body }: RouteRule, caller: Caller): Promise<Answer> {
  const [method = '', url = ''] = route.split(' ')
  const headers = asCaller(server, caller)
  if (body === undefined) return server.request(path ?? url, { method, headers })
  return server.request(path ?? url, {
    method,
    body: JSON.stringify(body),
    headers: { ...headers, 'content-type': 'application/json' },
  })
}

const IDS = [TIMER.timerId, UUID]

/** Pending, whatever was done to them before. */
async function makeTimers(server: Guarded): Promise<readonly number[]> {
  for (const id of IDS) {
    const answer = await server.post(
      '/api/v1/timers/create',
      { ...EXAMPLES.create.request, id },
      asCaller(server, 'admin'),
    )
    assert.equal(answer.status, 200, answer.text)
  }
  const { request } = CALENDAR_EXAMPLE
  const namespace = TIMER.namespace as Namespace
  await server.service.as(ANONYMOUS).calendars.put(namespace, { name: 'business-hours', ...request })
  return versions(server)
}

function versions({ service }: TestServer): Promise<readonly number[]> {
  const timers = service.as(ANONYMOUS)
  const names = IDS.map((id) => timerIdentity(TIMER.namespace as Namespace, id as TimerId))
  return Promise.all(names.map(async (name) => (await timers.get(name)).version))
}

suite('a namespace of others', () => {
  test('a refusal is the same to the letter whether or not the timer is there', async (t) => {
    const server = await guarded(t)
    const verbs = ['get', 'update', 'delete', 'trigger', 'pause', 'resume', 'retry'] as const
    const answers = async () => {
      const bodyOf = (verb: string) => (verb === 'update' ? { ...TIMER, payload: 1 } : TIMER)
      const asked = verbs.map((verb) =>
        server.post(`/api/v1/timers/${verb}`, bodyOf(verb), asCaller(server, 'elsewhere')),
      )
      return (await Promise.all(asked)).map(({ status, text, headers }) => [
        status,
        text,
        headers.get('content-length'),
      ])
    }
    const absent = await answers()
    await makeTimers(server)
    assert.deepEqual(await answers(), absent)
    assert.deepEqual(
      absent.map(([status]) => status),
      verbs.map(() => 403),
    )
  })

  test('a preview says nothing about the calendars of others', async (t) => {
    const server = await guarded(t)
    await makeTimers(server)
    const previewed = (name: string, caller: KeyName) =>
      server.post('/api/v1/timers/preview', { schedule: '@daily', calendar: { name } }, asCaller(server, caller))
    assert.equal((await previewed('business-hours', 'readOnly')).status, 400) // it leaves nothing of midnight
    const [there, absent] = [await previewed('business-hours', 'elsewhere'), await previewed('nobody', 'elsewhere')]
    assert.deepEqual([there.status, there.json['message']], [403, absent.json['message']])
  })

  test('a namespace that is not enabled, and one that is, are refused alike', async (t) => {
    const server = await guarded(t, { namespaces: ['default', 'elsewhere'] })
    const refused = (namespace: string) =>
      server.post('/api/v1/timers/get', { ...TIMER, namespace }, asCaller(server, 'elsewhere'))
    assert.equal((await refused('default')).text, (await refused('missing')).text.replaceAll('missing', 'default'))
    assert.equal((await refused('elsewhere')).status, 404)
    assert.equal((await refused('default-x')).status, 400)
  })

  test('a list that names no namespace and is refused says how to list what the key may see', async (t) => {
    const server = await guarded(t)
    const list = (body: object) => server.post('/api/v1/timers/list', body, asCaller(server, 'elsewhere'))
    const { status, json } = await list({})
    const refusal = "the key 'elsewhere' may not use namespace 'default'"
    assert.deepEqual(
      [status, json['message']],
      [403, `${refusal}, which is meant when none is named; "namespace": "*" lists all that the key may use`],
    )
    assert.equal((await list({ namespace: 'default' })).json['message'], refusal)
    assert.equal((await list({ namespace: '*' })).status, 200)
  })

  test('the refusal names what is needed, what is there and the namespace', async (t) => {
    const server = await guarded(t)
    const { json } = await server.post('/api/v1/timers/delete', TIMER, asCaller(server, 'elsewhere'))
    assert.equal(json['message'], "the key 'elsewhere' may not use namespace 'default'")
    assert.deepEqual(json['details'], {
      requiredPermission: 'timer',
      providedPermissions: ['timer'],
      namespace: 'default',
    })
    const read = await server.post('/api/v1/timers/delete', TIMER, asCaller(server, 'readOnly'))
    assert.deepEqual(read.json['details'], { requiredPermission: 'timer', providedPermissions: ['timer:read'] })
  })
})

suite('keys', () => {
  test('no key and a wrong one are answered alike, however they are sent', async (t) => {
    const server = await guarded(t)
    const { secrets } = server
    const attempts: Record<string, string>[] = [
      {},
      { 'x-api-key': '' },
      { 'x-api-key': secrets['wrong']! },
      { 'x-api-key': `${secrets['admin']}x` },
      { 'x-api-key': secrets['admin']!.toUpperCase() },
      { 'x-api-key': hashKey(secrets['admin']!) },
      { 'x-api-key': 'x'.repeat(10_000) },
      { 'x-api-key': `${secrets['admin']}, ${secrets['admin']}` },
      { authorization: secrets['admin']! },
      { authorization: `Basic ${secrets['admin']}` },
      { authorization: 'Bearer ' },
      { authorization: `Bearer ${secrets['wrong']}` },
      { 'x-api-key': secrets['wrong']!, authorization: `Bearer ${secrets['admin']}` },
    ]
    const answers = await Promise.all(attempts.map((headers) => server.post('/api/v1/timers/list', {}, headers)))
    assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
    assert.equal(answers[0]!.status, 401)
  })

  test('X-API-Key and a bearer token are both taken', async (t) => {
    const server = await guarded(t)
    for (const headers of [
      { 'X-API-Key': server.secrets['right']! },
      { Authorization: `bearer  ${server.secrets['right']}` },
    ]) {
      assert.equal((await server.post('/api/v1/timers/list', {}, headers)).status, 200)
    }
  })

  test('a refused request is answered although its body is still on its way, and the connection goes on', async (t) => {
    const server = await guarded(t)
    for (let n = 0; n < 3; n++)
      assert.equal((await server.post('/api/v1/timers/create', 'x'.repeat(7_000_000))).status, 401)
    assert.equal((await server.post('/api/v1/timers/list', {}, asCaller(server, 'right'))).status, 200)
  })

  test('who may only read gets no secrets, not even on asking', async (t) => {
    const server = await guarded(t)
    const callback = {
      type: 'http',
      url: 'https://me:hunter2@example.com/',
      headers: { 'X-Token': 'hunter2', Accept: 'a/b' },
    }
    await server.post('/api/v1/timers/create', { id: 's', schedule: 'PT1H', callback }, asCaller(server, 'right'))
    const get = (caller: KeyName, includeSecrets: boolean) =>
      server.post('/api/v1/timers/get', { timerId: 's', includeSecrets }, asCaller(server, caller))
    assert.equal((await get('readOnly', true)).status, 403)
    assert.deepEqual((await get('right', true)).json['callback'], callback)
    for (const caller of ['readOnly', 'right'] as const) assert.ok(!(await get(caller, false)).text.includes('hunter2'))
    const principal: Principal = {
      name: 'r',
      permissions: new Set([Permission.read]),
      namespaces: null,
      rateLimit: null,
    }
    const timers = server.service.as(principal)
    const { timers: listed } = await timers.list({ filter: {}, after: null, limit: 9 })
    const shown = await timers.get(timerIdentity('default' as Namespace, 's' as TimerId))
    assert.ok(
      !JSON.stringify([shown, listed]).includes('hunter2'),
      'the service itself hides them, whatever a contract shows',
    )
  })

  test('reasons of a part that fails are for those who may see all', async (t) => {
    const ready = { store: () => Promise.reject(new Error('no route to db.internal')) }
    const server = await guarded(t, { ready })
    assert.deepEqual((await server.request('/readyz')).json, { status: 'not ready', parts: { store: 'failed' } })
  })

  test('the documentation says that a key is needed, and where it is not', async (t) => {
    const server = await guarded(t)
    const { json } = await server.request('/openapi.json')
    const paths = json['paths'] as Record<string, Record<string, { security?: unknown }>>
    assert.deepEqual(json['security'], [{ apiKey: [] }, { bearer: [] }])
    assert.deepEqual(paths['/healthz']!['get']!.security, [])
    for (const operation of [paths['/metrics']!['get']!, paths['/api/v1/timers/create']!['post']!])
      assert.ok(!('security' in operation))
    assert.match((await server.request('/docs')).text, /needs an API key/)
  })

  test('answers that need a key are not for caches', async (t) => {
    const server = await guarded(t)
    assert.equal(
      (await server.request('/metrics', { headers: asCaller(server, 'admin') })).headers.get('cache-control'),
      'no-store',
    )
    assert.equal((await server.request('/openapi.json')).headers.get('cache-control'), null)
  })

  test('whoever tries keys all day writes one line in ten seconds, which counts them', async (t) => {
    const lines: Record<string, unknown>[] = []
    const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
    const server = await guarded(t, { logger: createLogger({ logLevel: 'info', logFormat: 'json', destination }) })
    const wrong = () => server.post('/api/v1/timers/list', {}, asCaller(server, 'wrong'))
    for (let n = 0; n < 20; n++) await wrong()
    await server.clock.advance(10_000)
    await wrong()
    const refusals = lines.filter(({ msg }) => msg === 'requests refused: no valid API key')
    assert.deepEqual(
      refusals.map(({ refused, remoteAddress }) => [refused, remoteAddress]),
      [
        [1, '127.0.0.1'],
        [20, '127.0.0.1'],
      ],
    )
    assert.ok(!JSON.stringify(lines).includes(server.secrets['wrong']!))
  })

  test('keys that are replaced count from the next request on', async (t) => {
    const ring = new KeyRing()
    const server = await testServer(t, { keys: ring })
    const key = createKey()
    const list = async () => (await server.post('/api/v1/timers/list', {}, { 'x-api-key': key })).status
    assert.equal(await list(), 401, 'an empty list of keys does not let everybody in')
    ring.replace([{ hash: hashKey(key), principal: ANONYMOUS }])
    assert.equal(await list(), 200)
    ring.replace([])
    assert.equal(await list(), 401)
  })
})

suite('rate limits', () => {
  const more = {
    slow: { ...KEYS.right, rateLimit: { perSecond: 2, burst: 3 } },
    slower: { ...KEYS.right, rateLimit: { perSecond: 0.1, burst: 1 } },
  }
  const SHOWN = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
  const limitsOf = ({ status, headers }: Answer) => [status, ...SHOWN.map((name) => headers.get(name))]

  test('a key that asks too often is told how long to wait, and no other key is held up', async (t) => {
    const server = await guarded(t, { more })
    const now = server.clock.now() / 1_000
    const list = (caller: string) => server.post('/api/v1/timers/list', {}, asCaller(server, caller))
    assert.deepEqual(limitsOf(await list('slow')), [200, '3', '2', String(now + 1)])
    assert.deepEqual(limitsOf(await list('slow')), [200, '3', '1', String(now + 1)])
    assert.deepEqual(limitsOf(await list('slow')), [200, '3', '0', String(now + 2)])
    const refused = await list('slow')
    assert.deepEqual(limitsOf(refused), [429, '3', '0', String(now + 2)])
    assertNativeRefusal(refused.json, 'RATE_LIMITED')
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.deepEqual(refused.json['details'], { retryAfterMs: 500 })
    assert.deepEqual(limitsOf(await list('right')), [200, null, null, null])
    await server.clock.advance(500)
    assert.equal((await list('slow')).status, 200)
    assert.equal((await list('slow')).status, 429)
  })

  test('errors show the limit too, and what is refused for its rate is not carried out', async (t) => {
    const server = await guarded(t, { more })
    assert.deepEqual(limitsOf(await server.post('/api/v1/timers/get', TIMER, asCaller(server, 'slower'))).slice(0, 3), [
      404,
      '1',
      '0',
    ])
    const refused = await server.post('/api/v1/timers/create', EXAMPLES.create.request, asCaller(server, 'slower'))
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '10'])
    await assert.rejects(versions(server), { code: 'TIMER_NOT_FOUND' })
  })

  const refusals: readonly [path: string, check: (json: Answer['json']) => void][] = [
    ['/api/v1/timers/orders/a', (json) => assertNativeRefusal(json, 'RATE_LIMITED')],
    ['/timers', (json) => assert.deepEqual([json['code'], json['data'], typeof json['message']], [1, null, 'string'])],
    [
      '/api/v1/timers/stats',
      (json) => {
        const { code, details } = json['error'] as { code: string; details: Record<string, unknown> }
        assert.deepEqual(
          [json['success'], code, details['retry_after'], typeof json['request_id']],
          [false, 'RATE_LIMITED', 10, 'string'],
        )
      },
    ],
  ]
  for (const [path, check] of refusals) {
    test(`too many requests to ${path} are refused in its contract's own shape`, async (t) => {
      const server = await guarded(t, { more, contracts: CONTRACTS })
      await server.request(path, { headers: asCaller(server, 'slower') })
      const refused = await server.request(path, { headers: asCaller(server, 'slower') })
      assert.deepEqual(limitsOf(refused).slice(0, 3), [429, '1', '0'])
      assert.equal(refused.headers.get('retry-after'), '10')
      check(refused.json)
    })
  }
})

suite('a path that two contracts share', () => {
  const odd: Contract = {
    ...v1Contract,
    owns: ({ path, body }) => path === '/shared' && (body as { odd?: unknown } | undefined)?.odd !== undefined,
    register: (app) => void app.post('/shared', { config: { sharedByBody: true } }, () => ({})),
    renderError: (error) => ({ status: 499, body: JSON.stringify({ odd: error.code }) }),
  }

  test('is refused in the words of the one that the body speaks', async (t) => {
    const server = await guarded(t, { contracts: [v1Contract, odd] })
    const refusal = async (body: unknown) => (await server.post('/shared', body)).json
    assert.deepEqual(await refusal({ odd: 1 }), { odd: 'UNAUTHORIZED' })
    for (const body of ['{"odd":', { odd: 'x'.repeat(20_000) }])
      assert.deepEqual(await refusal(body), { odd: 'UNAUTHORIZED' })
    const others = [{ even: 1 }, '{"odd"', '', { even: 'x'.repeat(200_000), odd: 1 }]
    for (const body of others) assert.equal((await refusal(body))['error'], 'UNAUTHORIZED')
    const unknownLength = new Blob(['{"odd":"'.padEnd(30_000, 'x')]).stream()
    const init = {
      method: 'POST',
      body: unknownLength,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    }
    assert.deepEqual((await server.request('/shared', init as RequestInit)).json, { odd: 'UNAUTHORIZED' })
  })
})
