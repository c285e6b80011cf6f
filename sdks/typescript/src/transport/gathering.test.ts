import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { Duetime } from '../client.ts'
import type { DuetimeError } from '../errors.ts'
import type { DuetimeOptions } from '../options.ts'

type Item = { readonly id?: string; readonly timerId?: string; readonly action?: string; readonly payload?: unknown }
type Received = {
  readonly path: string
  readonly items: readonly Item[]
  readonly answer: () => void
  /** Of all that is in it. */
  readonly refuse: () => void
  /** Answers with what a client does not know, if it asked for that. */
  readonly short: () => void
}

const LATER = { after: '1h', callbackUrl: 'http://127.0.0.1:9/never' } as const

/** A service that takes everything, when the test says so. */
async function setup(t: TestContext, options: DuetimeOptions = {}) {
  const received: Received[] = []
  let arrived = Promise.withResolvers<void>()
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.parse(await text(request)) as Item & { timers?: Item[] }
    const items = body.timers ?? [body]
    received.push({
      path: request.url!,
      items,
      answer: () => answer(response, items, body.timers !== undefined),
      refuse: () =>
        response.writeHead(400).end(JSON.stringify({ error: 'INVALID_INPUT', message: 'unreadable', details: {} })),
      short: () => {
        assert.equal(request.headers['prefer'], 'return=minimal')
        shortAnswer(response, items)
      },
    })
    arrived.resolve()
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  /** The next one that comes, or has come and was not asked for yet. */
  let asked = 0
  const next = async (): Promise<Received> => {
    while (received.length <= asked) {
      await arrived.promise
      arrived = Promise.withResolvers<void>()
    }
    return received[asked++]!
  }
  return { client: new Duetime({ url, ...options }), next, received }
}

function answer(response: ServerResponse, items: readonly Item[], isBatch: boolean): void {
  const timers = items.map((item) => ({ id: item.id ?? item.timerId, payload: item.payload }))
  response.end(JSON.stringify(isBatch ? { results: timers.map((timer) => ({ status: 200, timer })) } : timers[0]))
}

function shortAnswer(response: ServerResponse, items: readonly Item[]): void {
  const results = items.map(({ id }) => ({
    status: 200,
    made: { executeAt: `at-${id}`, createdAt: 'now', version: 1, deliveryId: `d-${id}` },
  }))
  const retry = { retryPolicy: { maxRetries: 3 }, callbackTimeout: '30s', callbackTimeoutSeconds: 30 }
  response.end(JSON.stringify({ results, plainTimer: { status: 'pending', ...retry, attemptCount: 0, attempts: [] } }))
}

test('a call that is alone is a request of its own', async (t) => {
  const { client, next } = await setup(t)
  const made = client.create({ ...LATER, id: 'a' })
  const { path, answer: go } = await next()
  assert.equal(path, '/api/v1/timers/create')
  go()
  assert.equal((await made).id, 'a')
})

test('calls that are made at the same time are one request, and what comes while two are under way goes with the next', async (t) => {
  const { client, next } = await setup(t)
  const first = [client.create({ ...LATER, id: 'a' }), client.update('b', { payload: 1 })]
  const one = await next()
  const second = client.create({ ...LATER, id: 'c' })
  const two = await next()
  const third = [client.create({ ...LATER, id: 'd' }), client.create({ ...LATER, id: 'e' })]
  one.answer()
  assert.deepEqual(
    (await Promise.all(first)).map(({ id }) => id),
    ['a', 'b'],
  )
  const three = await next()
  two.answer()
  three.answer()
  await Promise.all([second, ...third])
  assert.deepEqual(
    [one, two, three].map(({ path, items }) => [path, items.map(({ id, timerId, action }) => [id ?? timerId, action])]),
    [
      [
        '/api/v1/timers/batch',
        [
          ['a', undefined],
          ['b', 'update'],
        ],
      ],
      ['/api/v1/timers/create', [['c', undefined]]],
      [
        '/api/v1/timers/batch',
        [
          ['d', undefined],
          ['e', undefined],
        ],
      ],
    ],
  )
})

test('many calls that are made at the same time are two requests, which go at once, and few are one', async (t) => {
  const { client, next, received } = await setup(t)
  const made = Array.from({ length: 33 }, (_, n) => client.create({ ...LATER, id: String(n) }))
  const [one, two] = [await next(), await next()]
  assert.deepEqual([one.items.length, two.items.length], [17, 16])
  one.answer()
  two.answer()
  await Promise.all(made)
  const few = Array.from({ length: 15 }, (_, n) => client.create({ ...LATER, id: `few-${n}` }))
  const three = await next()
  assert.equal(three.items.length, 15)
  three.answer()
  await Promise.all(few)
  assert.equal(received.length, 3)
})

test('a batch is one request, and creates with one idempotency key are in order', async (t) => {
  const { client, next, received } = await setup(t)
  const items = Array.from({ length: 20 }, (_, n) => ({ ...LATER, id: String(n) }))
  const batch = client.batch([...items, { ...LATER, idempotencyKey: 'k' }, { ...LATER, idempotencyKey: 'k' }])
  const one = await next()
  assert.equal(one.items.length, 21)
  one.answer()
  const two = await next()
  assert.equal(two.items.length, 1)
  two.answer()
  assert.ok((await batch).every(({ ok }) => ok))
  assert.equal(received.length, 2)
})

