import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrokerError, headerOf } from '../broker/broker.ts'
import { nextAttemptAt } from '../core/rules/retry.ts'
import { NOW, at, setupListener } from './listener.fixture.ts'
import { EVENT_RETRY } from './messages/commands.ts'

const MINUTE = 60_000
const reasonOf = (message: Parameters<typeof headerOf>[0]) => headerOf(message, 'Duetime-Reason')

test('a message that cannot be read goes to the dead letters unchanged, with the reason, and never comes again', async (t) => {
  const { send, schedule, deadLetters, broker, clock } = await setupListener(t)
  const cases: readonly (readonly [unknown, RegExp])[] = [
    ['{"id":', /^the message is not JSON/],
    [Uint8Array.of(0xff, 0xfe), /^the message is not UTF-8/],
    ['[]', /must be a JSON object/],
    [schedule({ id: 'x' }), /^id must be a UUID/],
    [schedule({ id: undefined }), /^id is missing/],
    [schedule({ tenantId: null }), /^tenantId must be a string/],
    [schedule({ timestampMs: '5' }), /^timestampMs must be whole milliseconds/],
    [schedule({ correlationId: null }), /^correlationId must be left out/],
    [schedule({ correlationId: 'a\0b' }), /^correlationId must be .* without NUL .*"a\\u0000b"/],
    [schedule({ causationId: 'a\ud800' }), /^causationId must be .* well-formed/],
    [schedule({}, { serviceCallId: 'a\0b' }), /^payload\.serviceCallId must be .* without NUL/],
    [schedule({ tenantId: 'a\0b' }), /^tenantId must be .* without NUL/],
    [{ ...schedule(), payload: null }, /^payload must be a JSON object/],
    [
      schedule({}, { _tag: 'CancelTimer' }),
      /^payload\._tag must be the same as type, "ScheduleTimer"; it is "CancelTimer"/,
    ],
    [schedule({}, { tenantId: 'other' }), /tenantId is 'acme' and payload\.tenantId 'other'/],
    [schedule({ tenantId: 'a/b' }), /^payload\.tenantId must be/],
    [schedule({}, { serviceCallId: '' }), /^payload\.serviceCallId must be a string/],
    [schedule({}, { serviceCallId: undefined }), /^payload\.serviceCallId is missing/],
    [schedule({}, { dueAt: 'tomorrow' }), /"tomorrow" is not a schedule/],
    [schedule({}, { dueAt: '2026-05-01T12:00:00' }), /no offset/],
    [schedule({}, { dueAt: 'PT5M' }), /^payload\.dueAt must be an ISO 8601 instant/],
    [schedule({}, { dueAt: 1_777_636_800_000 }), /^payload\.dueAt must be a string/],
    [schedule({}, { dueAt: '2226-05-01T12:00:00Z' }), /100 years/],
  ]
  for (const [message, reason] of cases) {
    await send(message)
    const letter = deadLetters().at(-1)
    assert.match((letter && reasonOf(letter)) ?? 'none', reason)
    const original = message instanceof Uint8Array || typeof message === 'string' ? message : JSON.stringify(message)
    assert.deepEqual(Buffer.from(letter!.data), Buffer.from(original as string))
    assert.equal(headerOf(letter!, 'X-Sender'), 'test')
  }
  await clock.advance(10 * MINUTE)
  assert.equal(deadLetters().length, cases.length)
  assert.equal(broker.stored('timer.commands').length, 0)
})

test('a command that the service refuses goes to the dead letters too', async (t) => {
  const { send, schedule, deadLetters } = await setupListener(t, { NAMESPACES: 'shop' })
  await send(schedule())
  assert.match(reasonOf(deadLetters()[0]!)!, /namespace 'acme' is not enabled/)
})

test('the sender’s instructions to its own stream are not followed by the dead letters’', async (t) => {
  const { broker, clock, deadLetters } = await setupListener(t)
  const headers = [
    ['Nats-Rollup', 'all'],
    ['Nats-Expected-Stream', 'X'],
    ['Nats-Msg-Id', 'm1'],
  ] as const
  await broker.publish(
    { subject: 'timer.commands', headers, data: 'no', id: null, confirmedBy: 'stream' },
    { timeoutMs: 1_000 },
  )
  await clock.advance(0)
  const names = deadLetters()[0]!.headers.map(([name, value]) => `${name}=${value}`)
  assert.ok(
    names.includes('Duetime-Original-Nats-Rollup=all') && names.includes('Duetime-Original-Nats-Expected-Stream=X'),
  )
  assert.ok(names.includes('Nats-Msg-Id=m1') && names.includes('Duetime-Subject=timer.commands'))
})

