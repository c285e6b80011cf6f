import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ANONYMOUS } from '../../../core/access/access.ts'
import { createOf, DELIVERED, specOf } from '../../../core/rules/command.fixture.ts'
import { timerIdentity } from '../../../core/timer/ids.ts'
import { RETRIES_UNLIMITED } from '../../../core/limits.ts'
import { DEFAULT_RETRY } from '../../../core/rules/retry.ts'
import type { Namespace, TimerId } from '../../../core/timer/timer.ts'
import { MemoryStore } from '../../../store/memory/memory-store.ts'
import { StoreError } from '../../../store/store.ts'
import { REFUSED } from '../../test-server.fixture.ts'
import { details, HOOK, NAME, setup, setupWithTimer } from './v1.fixture.ts'

test('a store that fails is 503 with Retry-After, in the envelope', async (t) => {
  class FailingStore extends MemoryStore {
    override getMany(): Promise<never> {
      return Promise.reject(new StoreError('disk full'))
    }
  }
  const { call } = await setup(t, { store: new FailingStore() })
  const answer = await call('get', NAME)
  assert.equal(answer.status, 503)
  assert.equal(answer.json['error'], 'UNAVAILABLE')
  assert.equal(answer.headers.get('retry-after'), '1')
})

suite('get', () => {
  test('an unknown timer is 404', async (t) => {
    const { call } = await setup(t)
    const answer = await call('get', NAME)
    assert.equal(answer.status, 404)
    assert.equal(answer.json['error'], 'TIMER_NOT_FOUND')
  })

  test('header values and passwords are hidden unless secrets are asked for', async (t) => {
    const { call } = await setup(t)
    const headers = { Authorization: 'Bearer abc', 'Content-Type': 'text/plain' }
    const callback = { type: 'http', url: 'https://me:pass@example.com/x', headers }
    const created = await call('create', { id: NAME.timerId, schedule: 'PT1M', callback })
    const hidden = { type: 'http', url: 'https://***@example.com/x', headers: { ...headers, Authorization: '***' } }
    assert.deepEqual(created.json['callback'], hidden)
    const listed = (await call('list', {})).json['timers'] as Record<string, unknown>[]
    assert.deepEqual(listed[0]!['callback'], hidden)
    assert.deepEqual((await call('get', NAME)).json['callback'], hidden)
    assert.deepEqual((await call('get', { ...NAME, includeSecrets: true })).json['callback'], callback)
  })

  test('a timer that waits for a retry shows its attempts and when it goes on', async (t) => {
    const { call, clock } = await setup(t, { answer: () => REFUSED })
    await call('create', { id: NAME.timerId, schedule: 'PT1S', callbackUrl: HOOK })
    await clock.advance(1_000)
    const { json } = await call('get', NAME)
    assert.equal(json['status'], 'pending')
    assert.equal(json['lastError'], 'HTTP 500')
    assert.equal(json['attemptCount'], 1)
    const at = '2029-12-01T12:00:01.000Z'
    assert.deepEqual(json['attempts'], [{ at, durationMs: 0, outcome: 'failed', statusCode: 500, error: 'HTTP 500' }])
    assert.ok((json['nextAttemptAt'] as string) >= '2029-12-01T12:00:31.000Z')
    assert.equal(json['executedAt'], at)
  })
})