test('requests that take long do not hold up the calls after them', async (t) => {
  const { client, next } = await setup(t)
  const controller = new AbortController()
  const stuck: Promise<unknown>[] = []
  for (const id of ['a', 'b']) {
    stuck.push(client.create({ ...LATER, id }, { signal: controller.signal }))
    await next()
  }
  const made = client.create({ ...LATER, id: 'c' })
  const third = await next()
  third.answer()
  assert.equal((await made).id, 'c')
  controller.abort(new Error('over'))
  for (const one of await Promise.allSettled(stuck)) assert.equal(one.status, 'rejected')
})

test('a create that is answered in short gets the whole timer, with its payload as it was sent', async (t) => {
  const { client, next } = await setup(t)
  const sentAt = new Date(0)
  const payloads = ['a', 'b'].map((id) => ({ id, sentAt }))
  const made = payloads.map((payload) => client.create({ ...LATER, id: payload.id, payload }))
  const { short } = await next()
  for (const payload of payloads) payload.id = 'changed since'
  short()
  for (const [index, timer] of (await Promise.all(made)).entries()) {
    const id = 'ab'[index]
    assert.deepEqual(timer, {
      id,
      namespace: 'default',
      groupId: 'default',
      status: 'pending',
      executeAt: `at-${id}`,
      schedule: 'PT1H',
      callbackUrl: LATER.callbackUrl,
      callback: { type: 'http', url: LATER.callbackUrl },
      payload: { id, sentAt: sentAt.toISOString() },
      retryPolicy: { maxRetries: 3 },
      callbackTimeout: '30s',
      callbackTimeoutSeconds: 30,
      createdAt: 'now',
      updatedAt: 'now',
      attemptCount: 0,
      attempts: [],
      version: 1,
      deliveryId: `d-${id}`,
    })
  }
})

test('calls on one timer wait for each other, and a call whose time is over does not wait on', async (t) => {
  const { client, next, received } = await setup(t)
  const [created, changed] = [client.create({ ...LATER, id: 'a' }), client.update('a', { payload: 1 })]
  await assert.rejects(
    client.update('a', { payload: 2 }, { timeoutMs: 1 }),
    (error: DuetimeError) => error.code === 'TIMEOUT' && error.attempts === 0,
  )
  const create = await next()
  assert.equal(received.length, 1)
  create.answer()
  await created
  const update = await next()
  assert.deepEqual([update.path, update.items[0]!.payload], ['/api/v1/timers/update', 1])
  update.answer()
  await changed
})

test('a call that is aborted leaves the others in its request alone', async (t) => {
  const { client, next } = await setup(t)
  const controller = new AbortController()
  const [kept, aborted] = [
    client.create({ ...LATER, id: 'a' }),
    client.create({ ...LATER, id: 'b' }, { signal: controller.signal }),
  ]
  const batch = await next()
  controller.abort(new Error('no longer needed'))
  await assert.rejects(aborted, /no longer needed/)
  batch.answer()
  assert.equal((await kept).id, 'a')
})

test('a request that is refused as a whole is not sent again for calls that have ended', async (t) => {
  const { client, next } = await setup(t)
  const controller = new AbortController()
  const kept = ['a', 'b', 'c'].map((id) => client.create({ ...LATER, id }))
  const aborted = client.create({ ...LATER, id: 'd' }, { signal: controller.signal })
  const batch = await next()
  controller.abort(new Error('no longer needed'))
  await assert.rejects(aborted, /no longer needed/)
  batch.refuse()
  const ids: unknown[] = []
  for (let halves = 0; halves < 2; halves++) {
    const half = await next()
    ids.push(...half.items.map(({ id }) => id))
    half.answer()
  }
  await Promise.all(kept)
  assert.deepEqual(ids, ['a', 'b', 'c'])
})

test('a time limit that is longer than a timer of the platform takes is none', async (t) => {
  const { client, next } = await setup(t)
  const warnings: Error[] = []
  const warned = (warning: Error) => void warnings.push(warning)
  process.on('warning', warned)
  t.after(() => process.off('warning', warned))
  for (const timeoutMs of [2 ** 40, Infinity]) {
    const made = [
      client.create({ ...LATER, id: 'a' }, { timeoutMs }),
      client.update('a', { payload: 1 }, { timeoutMs }),
    ]
    const create = await next()
    await new Promise((resolve) => setTimeout(resolve, 20))
    create.answer()
    ;(await next()).answer()
    await Promise.all(made)
  }
  assert.deepEqual(warnings, [])
})

test('without gathering each call is a request', async (t) => {
  const { client, next } = await setup(t, { gather: false })
  const made = ['a', 'b', 'c'].map((id) => client.create({ ...LATER, id }))
  for (const _ of made) (await next()).answer()
  await Promise.all(made)
})
