// `Prefer: return=minimal`: a batch is answered without what the client knows, and the client can make the whole timer of it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { wholeTimer } from '../../../../sdks/typescript/src/timers/made-timer.ts'
import type { MadeTimer } from '../../../../sdks/typescript/src/timers/made-timer.ts'
import type { ReadyCreate } from '../../../../sdks/typescript/src/timers/timer.ts'
import { testServer } from '../../test-server.fixture.ts'
import type { TestServerOptions } from '../../test-server.fixture.ts'

const PLAIN = { executeAt: '2030-01-01T00:00:00.5Z', callbackUrl: 'https://example.com/hook', payload: { a: [1, 'x'] } }
const MINIMAL = { prefer: 'respond-async, return=minimal' }

type Result = { status: number; timer?: unknown; made?: MadeTimer; error?: string }
type Answer = { results: Result[]; plainTimer?: unknown; created: number; failed: number }

async function setup(t: TestContext, options: TestServerOptions = {}) {
  const { post } = await testServer(t, options)
  const batch = async (timers: readonly object[], headers: Record<string, string> = MINIMAL): Promise<Answer> =>
    (await post('/api/v1/timers/batch', { timers }, headers)).json as Answer
  const get = async (timerId: string) => (await post('/api/v1/timers/get', { timerId })).json
  return { batch, get }
}

test('what is not plain, not new or not asked for so is answered as a whole', async (t) => {
  const { batch } = await setup(t)
  const whole = [
    { ...PLAIN },
    { ...PLAIN, id: 'metadata', metadata: { a: 1 } },
    { ...PLAIN, id: 'retry', retryPolicy: { maxRetries: 1 } },
    { ...PLAIN, id: 'timeout', callbackTimeout: '5s' },
    { ...PLAIN, id: 'late', maxLateness: '1h' },
    { ...PLAIN, id: 'cycle', executeAt: undefined, schedule: 'R/PT1H' },
    { ...PLAIN, id: 'secret', callbackUrl: 'https://user:word@example.com/hook' },
    {
      ...PLAIN,
      id: 'headers',
      callbackUrl: undefined,
      callback: { type: 'http', url: PLAIN.callbackUrl, headers: { a: 'b' } },
    },
  ]
  const { results } = await batch(whole)
  for (const [index, { status, made, timer }] of results.entries()) {
    assert.deepEqual([status, made, typeof timer], [200, undefined, 'object'], JSON.stringify(whole[index]))
  }
  const named = { ...PLAIN, id: 'twice' }
  const [first, second, kept] = (await batch([named, named, { ...named, onConflict: 'keep' }])).results
  assert.deepEqual([first!.made?.version, second!.made, kept!.made], [1, undefined, undefined])
  for (const headers of [{}, { prefer: 'return=representation' }, { prefer: 'return=minimalist' }]) {
    const { results: asEver, plainTimer } = await batch([{ ...PLAIN, id: `ever-${JSON.stringify(headers)}` }], headers)
    assert.deepEqual([asEver[0]!.made, plainTimer, typeof asEver[0]!.timer], [undefined, undefined, 'object'])
  }
})

test('threads of HTTP answer in short, too', async (t) => {
  const { batch } = await setup(t, { httpThreads: 1 })
  const [{ made } = {}] = (await batch([{ ...PLAIN, id: 'a' }])).results
  assert.equal(made?.version, 1)
})

test('the whole timer is what was sent, what was added, and what all plain timers have', async (t) => {
  const { batch, get } = await setup(t)
  const creates: readonly ReadyCreate[] = [
    { ...PLAIN, id: 'object' },
    { ...PLAIN, id: 'text', payload: 'text' },
    { ...PLAIN, id: 'null', payload: null },
    { executeAt: PLAIN.executeAt, callbackUrl: PLAIN.callbackUrl, id: 'none' },
    { ...PLAIN, id: 'conflict', onConflict: 'reject' as const },
    { ...PLAIN, id: 'duration', executeAt: undefined, schedule: 'PT1H' },
  ].map((create) => ({ namespace: 'default', ...create }))
  const { results, plainTimer, created } = await batch([...creates, { id: 'bad' }])
  assert.equal(created, creates.length)
  assert.deepEqual([results.at(-1)!.status, results.at(-1)!.error], [400, 'INVALID_INPUT'])
  for (const [index, create] of creates.entries()) {
    const { made } = results[index]!
    assert.ok(made !== undefined, create.id!)
    assert.deepEqual(wholeTimer(JSON.stringify(create), made, plainTimer), await get(create.id!))
  }
})
