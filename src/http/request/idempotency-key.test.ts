// What an idempotency key promises holds for every contract whose creates come without an id.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { CONTRACTS } from '../contracts/all-contracts.ts'
import { testServer } from '../test-server.fixture.ts'
import type { Answer } from '../test-server.fixture.ts'

const MINUTE = 60_000
const DUE = new Date(Date.UTC(2029, 11, 1, 12) + MINUTE).toISOString()
const HOOK = 'https://example.com/hook'

type Dialect = {
  readonly path: string
  readonly field: string
  readonly body: (payload?: unknown) => Record<string, unknown>
  readonly idOf: (answer: Answer) => string
  readonly errorOf: (answer: Answer) => readonly [status: number, message: string]
  readonly reused: readonly [status: number, message: RegExp]
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  v1: {
    path: '/api/v1/timers/create',
    field: 'idempotencyKey',
    body: (payload = 1) => ({ executeAt: DUE, callbackUrl: HOOK, payload }),
    idOf: ({ json }) => json['id'] as string,
    errorOf: ({ status, json }) => [status, json['message'] as string],
    reused: [409, /other parameters/],
  },
  platform: {
    path: '/timers',
    field: 'idempotency_key',
    body: (payload = 1) => ({ execute_at: DUE, callback: { type: 'http', url: HOOK, payload } }),
    idOf: ({ json }) => (json['data'] as { id: string }).id,
    errorOf: ({ status, json }) => [status, json['message'] as string],
    reused: [400, /other parameters/],
  },
}

async function setup(t: TestContext) {
  const server = await testServer(t, { contracts: CONTRACTS })
  const count = async () => ((await server.post('/api/v1/timers/list', {})).json['timers'] as unknown[]).length
  return { ...server, count }
}

for (const [name, { path, field, body, idOf, errorOf, reused }] of Object.entries(DIALECTS)) {
  test(`${name}: a key that is no key is refused, and so are two that differ`, async (t) => {
    const { post, count } = await setup(t)
    const refused = async (answer: Answer, message: RegExp) => {
      const [status, text] = errorOf(answer)
      assert.equal(status, 400, answer.text)
      assert.match(text, message)
    }
    await refused(await post(path, body(), { 'idempotency-key': 'a b' }), /^Idempotency-Key must have 1 to 255 visible/)
    await refused(await post(path, body(), { 'idempotency-key': '' }), /^Idempotency-Key must have 1 to 255 visible/)
    await refused(
      await post(path, body(), { 'idempotency-key': 'x'.repeat(256) }),
      /^Idempotency-Key must have 1 to 255 visible/,
    )
    await refused(await post(path, { ...body(), [field]: 'ä' }), new RegExp(`^${field} must have 1 to 255 visible`))
    await refused(await post(path, { ...body(), [field]: '' }), new RegExp(`^${field} must have`))
    await refused(await post(path, { ...body(), [field]: 7 }), new RegExp(`^${field} must be`))
    await refused(await post(path, { ...body(), [field]: 'a' }, { 'idempotency-key': 'b' }), /differ: give one of them/)
    assert.equal(await count(), 0)
  })

  test(`${name}: the same key with other parameters is refused, and the timer stays as it is`, async (t) => {
    const { post, count } = await setup(t)
    await post(path, { ...body(1), [field]: 'k' })
    const [status, message] = errorOf(await post(path, { ...body(2), [field]: 'k' }))
    assert.equal(status, reused[0])
    assert.match(message, reused[1])
    assert.equal(await count(), 1)
  })

  test(`${name}: one timer, however often and in whatever way the key is repeated`, async (t) => {
    const { post, count, clock, firings } = await setup(t)
    const first = await post(path, { ...body(), [field]: 'k' })
    const repeats = await Promise.all([
      post(path, { ...body(), [field]: 'k' }),
      post(path, body(), { 'idempotency-key': 'k' }),
      post(path, body(), { 'idempotency-key': '"k"' }),
      post(path, { ...body(), [field]: 'k' }, { 'idempotency-key': 'k' }),
    ])
    for (const repeat of repeats) assert.deepEqual([repeat.status, repeat.json], [first.status, first.json])
    await clock.advance(10 * MINUTE)
    assert.equal(firings.length, 1)
    // Its due time has passed by now; the repeated create is still not a wrong one.
    const late = await post(path, { ...body(), [field]: 'k' })
    assert.deepEqual([late.status, idOf(late)], [first.status, idOf(first)])
    assert.equal(await count(), 1)
    await clock.advance(10 * MINUTE)
    assert.equal(firings.length, 1)
  })

  test(`${name}: a repeated create brings no canceled timer back`, async (t) => {
    const { post, clock, firings } = await setup(t)
    const id = idOf(await post(path, { ...body(), [field]: 'k' }))
    await post('/api/v1/timers/delete', { timerId: id })
    const repeat = await post(path, { ...body(), [field]: 'k' })
    assert.ok(repeat.status < 300 && repeat.text.includes('"status":"canceled"'), repeat.text)
    await clock.advance(10 * MINUTE)
    assert.equal(firings.length, 0)
  })
}

test('keys of two namespaces have nothing to do with each other', async (t) => {
  const { post } = await setup(t)
  const create = async (namespace: string) =>
    (await post('/api/v1/timers/create', { ...DIALECTS['v1']!.body(), namespace, idempotencyKey: 'k' })).json['id']
  assert.notEqual(await create('a'), await create('b'))
})

test('with an id: a key in the body is refused, a header is ignored', async (t) => {
  const { post } = await setup(t)
  const named = { ...DIALECTS['v1']!.body(), id: 'own' }
  const refused = await post('/api/v1/timers/create', { ...named, idempotencyKey: 'k' })
  assert.deepEqual([refused.status, (refused.json['details'] as { field: string }).field], [400, 'idempotencyKey'])
  const again = { ...DIALECTS['v1']!.body(), idempotencyKey: 'k', onConflict: 'replace' }
  assert.equal((await post('/api/v1/timers/create', again)).status, 400)
  for (const version of [1, 2]) {
    const { json } = await post('/api/v1/timers/create', named, { 'idempotency-key': 'k' })
    assert.deepEqual([json['id'], json['version']], ['own', version])
  }
})
