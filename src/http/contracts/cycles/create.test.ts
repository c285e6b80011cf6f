import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, errorOf, HOOK, setup } from './cycles.fixture.ts'

test('a malformed duration is refused with what was given, what is meant and examples', async (t) => {
  const { create } = await setup(t)
  const cases: [provided: string, expected: string][] = [
    ['5M', 'PT5M'],
    ['30s', 'PT30S'],
    ['1d', 'P1D'],
    ['pt5m', 'PT5M'],
    ['R3/10M', 'R3/PT10M'],
    ['P', 'PT5M'],
    ['PT', 'PT5M'],
    ['', 'PT5M'],
    ['every day', 'PT5M'],
    ['R-1/PT5M', 'PT5M'],
    ['2030-01-31', 'PT5M'],
    ['x'.repeat(5_000), 'PT5M'],
  ]
  for (const [provided, expected] of cases) {
    const answer = await create({ timer_id: 'a', duration_or_cycle: provided })
    assert.equal(answer.status, 400)
    const { code, message, details } = errorOf(answer)
    assert.equal(code, 'INVALID_DURATION_FORMAT', answer.text)
    assert.equal(message, 'Invalid ISO 8601 duration format')
    assert.equal(details['provided'], provided.length > 255 ? `${provided.slice(0, 255)}…` : provided)
    assert.equal(details['expected_format'], expected)
    assert.equal((details['valid_examples'] as string[]).length, 6)
  }
})

test('a duration that is well-formed and out of range is a validation error', async (t) => {
  const { create } = await setup(t)
  for (const duration of [
    'R0/PT5M',
    'R1001/PT5M',
    'PT0.5S',
    'PT0S',
    'P101Y',
    '2029-11-30T00:00:00Z',
    'R2/2020-01-01T00:00:00Z/PT1S',
  ]) {
    const { code, details } = errorOf(await create({ timer_id: 'a', duration_or_cycle: duration }))
    assert.equal(code, 'VALIDATION_ERROR', duration)
    assert.equal(details['field'], 'duration_or_cycle')
    assert.equal(details['provided'], duration)
  }
  for (const duration of ['PT1S', 'P100Y', 'R1000/PT1S', '2030-01-31T09:00:00Z']) {
    dataOf(await create({ timer_id: `ok-${duration.replaceAll(/\W/g, '_')}`, duration_or_cycle: duration }))
  }
})

test('an id that could never be read is refused', async (t) => {
  const { create } = await setup(t)
  const { code, message, details } = errorOf(await create({ timer_id: 'stats', duration_or_cycle: 'PT5M' }))
  assert.deepEqual([code, details['field']], ['VALIDATION_ERROR', 'timer_id'])
  assert.match(message, /'stats' is reserved/)
  dataOf(await create({ timer_id: 'Stats', duration_or_cycle: 'PT5M' }))
})

test('what is wrong with the other fields is a validation error that names the field', async (t) => {
  const { create } = await setup(t, { namespaces: ['default', 'production'] })
  const refused = async (body: object, field: string) => {
    const answer = await create({ timer_id: 'a', duration_or_cycle: 'PT5M', ...body })
    assert.equal(answer.status, 400, answer.text)
    const { code, details } = errorOf(answer)
    assert.equal(code, 'VALIDATION_ERROR')
    assert.equal(details['field'], field, answer.text)
  }
  for (const timer_id of ['', 'a b', 'ä', 'a/b', 'a.b', 'x'.repeat(101), 5, null])
    await refused({ timer_id }, 'timer_id')
  await refused({ duration_or_cycle: 300 }, 'duration_or_cycle')
  await refused({ tenant_id: 'a/b' }, 'tenant_id')
  await refused({ tenant_id: 'elsewhere' }, 'tenant_id')
  await refused({ metadata: [1] }, 'metadata')
  await refused({ metadata: { a: 'x'.repeat(17_000) } }, 'metadata')
  await refused({ callback_url: 'ftp://example.com' }, 'callback_url')
  await refused({ callback_url: '//example.com/hook' }, 'callback_url')
  await refused({ callback_url: 'hook' }, 'callback_url')
  await refused({ callbackUrl: HOOK }, 'callbackUrl')
  await refused({ timer_id: undefined }, 'timer_id')
  await refused({ duration_or_cycle: undefined }, 'duration_or_cycle')
})

test('a callback that is a path needs CALLBACK_BASE_URL, and is resolved against it', async (t) => {
  const body = { timer_id: 'a', duration_or_cycle: 'PT5M', callback_url: '/internal/timer/callback?x=1' }
  const without = errorOf(await (await setup(t)).create(body))
  assert.equal(without.details['field'], 'callback_url')
  assert.match(without.message, /CALLBACK_BASE_URL is not set/)
  const { created } = await setup(t, { callbackBaseUrl: 'http://127.0.0.1:27555/app/' })
  assert.equal((await created(body))['callback_url'], 'http://127.0.0.1:27555/app/internal/timer/callback?x=1')
})

