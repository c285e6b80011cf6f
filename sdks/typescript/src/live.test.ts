import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { Duetime } from './client.ts'
import type { DuetimeError } from './errors.ts'
import type { LiveOptions } from './live.ts'

type Reply = (response: ServerResponse) => unknown

const EVENT = 'event: skipped\ndata: {"events":1}\n\n'
const CUT: Reply = (response) => response.destroy()
const SHORT: Reply = (response) => response.end(EVENT)
const ENDED: Reply = (response) => response.end('event: end\ndata: {"reason":"time"}\n\n')

function refused(status: number, headers: Record<string, string> = {}): Reply {
  const body = { error: 'INTERNAL', message: 'no', details: {}, timestamp: '2030-01-31T09:00:00.000Z' }
  return (response) => response.writeHead(status, headers).end(JSON.stringify(body))
}

/** A server that answers each connection with the next of the replies, and what the listener is told meanwhile. */
async function setup(t: TestContext, replies: readonly Reply[]) {
  const rest = replies.values()
  const server = createServer((_, response) => rest.next().value!(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const told: unknown[] = []
  const onConnection: LiveOptions['onConnection'] = (isConnected, broken) =>
    void told.push(broken === null ? isConnected : [isConnected, broken.error?.code ?? null, broken.retryInMs])
  const duetime = new Duetime({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  const live = (options: LiveOptions = {}) =>
    duetime.live({ onConnection, backoffMs: (failures) => 10 + failures, ...options })
  return { live, told }
}

test('a refusal that waiting will not change is thrown', async (t) => {
  const { live } = await setup(t, [refused(403)])
  await assert.rejects(Array.fromAsync(live()), (error: DuetimeError) => error.status === 403)
})

test('who listens is told why the stream is not there, and when it is tried again', async (t) => {
  const { live, told } = await setup(t, [CUT, refused(500), SHORT, CUT, ENDED])
  assert.equal((await Array.fromAsync(live())).length, 1)
  assert.deepEqual(told, [
    [false, 'NETWORK', 10],
    [false, 'INTERNAL', 11],
    true,
    [false, null, 10],
    [false, 'NETWORK', 11],
    true,
  ])
})

test('the service is not asked sooner than it wants to be', async (t) => {
  const { live, told } = await setup(t, [refused(429, { 'retry-after': '1' }), ENDED])
  await Array.fromAsync(live())
  assert.deepEqual(told, [[false, 'INTERNAL', 1_000], true])
})

test('nothing comes any more once the signal is aborted, even if it has arrived already', async (t) => {
  const { live } = await setup(t, [(response) => response.write(EVENT.repeat(3))])
  const controller = new AbortController()
  let events = 0
  for await (const _ of live({ signal: controller.signal })) {
    events++
    controller.abort()
  }
  assert.equal(events, 1)
})
