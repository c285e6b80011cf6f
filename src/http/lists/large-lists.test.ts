// Lists of large timers, and many at once, in every contract.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { METADATA_BYTES_MAX, PAGE_BYTES_MAX } from '../../core/limits.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import { CONTRACTS } from '../contracts/all-contracts.ts'
import { testServer } from '../test-server.fixture.ts'
import type { Answer, TestServer, TestServerOptions } from '../test-server.fixture.ts'

const HOOK = 'https://example.com/hook'
const LARGE = 'x'.repeat(200 * 1_024)
type Listed = { readonly id: string; readonly payload?: string }

/** Twelve of 200 KiB each: five to a page. */
async function setup(t: TestContext, options: TestServerOptions = {}) {
  const server = await testServer(t, { contracts: CONTRACTS, ...options })
  for (let n = 0; n < 12; n++) {
    const created = await server.post('/api/v1/timers/create', {
      id: `large-${10 + n}`,
      schedule: `PT${60 + n}M`,
      callbackUrl: HOOK,
      payload: LARGE,
    })
    assert.equal(created.status, 200, created.text)
  }
  const list = (body: object) => server.post('/api/v1/timers/list', body)
  return { ...server, list }
}

function timersIn({ status, json, text }: Answer): readonly Listed[] {
  assert.equal(status, 200, text.slice(0, 500))
  return json['timers'] as readonly Listed[]
}

test('a list of large timers is short pages with a cursor, streamed, and nothing is left out', async (t) => {
  const { list } = await setup(t)
  const found: Listed[] = []
  let cursor: string | undefined
  do {
    const answer = await list({ limit: 1_000, ...(cursor === undefined ? {} : { cursor }) })
    const timers = timersIn(answer)
    assert.ok(
      timers.length <= 5 && answer.text.length < PAGE_BYTES_MAX + 10_000,
      `${timers.length} timers, ${answer.text.length} bytes`,
    )
    assert.equal(answer.headers.get('content-length'), null)
    found.push(...timers)
    cursor = answer.json['nextCursor'] as string | undefined
  } while (cursor !== undefined)
  assert.deepEqual(
    found.map(({ id }) => id),
    Array.from({ length: 12 }, (_, n) => `large-${10 + n}`),
  )
  assert.ok(found.every(({ payload }) => payload === LARGE))
})

test('a sorted list and a search of large timers say where they go on', async (t) => {
  const { list } = await setup(t)
  for (const query of [{ sort: 'dueAt' }, { search: 'large' }]) {
    const ids: string[] = []
    let offset: number | undefined = 0
    while (offset !== undefined) {
      const answer: Answer = await list({ ...query, offset, limit: 1_000 })
      ids.push(...timersIn(answer).map(({ id }) => id))
      assert.equal(answer.json['total'], 12)
      offset = answer.json['nextOffset'] as number | undefined
    }
    assert.deepEqual(
      ids,
      Array.from({ length: 12 }, (_, n) => `large-${10 + n}`),
    )
    const whole = await list({ ...query, limit: 5 })
    assert.deepEqual(
      [timersIn(whole).length, whole.json['nextOffset']],
      [5, undefined],
      'a page as long as was asked for says nothing',
    )
  }
})

test('fields say what is shown: without payloads all fit on a page', async (t) => {
  const { list } = await setup(t)
  for (const query of [{}, { sort: 'dueAt' }, { search: 'l' }]) {
    const answer = await list({ ...query, fields: ['id', 'status'] })
    assert.deepEqual(timersIn(answer)[0], { id: 'large-10', status: 'pending' })
    assert.equal(timersIn(answer).length, 12)
    assert.ok(!('nextCursor' in answer.json) && !('nextOffset' in answer.json))
  }
  const refused = await list({ fields: ['id', 'paylod'] })
  assert.equal(refused.status, 400)
  assert.match(String(refused.json['message']), /fields.*(id|payload)/)
  assert.equal((await list({ fields: [] })).status, 400)
})