test('an unknown type is acknowledged and nothing else', async (t) => {
  const { send, schedule, deadLetters, broker } = await setupListener(t)
  await send(schedule({ type: 'OrderPaid' }))
  assert.equal(deadLetters().length, 0)
  assert.equal(broker.stored('timer.commands').length, 0)
})

test('while the store is down commands are kept and not counted against anybody; when it is back they are carried out', async (t) => {
  const { send, schedule, store, clock, timer, broker, deadLetters } = await setupListener(t)
  store.isDown = true
  await send(schedule({}, { dueAt: at(NOW + 60 * MINUTE) }))
  await clock.advance(10 * MINUTE)
  assert.equal(deadLetters().length, 0)
  assert.equal(broker.stored('timer.commands').length, 1)
  store.isDown = false
  await clock.advance(30_000)
  assert.equal((await timer('call-1')).status, 'pending')
  assert.equal(broker.stored('timer.commands').length, 0)
})

test('a command that fails for no known reason comes again after 1, 5 and 25 s, and is a dead letter after the fifth time', async (t) => {
  const { send, schedule, store, clock, deadLetters } = await setupListener(t)
  store.defect = new TypeError('a defect')
  await send(schedule())
  for (const seconds of [1, 5, 25]) {
    await clock.advance(seconds * 1_000)
    assert.equal(deadLetters().length, 0)
  }
  await clock.advance(24_900)
  assert.equal(deadLetters().length, 0)
  await clock.advance(200)
  assert.match(reasonOf(deadLetters()[0]!)!, /^failed 5 times, the last time with: /)
})

