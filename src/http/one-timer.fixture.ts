// A world for one timer: all contracts over one service with a clock that the test moves, and a real receiver whose answers
// tell the contracts' ways of delivering apart.

import assert from 'node:assert/strict'
import { once, EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { Status } from '../core/timer/timer.ts'
import { aReceiver, aTarget } from '../targets/http/delivery.fixture.ts'
import { CONTRACTS } from './contracts/all-contracts.ts'
import { DELIVERIES } from './contracts/all-deliveries.ts'
import { DIALECTS, STATUS_WORDS, succeeded } from './dialects.fixture.ts'
import type { Ask, Key, Name, Wish } from './dialects.fixture.ts'
import { testServer } from './test-server.fixture.ts'

type Made = { readonly key: Key; readonly facts: Wish }
export type Pair = { readonly maker: Name; readonly other: Name }

/** Each answer in turn, and the status that it leaves the timer in. */
type Way = { readonly body: (timer: Key & Wish) => unknown; readonly statuses: readonly Status[] }

type Answering = (response: ServerResponse) => void

const ANSWERS: readonly Answering[] = [
  (response) => response.writeHead(500).end(),
  (response) => response.end('{"ok":false}'),
  (response) => response.end('{"ok":true}'),
]
const native: Way = {
  body: ({ id, namespace, dueAt, payload, metadata }) => ({
    id,
    namespace,
    groupId: namespace,
    payload,
    executeAt: dueAt,
    metadata,
  }),
  statuses: ['pending', 'pending', 'completed'],
}
const WAYS: Readonly<Record<Name, Way>> = {
  v1: native,
  groups: native,
  platform: { body: ({ payload }) => payload ?? '', statuses: ['failed'] },
  cycles: {
    body: ({ id, namespace, dueAt, metadata }) => {
      return { timer_id: id, tenant_id: namespace, status: 'FIRED', scheduled_at: dueAt, iteration: 1, metadata }
    },
    statuses: ['pending', 'completed'],
  },
}
/** Of one attempt and no other. */
const OF_ATTEMPT = ['firedAt', 'fired_at', 'attempt', 'deliveryId']

export const LEAD_MS = 60_000
export const UUID = '0193a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b'

/** Contracts differ in what they can name: platform knows UUIDs of one namespace, cycles makes plain words only. */
function keyFor({ maker, other }: Pair): Key {
  if ([maker, other].includes('platform')) return { namespace: 'default', id: UUID }
  return { namespace: 'billing', id: maker === 'cycles' ? 'reminder_17' : 'Mahnung 17/β?' }
}

export function canMeet(name: Name, { namespace }: Key): boolean {
  return name !== 'platform' || namespace === 'default'
}

export async function setup(t: TestContext) {
  const progress = new EventEmitter()
  const answers = [...ANSWERS]
  let settledCount = 0
  let answer: Answering = (response) => answers.shift()?.(response)
  const receiver = await aReceiver(t, (response) => {
    progress.emit('progress')
    answer(response)
  })
  const { clock, request } = await testServer(t, {
    contracts: CONTRACTS,
    target: (itsClock) => aTarget(t, { clock: itsClock, protocols: DELIVERIES }),
    onSettled: () => {
      settledCount++
      progress.emit('progress')
    },
  })
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await once(progress, 'progress', { signal: AbortSignal.timeout(10_000) })
  }
  /** Resolves when the outcomes of so many attempts are stored. */
  const settled = (attempts: number) => until(() => settledCount === attempts)
  const ask: Ask = (method, path, body) =>
    request(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  const answerAll = (so: Answering) => {
    answer = so
  }
  const inMs = (ms: number) => new Date(clock.now() + ms).toISOString()
  const statusOf = async ({ namespace, id }: Key) =>
    (await ask('POST', '/api/v1/timers/get', { namespace, timerId: id })).json

  async function make(
    pair: Pair,
    { key = keyFor(pair), ...given }: Partial<Wish> & { readonly key?: Key } = {},
  ): Promise<Made> {
    const payload = { order: 17, lines: [1.5, null] }
    const wish = {
      dueAt: inMs(LEAD_MS),
      url: receiver.url,
      payload,
      metadata: { customer: 'c-1', vip: true },
      ...given,
    }
    const made = await DIALECTS[pair.maker].make(ask, key, wish)
    return { key: made, facts: pair.maker === 'cycles' ? { ...wish, payload: null } : wish }
  }

  /** One timer for each status there is. The receiver knows by the path what is to become of it. */
  async function makeInEveryStatus(pair: Pair): Promise<readonly (Made & { readonly status: Status })[]> {
    const made: (Made & { readonly status: Status })[] = []
    for (const [index, status] of Object.values(Status).entries()) {
      const { namespace, id } = keyFor(pair)
      const key = { namespace, id: `${id.slice(0, -1)}${index}` }
      const dueAt = inMs(status === Status.pending ? 2 * LEAD_MS : LEAD_MS)
      made.push({ status, ...(await make(pair, { key, dueAt, url: `${receiver.url}/${status}` })) })
    }
    for (const { status, key } of made) {
      const verb = status === Status.paused ? 'pause' : status === Status.canceled ? 'delete' : null
      if (verb !== null)
        succeeded(await ask('POST', `/api/v1/timers/${verb}`, { namespace: key.namespace, timerId: key.id }))
    }
    answerAll((response) => {
      if (response.req.url!.endsWith('/completed')) response.end('{"ok":true}')
      if (response.req.url!.endsWith('/failed')) response.writeHead(410).end()
    })
    await clock.advance(LEAD_MS)
    await until(() => receiver.requests.length === 3 && settledCount === 2)
    // A delivery that lasts is written down as such, and found by lists.
    await clock.advance(2_000)
    return made
  }

  async function assertStatus(name: Name, key: Key, status: Status): Promise<void> {
    if (!canMeet(name, key)) return
    const read = await DIALECTS[name].read(ask, key)
    const word = STATUS_WORDS[status][name]
    if (word === null) assert.equal(read.status, 404, name)
    else assert.equal(DIALECTS[name].shown(succeeded(read)).status, word, name)
  }

  /** It is due now. It goes on for as many attempts, and takes those answers for success, as its way of delivering says. */
  async function assertDelivered({ way, key, facts }: { way: Name; key: Key; facts: Wish }): Promise<void> {
    const { body, statuses } = WAYS[way]
    for (const [index, status] of statuses.entries()) {
      await settled(index + 1)
      const { url, body: text } = receiver.requests[index]!
      assert.equal(url, new URL(facts.url).pathname)
      assert.deepEqual(bodyWithoutTimes(text), body({ ...key, ...facts }))
      const { status: now, nextAttemptAt } = await statusOf(key)
      assert.equal(now, status, `after attempt ${index + 1}`)
      if (now === Status.pending) await clock.advance(Date.parse(nextAttemptAt as string) - clock.now())
    }
    await clock.advance(LEAD_MS)
    assert.equal(receiver.requests.length, statuses.length)
  }

  const { url, requests: received } = receiver
  return { url, received, clock, ask, answerAll, settled, inMs, make, makeInEveryStatus, assertStatus, assertDelivered }
}

function bodyWithoutTimes(text: string): unknown {
  const body: unknown = text === '' ? '' : JSON.parse(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => !OF_ATTEMPT.includes(name)))
}
