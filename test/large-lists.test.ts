// Lists of a thousand timers with the largest payloads, several at once, asked of a service with little memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accepted, Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { natsClient } from './support/nats-client.ts'
import { needsNats, startNatsServer } from './support/nats-server.ts'
import { startService } from './support/service.ts'
import type { Service } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const FAR = '2090-01-01T00:00:00Z'
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=256' }
const PAYLOAD = 'x'.repeat(255 * 1_024 - 2)
const CREATED_AT_ONCE = 8

type ListJson = {
  readonly timers: readonly { readonly id: string; readonly payload: string }[]
  readonly nextCursor?: string
  readonly nextOffset?: number
}

async function addLarge(service: Service, count: number): Promise<readonly string[]> {
  const client = new Client(() => service)
  const ids = Array.from({ length: count }, (_, n) => `large-${String(n).padStart(4, '0')}`)
  const waiting = ids.values()
  const work = async () => {
    for (const id of waiting)
      await accepted(client.create({ id, executeAt: FAR, callbackUrl: 'http://127.0.0.1:9/', payload: PAYLOAD }))
  }
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, work))
  return ids
}

function list(service: Service, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${service.url}/api/v1/timers/list`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ limit: 1_000, ...body }),
  })
}

/** Follows the pages to the end, coming again when told to. */
async function walk(service: Service, query: object): Promise<string[]> {
  const found: string[] = []
  let place: object | null = {}
  while (place !== null) {
    const response: Response = await list(service, { ...query, ...place })
    if (response.status === 503) {
      assert.ok(Number(response.headers.get('retry-after')) >= 1)
      await response.text()
      continue
    }
    assert.equal(response.status, 200)
    const { timers, nextCursor, nextOffset } = (await response.json()) as ListJson
    assert.ok(timers.every(({ payload }) => payload.length === PAYLOAD.length))
    found.push(...timers.map(({ id }) => id))
    place = nextCursor !== undefined ? { cursor: nextCursor } : nextOffset !== undefined ? { offset: nextOffset } : null
  }
  return found
}

test('a service with 256 MB of heap answers many lists of large timers at once, and all timers come through', async (t) => {
  const service = await startService(t, { cwd: tempDir(t), env: { ...SMALL_HEAP, LIST_BYTES_MAX: '4MiB' } })
  const ids = await addLarge(service, 1_000)

  const flood = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const response = await (n % 4 === 0
        ? fetch(`${service.url}/api/v1/timers?page_size=100`)
        : list(service, n % 4 === 1 ? { sort: 'dueAt' } : {}))
      await response.arrayBuffer()
      return response
    }),
  )
  assert.ok(flood.some(({ status }) => status === 200))
  for (const { status, headers } of flood)
    assert.ok(status === 200 || (status === 503 && Number(headers.get('retry-after')) >= 1), String(status))

  const walks = await Promise.all([
    walk(service, {}),
    walk(service, { sort: 'dueAt', offset: 0 }),
    walk(service, { search: 'large-00' }),
  ])
  assert.deepEqual(
    walks.map((found) => found.length),
    [1_000, 1_000, 100],
  )
  for (const found of walks) assert.deepEqual(found.toSorted(), ids.slice(0, found.length))
  assert.ok(service.isAlive, service.output)
})

test('a list over NATS fits into a message, page after page', needsNats, async (t) => {
  const server = await startNatsServer(t)
  const service = await startService(t, { cwd: tempDir(t), env: { NATS_URL: server.url, LIST_BYTES_MAX: '1MiB' } })
  const ids = await addLarge(service, 40)
  const client = await natsClient(t, server)
  const ask = (body: object) => client.request('duetime.v1.timers.list', body)
  await eventually('answered', () => ask({ limit: 1 }))
  const found: string[] = []
  let place: object = {}
  while (found.length < ids.length) {
    const { json, error } = await ask({ limit: 1_000, ...place })
    assert.equal(error, '')
    const { timers, nextCursor } = json as unknown as ListJson
    found.push(...timers.map(({ id }) => id))
    place = { cursor: nextCursor }
  }
  assert.deepEqual(found.toSorted(), ids)
})
