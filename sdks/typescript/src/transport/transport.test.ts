import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { DuetimeError } from '../errors.ts'
import { fetchExchange } from './exchange.ts'
import { nodeExchange } from './node-exchange.ts'
import { Transport } from './transport.ts'

const WAYS = ['fetch', 'node:http'] as const
type Way = (typeof WAYS)[number]
type Reply = (response: ServerResponse) => unknown

const OK: Reply = (response) => response.end('{"done":true}')
const NEVER: Reply = () => {}
const CUT: Reply = (response) => response.destroy()

function refused(status: number, error: string, headers: Record<string, string> = {}): Reply {
  const body = { error, message: 'no', details: {}, timestamp: '2030-01-31T09:00:00.000Z' }
  return (response) => response.writeHead(status, headers).end(JSON.stringify(body))
}

/** Whatever carries the requests, the same is promised. */
function bothWays(name: string, run: (t: TestContext, by: Way) => Promise<void>): void {
  for (const by of WAYS) test(`${name} (${by})`, (t) => run(t, by))
}

/** A server that answers each request with the next of the replies. */
async function setup(
  t: TestContext,
  by: Way,
  replies: readonly Reply[],
  { attemptTimeoutMs = 10_000, timeoutMs = 20_000 } = {},
) {
  const arrivals: number[] = []
  const server = createServer((_request, response) => replies[arrivals.push(performance.now()) - 1]!(response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fetchOfThePlatform = fetch as never
  const byFetch = fetchExchange(url, fetchOfThePlatform)
  const transport = new Transport({
    url,
    headers: () => ({}),
    fetch: fetchOfThePlatform,
    exchange: by === 'fetch' ? byFetch : nodeExchange(url, byFetch)!,
    timeoutMs,
    attemptTimeoutMs,
    retries: 5,
  })
  const uncertainties: boolean[] = []
  const call = { method: 'POST', path: '/', body: (uncertain: boolean) => uncertainties.push(uncertain) } as const
  const request = (more: object = {}) => transport.request({ ...call, ...more }, transport.budget())
  return { request, arrivals, uncertainties }
}

bothWays('what trying again would not change is thrown at once', async (t, by) => {
  for (const [status, code] of [
    [400, 'INVALID_INPUT'],
    [401, 'UNAUTHORIZED'],
    [404, 'TIMER_NOT_FOUND'],
    [500, 'INTERNAL'],
  ] as const) {
    const { request, arrivals } = await setup(t, by, [refused(status, code)])
    await assert.rejects(
      request(),
      (error: DuetimeError) => error.code === code && error.status === status && !error.retryable,
    )
    assert.equal(arrivals.length, 1)
  }
})

bothWays('a server that asks for more time than there is left is not waited for', async (t, by) => {
  const { request, arrivals } = await setup(t, by, [refused(503, 'UNAVAILABLE', { 'retry-after': '60' })])
  await assert.rejects(
    request(),
    (error: DuetimeError) => error.code === 'UNAVAILABLE' && error.retryAfterMs === 60_000,
  )
  assert.equal(arrivals.length, 1)
})

bothWays('Retry-After is kept', async (t, by) => {
  const { request, arrivals } = await setup(t, by, [refused(429, 'RATE_LIMITED', { 'retry-after': '1' }), OK])
  assert.deepEqual((await request()).body, { done: true })
  assert.ok(arrivals[1]! - arrivals[0]! >= 1_000)
})

bothWays('it is told from then on that an attempt may have been carried out, and only then', async (t, by) => {
  const replies = [
    refused(429, 'RATE_LIMITED'),
    refused(503, 'NOT_OWNER'),
    refused(503, 'UNAVAILABLE'),
    refused(429, 'RATE_LIMITED'),
    OK,
  ]
  const { request, uncertainties } = await setup(t, by, replies)
  await request()
  assert.deepEqual(uncertainties, [false, false, false, true, true])
})

bothWays('a broken connection, a silent server and the error pages of proxies are tried again', async (t, by) => {
  const page: Reply = (response) => response.writeHead(502).end('<h1>Bad Gateway</h1>')
  const gone: Reply = (response) => response.writeHead(504).end()
  const halfway: Reply = (response) =>
    void response.writeHead(200, { 'content-length': '100' }).write('{"don', () => response.destroy())
  const { request, arrivals } = await setup(t, by, [CUT, NEVER, page, gone, halfway, OK], { attemptTimeoutMs: 300 })
  assert.deepEqual((await request()).body, { done: true })
  assert.equal(arrivals.length, 6)
})

bothWays('what must happen once only is sent again only while it cannot have happened', async (t, by) => {
  const { request, arrivals } = await setup(t, by, [refused(429, 'RATE_LIMITED'), CUT])
  await assert.rejects(
    request({ onceOnly: true }),
    (error: DuetimeError) => error.code === 'NETWORK' && error.attempts === 2,
  )
  assert.equal(arrivals.length, 2)
})

bothWays('after the last attempt its error is thrown', async (t, by) => {
  const { request, arrivals } = await setup(
    t,
    by,
    Array.from({ length: 6 }, () => CUT),
  )
  await assert.rejects(request(), (error: DuetimeError) => error instanceof DuetimeError && error.attempts === 6)
  assert.equal(arrivals.length, 6)
})

bothWays('a server that never answers is given up when the time for everything is over', async (t, by) => {
  const { request } = await setup(t, by, [NEVER, NEVER, NEVER, NEVER, NEVER, NEVER], { timeoutMs: 200 })
  await assert.rejects(
    request(),
    (error: DuetimeError) => error.code === 'TIMEOUT' && error.retryable && error.status === 0,
  )
})

bothWays('a redirect is followed', async (t, by) => {
  const moved: Reply = (response) => response.writeHead(307, { location: '/elsewhere' }).end()
  const { request, arrivals } = await setup(t, by, by === 'fetch' ? [moved, OK] : [moved, moved, OK])
  assert.deepEqual((await request()).body, { done: true })
  assert.equal(arrivals.length, by === 'fetch' ? 2 : 3)
})