suite('update', () => {
  test('hidden values that are sent back stay as they are, and stars without one behind them are refused', async (t) => {
    const { call } = await setup(t)
    const callback = {
      type: 'http',
      url: 'https://me:pass@example.com/x',
      headers: { Authorization: 'Bearer abc', 'X-Team': 'a' },
    }
    await call('create', { id: NAME.timerId, schedule: 'PT1H', callback })
    const { json } = await call('get', NAME)
    const shown = json['callback'] as typeof callback
    assert.equal((await call('update', { ...NAME, callback: shown })).status, 200)
    const secrets = async () => (await call('get', { ...NAME, includeSecrets: true })).json['callback']
    assert.deepEqual(await secrets(), callback)
    const changed = { ...shown, headers: { authorization: '***', 'X-Team': 'b' } }
    assert.equal((await call('update', { ...NAME, callback: changed })).status, 200)
    assert.deepEqual(await secrets(), { ...callback, headers: { authorization: 'Bearer abc', 'X-Team': 'b' } })
    const elsewhere = await call('update', { ...NAME, callbackUrl: 'https://***@example.org/x' })
    assert.deepEqual([elsewhere.status, details(elsewhere)['field']], [400, 'callbackUrl'])
    const unknown = await call('update', { ...NAME, callback: { ...shown, headers: { 'X-New': '***' } } })
    assert.deepEqual([unknown.status, details(unknown)['field']], [400, 'callback.headers.X-New'])
    assert.equal((await call('create', { id: 'copy', schedule: 'PT1H', callback: shown })).status, 400)
  })

  test('a retry policy keeps the fields that are not given', async (t) => {
    const { call } = await setup(t)
    const retryPolicy = {
      maxRetries: 7,
      initialInterval: '5s',
      backoffMultiplier: 3,
      maxInterval: '1m',
      maxRetryAttemptsDuration: '2h',
    }
    await call('create', { id: NAME.timerId, schedule: 'PT1H', callbackUrl: HOOK, retryPolicy })
    const changed = async (changes: object) =>
      (await call('update', { ...NAME, retryPolicy: changes })).json['retryPolicy']
    assert.deepEqual(await changed({ maxRetries: 2 }), { ...retryPolicy, maxRetries: 2 })
    assert.deepEqual(await changed({ multiplier: 1.5, maxAttemptsDuration: '1h' }), {
      ...retryPolicy,
      maxRetries: 2,
      backoffMultiplier: 1.5,
      maxRetryAttemptsDuration: '1h',
    })
    const refused = await call('update', { ...NAME, retryPolicy: { maxRetries: 101 } })
    assert.deepEqual([refused.status, refused.json['details']], [400, { field: 'retryPolicy.maxRetries' }])
  })

  test('what an answer shows of how a timer is delivered can be sent back', async (t) => {
    const { call, service } = await setup(t)
    await call('create', { id: NAME.timerId, schedule: 'PT1H', callbackUrl: HOOK })
    const { namespace, id, uuid } = timerIdentity('default' as Namespace, NAME.timerId as TimerId)
    // As many attempts as timers have that were made over NATS, and that no client can ask for.
    const unlimited = { ...DEFAULT_RETRY, maxAttempts: RETRIES_UNLIMITED + 1 }
    const spec = { ...specOf('PT1H'), target: { type: 'http', url: HOOK, headers: null }, retry: unlimited } as const
    await service.as(ANONYMOUS).execute(createOf(spec, { namespace, id, uuid, onConflict: 'replace' }))
    const { json } = await call('get', NAME)
    const { retryPolicy, callbackTimeout, callbackTimeoutSeconds, callback } = json
    const answer = await call('update', { ...NAME, retryPolicy, callbackTimeout, callbackTimeoutSeconds, callback })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(answer.json['retryPolicy'], { ...(retryPolicy as object), maxRetries: RETRIES_UNLIMITED })
    const other = await call('update', { ...NAME, retryPolicy: { maxRetries: RETRIES_UNLIMITED - 1 } })
    assert.equal(other.status, 400)
  })

  test('nothing to change, a past date, an unknown timer and a stale version are refused', async (t) => {
    const { call } = await setupWithTimer(t)
    assert.equal((await call('update', NAME)).status, 400)
    const past = await call('update', { ...NAME, executeAt: '2029-12-01T11:59:59Z' })
    assert.equal(past.status, 400)
    assert.equal(details(past)['field'], 'executeAt')
    assert.equal((await call('update', { timerId: 'other', payload: 1 })).status, 404)
    const stale = await call('update', { ...NAME, payload: 1, ifVersion: 7 })
    assert.equal(stale.status, 409)
    assert.equal(stale.json['error'], 'VERSION_CONFLICT')
  })

  test('only what is given changes', async (t) => {
    const { call } = await setupWithTimer(t)
    const before = (await call('get', NAME)).json
    const changes = {
      callback: { type: 'http', url: HOOK },
      retryPolicy: { maxAttempts: 1 },
      callbackTimeoutSeconds: 1.5,
    }
    const { json } = await call('update', { ...NAME, ...changes })
    const { deliveryId: _, ...after } = json
    const { deliveryId: __, ...rest } = before
    assert.deepEqual(after, {
      ...rest,
      callbackUrl: HOOK,
      callback: { type: 'http', url: HOOK },
      retryPolicy: { ...(before['retryPolicy'] as object), maxRetries: 0 },
      callbackTimeout: '1.5s',
      callbackTimeoutSeconds: 1.5,
      version: 2,
    })
  })

  test('a null payload or metadata is taken away', async (t) => {
    const { call } = await setupWithTimer(t)
    const { json } = await call('update', { ...NAME, payload: null, metadata: null })
    assert.ok(!('payload' in json) && !('metadata' in json))
  })
})

suite('delete', () => {
  test('a second delete is too late, and a deleted timer never fires', async (t) => {
    const { call, clock, firings } = await setup(t)
    await call('create', { id: NAME.timerId, schedule: 'PT1S', callbackUrl: HOOK })
    const deleted = await call('delete', NAME)
    assert.equal(deleted.status, 204)
    assert.equal(deleted.text, '')
    const again = await call('delete', NAME)
    assert.equal(again.status, 409)
    assert.equal(again.json['error'], 'TIMER_NOT_PENDING')
    await clock.advance(2_000)
    assert.equal(firings.length, 0)
    assert.equal((await call('get', NAME)).json['status'], 'canceled')
  })
})

