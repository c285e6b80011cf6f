import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXAMPLES } from '../v1/examples.ts'
import { REFUSED } from '../../test-server.fixture.ts'
import { dataOf, errorOf, HOOK, setup } from './cycles.fixture.ts'
import type { Json } from './cycles.fixture.ts'

test('a timer that is not there, or is of another tenant, is not found', async (t) => {
  const { created, get, remove } = await setup(t)
  await created({ timer_id: 'a', duration_or_cycle: 'PT5M', tenant_id: 'production' })
  for (const answer of [await get('/a'), await remove('a'), await get('/a?tenant_id=staging')]) {
    assert.equal(answer.status, 404)
    const { code, message, details } = errorOf(answer)
    assert.deepEqual([code, message, details['timer_id']], ['TIMER_NOT_FOUND', 'Timer not found', 'a'])
  }
  assert.equal(errorOf(await get('/a?tenant=x')).details['field'], 'tenant')
  assert.equal(errorOf(await get('/a?tenant_id=a%20b')).details['field'], 'tenant_id')
})

test('deleting what has fired, failed or been canceled comes too late, and the answer says what it is', async (t) => {
  const { created, remove, get, clock } = await setup(t, {
    answer: (firing) =>
      firing.timer.id === 'bad' ? { ...REFUSED, final: true } : { type: 'delivered', statusCode: 204 },
  })
  for (const timer_id of ['good', 'bad', 'gone'])
    await created({ timer_id, duration_or_cycle: 'PT10S', callback_url: HOOK })
  assert.equal((await remove('gone')).status, 200)
  await clock.advance(11_000)
  const cases: [id: string, status: string, message: string][] = [
    ['good', 'COMPLETED', 'Timer is already completed'],
    ['bad', 'COMPLETED', 'Timer is already completed'],
    ['gone', 'CANCELLED', 'Timer is already cancelled'],
  ]
  for (const [id, status, text] of cases) {
    const answer = await remove(id)
    assert.equal(answer.status, 409)
    const { code, message, details } = errorOf(answer)
    assert.deepEqual(
      [code, message, details],
      ['TIMER_ALREADY_COMPLETED', text, { timer_id: id, existing_status: status }],
    )
  }
  const history = dataOf(await get('/bad'))['execution_history'] as Json[]
  assert.deepEqual(
    history.map(({ action }) => action),
    ['CREATED', 'FAILED', 'COMPLETED'],
  )
  assert.match(history[2]!['details'] as string, /HTTP 500/)
})

test('a timer that is being delivered is active and cannot be deleted until that has ended', async (t) => {
  const settle: (() => void)[] = []
  const server = await setup(t, {
    target: () => ({
      type: 'http',
      destinationOf: () => 'one',
      deliver: () => new Promise((resolve) => settle.push(() => resolve({ type: 'delivered', statusCode: 200 }))),
      close: async () => {},
    }),
  })
  await server.created({ timer_id: 'a', duration_or_cycle: 'R3/PT10S', callback_url: HOOK })
  await server.clock.advance(10_000)
  assert.equal(dataOf(await server.get('/a'))['status'], 'ACTIVE')
  const tooEarly = await server.remove('a')
  assert.equal(tooEarly.status, 409)
  const { code, details } = errorOf(tooEarly)
  assert.deepEqual([code, details['existing_status']], ['TIMER_ALREADY_COMPLETED', 'ACTIVE'])
  assert.ok(details['suggestion'])
  for (const end of settle) end()
  await server.clock.advance(1)
  assert.equal((await server.remove('a')).status, 200)
})

test('a deleted timer says what was cleaned up, and is still there as canceled', async (t) => {
  const { created, remove, get, clock } = await setup(t)
  await created({ timer_id: 'a', duration_or_cycle: 'PT5M', callback_url: HOOK })
  await clock.advance(60_000)
  const answer = await remove('a')
  assert.equal(answer.status, 200)
  assert.deepEqual(dataOf(answer), {
    timer_id: 'a',
    status: 'CANCELLED',
    cancelled_at: '2029-12-01T12:01:00.000Z',
    cancelled_by: 'anonymous',
    was_active: true,
    remaining_time_ms: 240_000,
    cleanup_info: { timewheel_level: 1, slot_cleared: true, callback_cancelled: true },
  })
  const shown = dataOf(await get('/a'))
  assert.deepEqual(
    [shown['status'], shown['remaining_time_ms'], shown['timewheel_level'], shown['timewheel_info']],
    ['CANCELLED', 0, null, null],
  )
  assert.deepEqual(shown['execution_history'], [
    { timestamp: '2029-12-01T12:00:00.000Z', action: 'CREATED', details: 'scheduled with PT5M' },
    { timestamp: '2029-12-01T12:01:00.000Z', action: 'CANCELLED', details: 'before it fired' },
  ])
})