test('a scheduled timer publishes its event when due, not before, with the correlation id of the command', async (t) => {
  const { send, schedule, clock, timer, events, broker } = await setupListener(t)
  await send(schedule({ correlationId: 'c-1', aggregateId: 'call-1', causationId: 'x' }))
  assert.equal((await timer('call-1')).dueAt, NOW + MINUTE)
  assert.equal(broker.stored('timer.commands').length, 0)
  await clock.advance(MINUTE - 1)
  assert.deepEqual(events(), [])
  await clock.advance(1)
  const [event] = events() as [{ id: string }]
  assert.deepEqual(event, {
    id: event.id,
    type: 'DueTimeReached',
    tenantId: 'acme',
    aggregateId: 'call-1',
    timestampMs: NOW + MINUTE,
    correlationId: 'c-1',
    payload: { tenantId: 'acme', serviceCallId: 'call-1', reachedAt: at(NOW + MINUTE) },
  })
  assert.match(event.id, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  assert.equal(Number.parseInt(event.id.replace('-', '').slice(0, 12), 16), NOW + MINUTE)
  assert.equal((await timer('call-1')).status, 'completed')
})

test('without a correlation id the event has none, and a past due time fires at once', async (t) => {
  const { send, schedule, events, clock } = await setupListener(t)
  await send(schedule({}, { dueAt: '2001-01-01T00:00:00+02:00' }))
  await clock.advance(1)
  const [event] = events()
  assert.ok(event !== undefined && !('correlationId' in event))
})

test('while scheduled, a new command replaces due time and correlation id; once reached it is ignored', async (t) => {
  const { send, schedule, clock, timer, events, deadLetters } = await setupListener(t)
  await send(schedule({ correlationId: 'c-1' }))
  await send(schedule({ correlationId: 'c-2' }, { dueAt: at(NOW + 2 * MINUTE) }))
  assert.deepEqual([(await timer('call-1')).dueAt, (await timer('call-1')).correlationId], [NOW + 2 * MINUTE, 'c-2'])
  await clock.advance(2 * MINUTE)
  await send(schedule({ correlationId: 'c-3' }, { dueAt: at(NOW + 5 * MINUTE) }))
  await clock.advance(10 * MINUTE)
  assert.deepEqual(
    events().map((event) => (event as { correlationId: string }).correlationId),
    ['c-2'],
  )
  assert.equal(deadLetters().length, 0)
})

test('the same command, delivered again, changes nothing', async (t) => {
  const { send, schedule, timer } = await setupListener(t)
  const command = schedule({ correlationId: 'c-1' })
  await send(command)
  const before = await timer('call-1')
  await send(command)
  const after = await timer('call-1')
  assert.deepEqual(after, { ...before, version: 2, lastCommand: after.lastCommand }) // only its place is remembered
})

test('of several commands for one timer in one batch the last one counts, and an outdated one does not fire on the way', async (t) => {
  const { broker, schedule, clock, timer, events } = await setupListener(t)
  broker.disconnect()
  broker.connect()
  const commands = [
    schedule({}, { dueAt: '2001-01-01T00:00:00Z' }),
    schedule({}, { dueAt: at(NOW + MINUTE) }),
    schedule({}, { serviceCallId: 'call-2' }),
    schedule({ type: 'CancelTimer' }, { serviceCallId: 'call-2' }),
  ]
  const message = { subject: 'timer.commands', headers: [], id: null, confirmedBy: 'stream' } as const
  await Promise.all(
    commands.map((command) => broker.publish({ ...message, data: JSON.stringify(command) }, { timeoutMs: 1_000 })),
  )
  await clock.advance(10)
  assert.deepEqual(events(), [])
  assert.equal((await timer('call-1')).dueAt, NOW + MINUTE)
  assert.equal((await timer('call-2')).status, 'canceled')
})

test('a canceled timer does not fire; a cancel that comes too late, or for nobody, is ignored', async (t) => {
  const { send, schedule, clock, timer, events, deadLetters, broker } = await setupListener(t)
  await send(schedule())
  await send(schedule({ type: 'CancelTimer' }, { dueAt: undefined }))
  assert.equal((await timer('call-1')).status, 'canceled')
  await clock.advance(2 * MINUTE)
  assert.deepEqual(events(), [])
  await send(schedule({ type: 'CancelTimer' }))
  await send(schedule({ type: 'CancelTimer' }, { serviceCallId: 'nobody' }))
  assert.deepEqual([deadLetters().length, broker.stored('timer.commands').length], [0, 0])
})

test('an event is given up after a year of failures, not sooner', () => {
  const day = 24 * 60 * MINUTE
  const failed = (days: number) => ({
    attempts: days * 2_880,
    firstAttemptAt: NOW,
    retryAfterMs: null,
    waitMinMs: 1_000,
    spread: 0,
  })
  assert.equal(nextAttemptAt(EVENT_RETRY, failed(364), NOW + 364 * day), NOW + 364 * day + 30_000)
  assert.equal(nextAttemptAt(EVENT_RETRY, failed(365), NOW + 365 * day), null)
})

test('an event that cannot be published waits for the broker and is published once it is back', async (t) => {
  const { send, schedule, clock, broker, timer, events } = await setupListener(t)
  await send(schedule())
  broker.disconnect()
  await clock.advance(120 * MINUTE)
  const waiting = await timer('call-1')
  assert.equal(waiting.status, 'pending')
  assert.match(waiting.lastError!, /no connection to the broker/)
  broker.connect()
  await clock.advance(35_000)
  assert.equal(events().length, 1)
  assert.equal((await timer('call-1')).status, 'completed')
})

test('a timer whose event could not be published to the end is scheduled still: the same command brings it back', async (t) => {
  const { send, schedule, timer, timers, events, broker, clock } = await setupListener(t)
  const same = { correlationId: 'c-1' }
  await send(schedule(same))
  const { namespace, id, uuid, retry } = await timer('call-1')
  const changes = { retry: { ...retry, maxAttempts: 1 } }
  await timers.execute({ type: 'update', namespace, id, uuid, changes, ifVersion: null, minLeadMs: null })
  broker.disconnect()
  await clock.advance(MINUTE)
  assert.equal((await timer('call-1')).status, 'failed')
  broker.connect()
  await send(schedule(same))
  assert.equal((await timer('call-1')).status, 'completed')
  assert.equal(events().length, 1)
})

test('with a prefix commands and events of a namespace are on its own subjects only', async (t) => {
  const { send, schedule, clock, broker, deadLetters } = await setupListener(t, { NATS_NAMESPACE_PREFIX: 'tenants' })
  await send(schedule(), 'tenants.other.timer.commands')
  assert.match(reasonOf(deadLetters()[0]!)!, /subject is that of namespace 'other', and the message is for 'acme'/)
  await send(schedule({ tenantId: 'a.b' }), 'tenants.a%2eb.timer.commands')
  assert.match(reasonOf(deadLetters()[1]!)!, /namespace must be 1 to 100 letters/)
  await send(schedule({ tenantId: 'a.b' }), 'tenants.a%2Eb.timer.commands')
  await send(schedule(), 'tenants.acme.timer.commands')
  await clock.advance(MINUTE)
  const subjects = broker.stored('tenants.acme.timer.events').map(({ subject }) => subject)
  assert.deepEqual(subjects.toSorted(), ['tenants.a%2Eb.timer.events', 'tenants.acme.timer.events'])
})

test('a command that was put back does not undo the one that followed it', async (t) => {
  for (const kind of ['a defect', 'an outage'] as const) {
    const { send, schedule, store, clock, timer, events, broker } = await setupListener(t)
    if (kind === 'a defect') store.defect = new Error('once')
    else store.isDown = true
    await send(schedule())
    await clock.advance(kind === 'a defect' ? 100 : 2 * MINUTE + 1_000)
    store.defect = null
    store.isDown = false
    await send(schedule({ type: 'CancelTimer' }))
    await clock.advance(10 * MINUTE)
    assert.equal((await timer('call-1')).status, 'canceled', kind)
    assert.deepEqual([events(), broker.stored('timer.commands').length], [[], 0], kind)
  }
})

test('an earlier command that comes again does not undo what was changed since through another entry point', async (t) => {
  const { handle, schedule, timers, timer } = await setupListener(t)
  const command = schedule()
  await handle(command, 7)
  const { namespace, id, uuid } = await timer('call-1')
  await timers.execute({ type: 'cancel', namespace, id, uuid, ifVersion: null })
  await handle(command, 7)
  assert.equal((await timer('call-1')).status, 'canceled')
  await handle(schedule(), 8)
  assert.equal((await timer('call-1')).status, 'pending')
})

test('of commands for one timer the last one sent counts, in whatever order they arrive', async (t) => {
  const { handle, schedule, timer } = await setupListener(t)
  const ORDERS = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ] as const
  const [cancel, first, last] = [
    schedule({ type: 'CancelTimer' }),
    schedule(),
    schedule({}, { dueAt: at(NOW + 2 * MINUTE) }),
  ]
  const named = (command: object, serviceCallId: string) => ({
    ...command,
    payload: { ...(command as { payload: object }).payload, serviceCallId },
  })
  for (const order of ORDERS) {
    const [ends, goesOn] = [`ends ${order.join()}`, `goes on ${order.join()}`]
    for (const nth of order) await handle(named([cancel, first, cancel][nth]!, ends), nth + 1)
    for (const nth of order) await handle(named([first, cancel, last][nth]!, goesOn), nth + 1)
    assert.equal((await timer(ends)).status, 'canceled', ends)
    assert.deepEqual([(await timer(goesOn)).status, (await timer(goesOn)).dueAt], ['pending', NOW + 2 * MINUTE], goesOn)
  }
})