test('an id that is taken is refused with what is there; a canceled one is free again', async (t) => {
  const { create, created, remove, clock } = await setup(t)
  await created({ timer_id: 'a', duration_or_cycle: 'PT5M' })
  const again = () => create({ timer_id: 'a', duration_or_cycle: 'PT1S' })
  const taken = await again()
  assert.equal(taken.status, 409)
  const { code, message, details } = errorOf(taken)
  assert.deepEqual([code, message], ['TIMER_ALREADY_EXISTS', 'Timer with this ID already exists'])
  assert.deepEqual(details, {
    timer_id: 'a',
    existing_status: 'SCHEDULED',
    created_at: '2029-12-01T12:00:00.000Z',
    suggestion: 'Use different timer_id or cancel existing timer first',
  })
  await created({ timer_id: 'a', duration_or_cycle: 'PT5M', tenant_id: 'other' })
  assert.equal((await remove('a')).status, 200)
  assert.equal((await again()).status, 201)
  await clock.advance(2_000)
  const { details: fired } = errorOf(await again())
  assert.equal(fired['existing_status'], 'COMPLETED')
  assert.match(fired['suggestion'] as string, /on_conflict: "replace"/)
})

test('the id of a timer that has fired, or still waits, is used again where the client asks for it', async (t) => {
  const { create, created, get, firings, clock } = await setup(t)
  const session = { timer_id: 'session-1', duration_or_cycle: 'PT30M', callback_url: HOOK }
  await created(session)
  await clock.advance(10 * 60_000)
  assert.equal((await created({ ...session, on_conflict: 'replace' }))['scheduled_at'], '2029-12-01T12:40:00.000Z')
  await clock.advance(30 * 60_000)
  assert.equal(firings.length, 1)
  const kept = await create({ ...session, on_conflict: 'keep' })
  assert.deepEqual([kept.status, dataOf(kept)['status']], [200, 'COMPLETED'])
  assert.equal((await create({ ...session, on_conflict: 'reject' })).status, 409)
  assert.equal((await create({ ...session, on_conflict: null })).status, 409)
  assert.equal((await created({ ...session, on_conflict: 'replace' }))['status'], 'SCHEDULED')
  await clock.advance(30 * 60_000)
  assert.equal(firings.length, 2)
  assert.equal(dataOf(await get('/session-1'))['status'], 'COMPLETED')
  assert.equal(errorOf(await create({ ...session, on_conflict: 'match' })).details['field'], 'on_conflict')
})

test('a one-shot is answered with every field', async (t) => {
  const { create } = await setup(t)
  const metadata = { order_id: 'ORD-12345', nested: { a: [1] } }
  const answer = await create({
    timer_id: 'payment-timeout',
    duration_or_cycle: 'PT5M',
    metadata,
    callback_url: HOOK,
    tenant_id: 'production',
  })
  assert.equal(answer.status, 201)
  assert.deepEqual(dataOf(answer), {
    timer_id: 'payment-timeout',
    duration_or_cycle: 'PT5M',
    status: 'SCHEDULED',
    created_at: '2029-12-01T12:00:00.000Z',
    scheduled_at: '2029-12-01T12:05:00.000Z',
    tenant_id: 'production',
    timer_type: 'DURATION',
    cycle_info: null,
    remaining_time_ms: 300_000,
    metadata,
    callback_url: HOOK,
    timewheel_level: 1,
    slot_position: (Date.UTC(2029, 11, 1, 12, 5) / 60_000) % 60,
  })
})

test('a cycle is answered with its next iterations, as many as remain', async (t) => {
  const { created } = await setup(t)
  const endless = await created({ timer_id: 'hourly', duration_or_cycle: 'R/PT1H' })
  assert.equal(endless['timer_type'], 'CYCLE')
  assert.deepEqual(endless['cycle_info'], {
    repetitions: 'infinite',
    interval_duration: 'PT1H',
    current_iteration: 1,
    next_iterations: ['2029-12-01T13:00:00.000Z', '2029-12-01T14:00:00.000Z', '2029-12-01T15:00:00.000Z'],
  })
  assert.deepEqual([endless['callback_url'], endless['metadata']], [null, {}])
  const two = (await created({ timer_id: 'twice', duration_or_cycle: 'R2/2029-12-24T18:00:00Z/P1D' }))['cycle_info']
  assert.deepEqual(two, {
    repetitions: '2',
    interval_duration: 'P1D',
    current_iteration: 1,
    next_iterations: ['2029-12-24T18:00:00.000Z', '2029-12-25T18:00:00.000Z'],
  })
})

test('a horizon includes its end', async (t) => {
  const { created } = await setup(t)
  const cases: [duration: string, level: number][] = [
    ['PT1M', 0],
    ['PT61S', 1],
    ['PT1H', 1],
    ['P1D', 2],
    ['P2D', 3],
    ['P365D', 3],
    ['P2Y', 4],
  ]
  for (const [duration, level] of cases) {
    assert.equal(
      (await created({ timer_id: `t-${duration}`, duration_or_cycle: duration }))['timewheel_level'],
      level,
      duration,
    )
  }
})

test('the request id is echoed, or made', async (t) => {
  const { create, get } = await setup(t)
  const body = { timer_id: 'a', duration_or_cycle: 'PT5M' }
  assert.equal((await create(body, { 'x-request-id': 'my-request-1' })).json['request_id'], 'my-request-1')
  assert.equal((await create(body, { 'x-request-id': 'my-request-2' })).json['request_id'], 'my-request-2')
  assert.match((await get('/missing')).json['request_id'] as string, /^req_/)
})

test('optional fields may be null, and a body without the words of this contract is not its', async (t) => {
  const { create, created } = await setup(t)
  const nulls = { metadata: null, callback_url: null, tenant_id: null }
  assert.equal((await created({ timer_id: 'a', duration_or_cycle: 'PT5M', ...nulls }))['tenant_id'], 'default')
  assert.equal((await create({ id: 'a' })).json['error'], 'INVALID_INPUT')
})