test('a timer without a callback fires, is completed and has a history', async (t) => {
  const { created, get, clock, firings } = await setup(t)
  await created({ timer_id: 'quiet', duration_or_cycle: 'PT10S' })
  const before = dataOf(await get('/quiet'))
  assert.equal(before['accuracy_ms'], null)
  assert.deepEqual(before['timewheel_info'], { level: 0, slot_position: 10, estimated_accuracy_ms: 1 })
  await clock.advance(10_000)
  const after = dataOf(await get('/quiet'))
  assert.deepEqual([after['status'], after['accuracy_ms'], after['remaining_time_ms']], ['COMPLETED', 0, 0])
  assert.deepEqual(
    (after['execution_history'] as Json[]).map(({ action }) => action),
    ['CREATED', 'FIRED', 'COMPLETED'],
  )
  assert.equal(firings.length, 0)
})

test('a cycle shows its current iteration, and ends after the last one', async (t) => {
  const { created, get, clock } = await setup(t)
  await created({ timer_id: 'thrice', duration_or_cycle: 'R3/PT10M', callback_url: HOOK })
  await clock.advance(11 * 60_000)
  const running = dataOf(await get('/thrice'))
  assert.deepEqual(
    [running['status'], running['accuracy_ms'], running['scheduled_at']],
    ['SCHEDULED', 0, '2029-12-01T12:20:00.000Z'],
  )
  const { current_iteration, next_iterations } = running['cycle_info'] as Json
  assert.deepEqual([current_iteration, next_iterations], [2, ['2029-12-01T12:20:00.000Z', '2029-12-01T12:30:00.000Z']])
  await clock.advance(20 * 60_000)
  const ended = dataOf(await get('/thrice'))
  assert.equal(ended['status'], 'COMPLETED')
  assert.deepEqual((ended['cycle_info'] as Json)['next_iterations'], [])
  assert.equal((ended['execution_history'] as Json[]).filter(({ action }) => action === 'FIRED').length, 3)
})

test('timers made elsewhere can be read and deleted, whatever their id', async (t) => {
  const { post, get, remove } = await setup(t)
  const id = 'a/b c ü'
  await post('/api/v1/timers/create', {
    ...EXAMPLES.create.request,
    id,
    callbackUrl: 'https://user:secret@example.com/hook',
  })
  const shown = dataOf(await get(`/${encodeURIComponent(id)}`))
  assert.deepEqual(
    [shown['timer_id'], shown['timer_type'], shown['duration_or_cycle']],
    [id, 'DURATION', '2030-01-31T09:00:00.000Z'],
  )
  assert.equal(shown['callback_url'], 'https://***@example.com/hook')
  assert.equal((await remove(encodeURIComponent(id))).status, 200)
})

test('a path that this contract has, with another method, is refused in its envelope', async (t) => {
  const { request } = await setup(t)
  const answer = await request('/api/v1/timers/a', { method: 'PATCH' })
  assert.equal(answer.status, 405)
  assert.equal(errorOf(answer).code, 'METHOD_NOT_ALLOWED')
})

test('a path of statistics or without an id is answered for, whatever the method', async (t) => {
  const { request } = await setup(t)
  const posted = await request('/api/v1/timers/stats', { method: 'POST' })
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
  const nameless = await request('/api/v1/timers/')
  assert.ok(nameless.status === 400 || nameless.status === 404, nameless.text)
  assert.equal(nameless.json['success'], false, nameless.text)
})

test('a method that is refused is answered with those of the contract that was asked', async (t) => {
  const { request, post } = await setup(t)
  const ofCycles = await request('/api/v1/timers/create', { method: 'PUT' })
  assert.deepEqual(errorOf(ofCycles).details, { allowed: ['DELETE', 'GET', 'HEAD'] })
  assert.equal(ofCycles.headers.get('allow'), 'DELETE, GET, HEAD')
  assert.deepEqual(errorOf(await request('/api/v1/timers', { method: 'PATCH' })).details, {
    allowed: ['GET', 'HEAD', 'POST'],
  })
  assert.deepEqual((await request('/api/v1/timers/a/b', { method: 'PATCH' })).json['details'], {
    allowed: ['DELETE', 'GET', 'HEAD', 'PUT'],
  })
  // A verb that is misspelled is not told that it could be read or deleted.
  const ofV1 = await post('/api/v1/timers/creat', {})
  assert.deepEqual([ofV1.status, ofV1.json['error']], [404, 'ROUTE_NOT_FOUND'])
})