test('a cancel that meets a delivery waits for its end, and counts if the delivery fails', async (t) => {
  const { send, schedule, clock, broker, timer } = await setupListener(t)
  await send(schedule())
  const answer = Promise.withResolvers<void>()
  const publish = broker.publish.bind(broker)
  broker.publish = (publication, options) =>
    publication.subject === 'timer.events' ? answer.promise : publish(publication, options)
  await clock.advance(MINUTE)
  await send(schedule({ type: 'CancelTimer' }))
  assert.equal((await timer('call-1')).status, 'executing')
  answer.reject(new BrokerError('timeout', 'no answer'))
  await clock.advance(2_000)
  assert.equal((await timer('call-1')).status, 'canceled')
  assert.equal(broker.stored('timer.commands').length, 0)
})

test('a cancel that meets a delivery does not make it happen twice', async (t) => {
  const { send, schedule, clock, broker, timer } = await setupListener(t)
  await send(schedule())
  await send(schedule({}, { serviceCallId: 'another', dueAt: at(NOW + 60 * MINUTE) })) // so that the cancel has a place before it
  const answer = Promise.withResolvers<void>()
  const publish = broker.publish.bind(broker)
  let published = 0
  broker.publish = (publication, options) => {
    if (publication.subject !== 'timer.events') return publish(publication, options)
    published++
    return answer.promise
  }
  await clock.advance(MINUTE)
  await send(schedule({ type: 'CancelTimer' }))
  const { status, version } = await timer('call-1')
  answer.resolve()
  await clock.advance(MINUTE)
  assert.deepEqual([status, version, (await timer('call-1')).status, published], ['executing', 2, 'completed', 1])
})

test('what becomes of commands can be measured, and so can a batch that is held up', async (t) => {
  const { send, schedule, store, clock, metric } = await setupListener(t)
  const outcome = (name: string) => metric(`duetime_commands_settled_total{outcome="${name}"}`)
  const later = { dueAt: at(NOW + 60 * MINUTE) }
  await send(schedule({}, later))
  await send('no command')
  await send(schedule({ type: 'OrderPaid' }))
  store.defect = new Error('once')
  await send(schedule({ correlationId: 'another' }, later))
  assert.deepEqual(
    [await outcome('done'), await outcome('refused'), await outcome('ignored'), await outcome('put_back')],
    [1, 1, 1, 1],
  )
  assert.deepEqual(
    [await metric('duetime_commands_received_total'), await metric('duetime_commands_redelivered_total')],
    [4, 0],
  )
  assert.deepEqual([await metric('duetime_dead_letters_total'), await metric('duetime_commands_held_seconds')], [1, 0])
  store.defect = null
  store.isDown = true
  await clock.advance(61_000)
  assert.equal(await metric('duetime_commands_redelivered_total'), 1)
  assert.ok((await metric('duetime_commands_held_seconds'))! >= 59)
  assert.equal(await metric('duetime_broker_faults'), 0)
  store.isDown = false
})