suite('update of a failed timer', () => {
  test('with retry: true it is pending again, fires with what is new, and keeps its attempts', async (t) => {
    const answers = [REFUSED]
    const { call, clock, firings } = await setup(t, { answer: () => answers.shift() ?? DELIVERED })
    await call('create', { id: NAME.timerId, schedule: 'PT1S', callbackUrl: HOOK, retryPolicy: { maxRetries: 0 } })
    await clock.advance(1_000)
    const refused = await call('update', { ...NAME, payload: 1 })
    assert.deepEqual([refused.status, refused.json['error']], [409, 'TIMER_NOT_PENDING'])
    assert.match(String(refused.json['message']), /with retry: true/)
    const callback = { type: 'http', url: `${HOOK}/mended`, headers: { 'X-Team': 'a' } }
    const updated = await call('update', {
      ...NAME,
      retry: true,
      callback,
      payload: { n: 2 },
      retryPolicy: { maxRetries: 5 },
    })
    assert.deepEqual(
      [updated.status, updated.json['status'], (updated.json['attempts'] as unknown[]).length],
      [200, 'pending', 1],
    )
    await clock.advance(0)
    assert.equal(firings.length, 2)
    const { target, payload } = firings[1]!.timer
    assert.deepEqual([target, payload], [callback, '{"n":2}'])
    const done = await call('get', NAME)
    assert.deepEqual(
      [done.json['status'], (done.json['attempts'] as unknown[]).length, done.json['version']],
      ['completed', 2, 4],
    )
    const again = await call('update', { ...NAME, retry: true })
    assert.deepEqual([again.status, again.json['error']], [409, 'TIMER_NOT_PENDING'])
  })
})

suite('trigger, pause, resume and retry', () => {
  test('trigger fires at once', async (t) => {
    const { call, clock, firings } = await setupWithTimer(t)
    assert.equal((await call('trigger', NAME)).status, 200)
    await clock.advance(0)
    assert.equal(firings.length, 1)
    assert.equal((await call('get', NAME)).json['status'], 'completed')
  })

  test('trigger on a cycle shows what was asked for and when, and leaves executeAt alone', async (t) => {
    const { call, clock, firings } = await setup(t, { answer: () => REFUSED })
    const created = await call('create', { id: NAME.timerId, schedule: 'R/PT1H', callbackUrl: HOOK })
    await call('pause', NAME)
    const triggered = await call('trigger', NAME)
    const { status, executeAt, triggeredAt, deliveryId } = triggered.json
    assert.deepEqual(
      [status, executeAt, triggeredAt],
      ['paused', created.json['executeAt'], new Date(clock.now()).toISOString()],
    )
    assert.notEqual(deliveryId, created.json['deliveryId'])
    await clock.advance(0)
    const tried = await call('get', NAME)
    assert.deepEqual([tried.json['status'], tried.json['attemptCount']], ['paused', 1])
    await call('resume', NAME)
    assert.ok('nextAttemptAt' in (await call('get', NAME)).json)
    await clock.advance(3_000_000)
    const after = await call('get', NAME)
    assert.deepEqual(
      [firings.length, after.json['status'], 'triggeredAt' in after.json, after.json['deliveryId']],
      [4, 'pending', false, created.json['deliveryId']],
    )
  })

  test('a paused timer does not fire until it is resumed', async (t) => {
    const { call, clock, firings } = await setup(t)
    await call('create', { id: NAME.timerId, schedule: 'PT1S', callbackUrl: HOOK })
    const paused = await call('pause', NAME)
    assert.equal(paused.json['status'], 'paused')
    assert.ok(!('nextAttemptAt' in paused.json))
    await clock.advance(2_000)
    assert.equal(firings.length, 0)
    assert.equal((await call('resume', NAME)).json['status'], 'pending')
    await clock.advance(0)
    assert.equal(firings.length, 1)
  })

  test('retry takes one failed timer, or all of them, and not both', async (t) => {
    const { call, clock, firings } = await setup(t, { answer: () => REFUSED })
    for (const id of ['a', 'b'])
      await call('create', { id, schedule: 'PT1S', callbackUrl: HOOK, retryPolicy: { maxRetries: 0 } })
    await clock.advance(1_000)
    const both = await call('retry', { timerId: 'a', all: true })
    assert.equal(both.status, 400)
    assert.equal(details(both)['field'], 'all')
    assert.equal((await call('retry', { timerId: 'a' })).json['status'], 'pending')
    assert.deepEqual((await call('retry', { all: true, dryRun: true })).json, {
      matched: 1,
      retried: 0,
      tooLate: 0,
      more: false,
    })
    assert.deepEqual((await call('retry', { all: true })).json, { matched: 1, retried: 1, tooLate: 0, more: false })
    await clock.advance(0)
    assert.equal(firings.length, 4)
  })
})