test('a list that is passed on by another entry point fits into what that takes', async (t) => {
  const { post } = await setup(t)
  const headers = { 'x-answer-max-bytes': String(450 * 1_024) }
  const first = await post('/api/v1/timers/list', { limit: 1_000 }, headers)
  assert.deepEqual(
    timersIn(first).map(({ id }) => id),
    ['large-10', 'large-11'],
  )
  const second = await post('/api/v1/timers/list', { limit: 1_000, cursor: first.json['nextCursor'] }, headers)
  assert.deepEqual(
    timersIn(second).map(({ id }) => id),
    ['large-12', 'large-13'],
  )
  const sorted = await post('/api/v1/timers/list', { limit: 1_000, sort: 'dueAt' }, headers)
  assert.deepEqual([timersIn(sorted).length, sorted.json['nextOffset']], [2, 2])
})

test('pages by number have all their timers, however large these are', async (t) => {
  const { url, post } = await testServer(t, { contracts: CONTRACTS })
  const metadata = { fill: 'x'.repeat(METADATA_BYTES_MAX - 20) }
  const headers = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x-${n}`, 'x'.repeat(4_000)]))
  for (let n = 0; n < 100; n++) {
    const callback = { type: 'http', url: `${HOOK}?${'x'.repeat(2_000)}`, headers }
    const created = await post('/api/v1/timers/create', {
      schedule: 'PT1H',
      callback,
      metadata,
      payload: n < 9 ? LARGE : null,
    })
    assert.equal(created.status, 200, created.text)
  }
  const read = async (path: string) =>
    ((await (await fetch(`${url}${path}`)).json()) as { data: { timers: unknown[] } }).data.timers.length
  assert.equal(await read('/timers?limit=200'), 100)
  assert.equal(await read('/api/v1/timers?page_size=100'), 100)
})

/** A store whose lists wait for a word. */
function heldStore(t: TestContext) {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const store = new MemoryStore()
  const list = store.list.bind(store)
  store.list = async (query) => {
    asked.resolve()
    await answered.promise
    return list(query)
  }
  t.after(() => answered.resolve())
  return { store, asked: asked.promise, release: answered.resolve }
}

const LISTS: Readonly<Record<string, (server: TestServer) => Promise<Response>>> = {
  v1: ({ url }) =>
    fetch(`${url}/api/v1/timers/list`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"sort":"dueAt"}',
    }),
  cycles: ({ url }) => fetch(`${url}/api/v1/timers`),
  platform: ({ url }) => fetch(`${url}/timers`),
}

test('more lists at once than memory is set aside for are told to come again, in the words of their contract', async (t) => {
  const { store, asked, release } = heldStore(t)
  const server = await testServer(t, { contracts: CONTRACTS, store, listBytesMax: PAGE_BYTES_MAX })
  const first = server.post('/api/v1/timers/list', {})
  await asked
  for (const [contract, list] of Object.entries(LISTS)) {
    const answer = await list(server)
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1'], contract)
    assert.match(
      await answer.text(),
      contract === 'platform'
        ? /^{"code":1,/
        : contract === 'cycles'
          ? /"code":"UNAVAILABLE"/
          : /^{"error":"UNAVAILABLE"/,
    )
  }
  assert.equal(
    (await server.post('/api/v1/timers/create', { schedule: 'PT1H', callbackUrl: HOOK })).status,
    200,
    'everything else goes on',
  )
  release()
  assert.equal((await first).status, 200)
  for (const list of Object.values(LISTS)) assert.equal((await list(server)).status, 200)
})

test('a client that goes away leaves its place to the next', async (t) => {
  const { store, asked, release } = heldStore(t)
  const server = await testServer(t, { contracts: CONTRACTS, store, listBytesMax: PAGE_BYTES_MAX })
  const abort = new AbortController()
  const first = fetch(`${server.url}/api/v1/timers/list`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    signal: abort.signal,
  })
  await asked
  abort.abort()
  await assert.rejects(first)
  release()
  // The service learns that the connection is closed a moment later.
  let answer = await LISTS['v1']!(server)
  for (let tries = 0; answer.status === 503 && tries < 1_000; tries++) answer = await LISTS['v1']!(server)
  assert.equal(answer.status, 200)
})
