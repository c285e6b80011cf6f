// NATS as users meet it: the real service, a real server, and both of them killed in the middle of the work.

import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConsumerInfo } from '@nats-io/jetstream'
import { Client, accepted } from './support/client.ts'
import { Supervisor } from './support/crash/supervisor.ts'
import { eventually } from './support/eventually.ts'
import { natsClient } from './support/nats-client.ts'
import { natsServer, needsNats, startNatsServer } from './support/nats-server.ts'
import { startService } from './support/service.ts'
import type { Service } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()

async function setup(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const server = await startNatsServer(t)
  const service = await startService(t, { cwd: tempDir(t), env: { NATS_URL: server.url, ...env } })
  const nats = await natsClient(t, server)
  await eventually('ready', async () => (await readiness(service)).status === 'ready')
  return { server, service, nats, client: new Client(() => service) }
}

async function readiness(service: Service): Promise<{ status: string; parts: Record<string, string>; code: number }> {
  const response = await fetch(`${service.url}/readyz`)
  return { ...((await response.json()) as { status: string; parts: Record<string, string> }), code: response.status }
}

function command(serviceCallId: string, dueAt: string, changes: Readonly<Record<string, unknown>> = {}) {
  const payload = { tenantId: 'acme', serviceCallId, dueAt }
  return { id: randomUUIDv7(), type: 'ScheduleTimer', tenantId: 'acme', timestampMs: Date.now(), payload, ...changes }
}

test('a callback of type nats is refused while NATS is not configured', async (t) => {
  const service = await startService(t, { cwd: tempDir(t) })
  const answer = await new Client(() => service).create({
    id: 'a',
    executeAt: inMs(60_000),
    callback: { type: 'nats', topic: 'orders' },
  })
  assert.equal(answer.type === 'refused' && answer.status, 400)
  assert.match(answer.type === 'refused' ? answer.body.message : '', /NATS is not configured/)
})

test(
  'a broker that is away leaves the service up and shows; what came due meanwhile is published when it comes',
  needsNats,
  async (t) => {
    const server = await natsServer(tempDir(t))
    t.after(() => server.kill())
    const service = await startService(t, { cwd: tempDir(t), env: { NATS_URL: server.url } })
    const { parts, ...whole } = await readiness(service)
    assert.deepEqual([whole, parts['nats']], [{ status: 'degraded', code: 200 }, 'disconnected: connection refused'])
    const client = new Client(() => service)
    const retryPolicy = { maxRetries: 100, initialInterval: '100ms', multiplier: 1 }
    await accepted(
      client.create({ id: 'a', executeAt: inMs(2_000), callback: { type: 'nats', topic: 'orders.late' }, retryPolicy }),
    )
    const timer = () => accepted(client.get({ timerId: 'a' }))
    await eventually('an attempt', async () => (await timer()).lastError?.includes('no connection to the broker'))
    await server.start()
    await eventually('completed', async () => (await timer()).status === 'completed')
    await eventually('ready', async () => (await readiness(service)).status === 'ready')
    assert.ok(service.logs.some(({ msg }) => msg === 'cannot connect to the broker; trying on'))
  },
)

test('subjects that cannot be published on are refused at create', needsNats, async (t) => {
  const { client } = await setup(t)
  const topics = ['$JS.API.INFO', '_INBOX.a', 'a.*', 'a b', 'a.'].map((topic) => ({ topic }))
  for (const callback of [...topics, { topic: 'a', key: '>' }, { topic: 'a', headers: { 'Nats-Rollup': 'all' } }]) {
    const answer = await client.create({ id: 'a', executeAt: inMs(60_000), callback: { type: 'nats', ...callback } })
    assert.equal(answer.type === 'refused' && answer.status, 400, JSON.stringify(callback))
  }
})

test(
  'a callback publishes exactly the payload, with headers and the delivery id, to a stream or to subscribers',
  needsNats,
  async (t) => {
    const { client, nats } = await setup(t)
    await nats.manager.streams.add({ name: 'ORDERS', subjects: ['orders.>'] })
    const heard = Promise.withResolvers<string>()
    nats.connection.subscribe('plain', { callback: (_, message) => heard.resolve(message.string()) })
    await nats.connection.flush()
    const executeAt = inMs(2_000)
    const callback = { type: 'nats', topic: 'orders', key: 'paid', headers: { 'X-Team': 'a' } }
    const stored = await accepted(client.create({ id: 'a', executeAt, callback, payload: { n: [1] } }))
    await accepted(client.create({ id: 'b', executeAt, callback: { type: 'nats', topic: 'plain' } }))
    assert.equal(await heard.promise, '')
    await eventually('stored', async () => (await nats.count('ORDERS')) === 1)
    const [message] = await nats.read('ORDERS')
    assert.deepEqual(
      [message!.subject, message!.text, message!.headers.get('X-Team')],
      ['orders.paid', '{"n":[1]}', 'a'],
    )
    assert.equal(message!.id, (stored as unknown as { deliveryId: string }).deliveryId)
    assert.ok(message!.storedAt >= Date.parse(executeAt))
    for (const timerId of ['a', 'b']) {
      await eventually('completed', async () => (await accepted(client.get({ timerId }))).status === 'completed')
    }
  },
)

test('commands become timers and timers events; bad ones go to the dead letters', needsNats, async (t) => {
  const { client, nats } = await setup(t)
  const dueAt = inMs(1_500)
  await nats.publish('timer.commands', command('call-1', dueAt, { correlationId: 'c-1' }))
  await nats.publish('timer.commands', 'not json')
  await nats.publish('timer.commands', command('call-2', dueAt, { type: 'SomethingElse' }))
  await nats.publish('timer.commands', command('call-3', dueAt))
  await nats.publish('timer.commands', command('call-3', dueAt, { type: 'CancelTimer' }))
  await eventually('taken', async () => (await nats.count('TIMER_COMMANDS')) === 0)
  const seen = await accepted(client.get({ namespace: 'acme', timerId: 'call-1' }))
  assert.deepEqual([seen.status, seen.executeAt, seen.correlationId], ['pending', dueAt, 'c-1'])
  await eventually('reached', async () => (await nats.count('TIMER_EVENTS')) === 1)
  const [event] = await nats.read('TIMER_EVENTS')
  const { type, correlationId, payload, timestampMs } = JSON.parse(event!.text) as Record<string, unknown>
  assert.deepEqual([type, correlationId], ['DueTimeReached', 'c-1'])
  assert.deepEqual(payload, {
    tenantId: 'acme',
    serviceCallId: 'call-1',
    reachedAt: new Date(timestampMs as number).toISOString(),
  })
  assert.ok((timestampMs as number) >= Date.parse(dueAt))
  const [letter] = await nats.read('TIMER_DLQ')
  assert.equal(letter!.text, 'not json')
  assert.match(letter!.headers.get('Duetime-Reason')!, /not JSON/)
  const { config } = await nats.manager.consumers.info('TIMER_COMMANDS', 'duetime')
  assert.deepEqual([config.ack_policy, config.ack_wait, config.durable_name], ['explicit', 30_000_000_000, 'duetime'])
})

test('the native API answers over request and reply, with its own bodies and errors', needsNats, async (t) => {
  const { nats } = await setup(t)
  const ask = (verb: string, body: unknown) => nats.request(`duetime.v1.timers.${verb}`, body)
  const created = await ask('create', { id: 'a', executeAt: inMs(60_000), callbackUrl: 'http://127.0.0.1:1/x' })
  assert.deepEqual([created.json['id'], created.json['status'], created.error], ['a', 'pending', ''])
  assert.equal(((await ask('list', {})).json['timers'] as unknown[]).length, 1)
  assert.equal((await ask('update', { timerId: 'a', payload: 1 })).json['version'], 2)
  assert.deepEqual((await ask('delete', { timerId: 'a' })).json, {})
  const missing = await ask('get', { timerId: 'nobody' })
  assert.deepEqual([missing.error, missing.code, missing.json['error']], ['TIMER_NOT_FOUND', '404', 'TIMER_NOT_FOUND'])
  assert.equal((await ask('create', { id: 'b' })).code, '400')
  assert.equal((await ask('unheard-of', {})).error, 'ROUTE_NOT_FOUND')
})

test('with a prefix requests are bound to the namespace of their subject', needsNats, async (t) => {
  const { nats } = await setup(t, { NATS_NAMESPACE_PREFIX: 'tenants' })
  const body = { id: 'a', executeAt: inMs(60_000), callback: { type: 'nats', topic: 'tenants.acme.orders' } }
  assert.equal((await nats.request('tenants.acme.duetime.v1.timers.create', body)).json['namespace'], 'acme')
  assert.equal(
    (await nats.request('tenants.other.duetime.v1.timers.get', { timerId: 'a', namespace: 'acme' })).error,
    'FORBIDDEN',
  )
  assert.match(
    String((await nats.request('tenants.other.duetime.v1.timers.create', body)).json['message']),
    /tenants\.other\.…' only/,
  )

  // A payload is delivered as it was sent, also where the subject says the namespace.
  const payload = '{"n":12345678901234567890,"e":1e400}'
  const heard = Promise.withResolvers<string>()
  nats.connection.subscribe('tenants.acme.exact', { callback: (_, message) => heard.resolve(message.string()) })
  await nats.connection.flush()
  const exact = `{"id":"b","schedule":"PT1S","callback":{"type":"nats","topic":"tenants.acme.exact"},"payload":${payload}}`
  await nats.connection.request('tenants.acme.duetime.v1.timers.create', exact, { timeout: 30_000 })
  assert.equal(await heard.promise, payload)
})

const COMMANDS = 5_000
const AHEAD_MS = 8_000
const SPREAD_MS = 6_000
const IN_FLIGHT = 200

const CHAOS = { ...needsNats, timeout: 600_000 }

test(
  '5,000 commands and 5,000 events survive kills of the broker and of the service in the middle of both',
  CHAOS,
  async (t) => {
    const server = await startNatsServer(t)
    const supervisor = new Supervisor({ cwd: tempDir(t), env: { NATS_URL: server.url, NATS_ACK_WAIT: '2s' } })
    t.after(() => supervisor.service.kill())
    await supervisor.start()
    const nats = await natsClient(t, server)
    await eventually('streams', () => nats.count('TIMER_COMMANDS').then(() => true))

    const dueTimes = new Map<string, number>()
    let published = 0
    const publishing = inParallel(IN_FLIGHT, COMMANDS, async (n) => {
      const dueAt = Date.now() + AHEAD_MS + Math.floor((n / COMMANDS) * SPREAD_MS)
      const message = command(`call-${n}`, new Date(dueAt).toISOString(), { correlationId: `c-${n}` })
      dueTimes.set(`call-${n}`, dueAt)
      await nats.publish('timer.commands', message, message.id)
      published++
    })
    await eventually('a third of the commands', () => published > COMMANDS / 3, { withinMs: 60_000 })
    await restart(server)
    await eventually('two thirds of the commands', () => published > (2 * COMMANDS) / 3, { withinMs: 60_000 })
    await supervisor.kill()
    await supervisor.start()
    await publishing
    const lastDueAt = Math.max(...dueTimes.values())

    await eventually('the first events', async () => (await nats.count('TIMER_EVENTS')) > COMMANDS / 10, {
      withinMs: 60_000,
    })
    await restart(server)
    await eventually('more events', async () => (await nats.count('TIMER_EVENTS')) > COMMANDS / 3, { withinMs: 60_000 })
    assert.ok((await nats.count('TIMER_EVENTS')) < COMMANDS, 'the last kill came too late to prove anything')
    await supervisor.kill()
    await supervisor.start()
    await eventually('every event', async () => (await nats.count('TIMER_EVENTS')) >= COMMANDS, { withinMs: 90_000 })
    // Not by what the stream holds: a server that is killed may bring messages back that were acknowledged long ago.
    await eventually(
      'every command taken',
      async () => isIdle(await nats.manager.consumers.info('TIMER_COMMANDS', 'duetime')),
      { withinMs: 60_000 },
    )
    await sleep(Math.max(0, lastDueAt + 1_000 - Date.now())) // a duplicate would show by then

    const events = await nats.read('TIMER_EVENTS')
    const reached = new Map(events.map((event) => [eventOf(event.text).payload.serviceCallId, event]))
    assert.equal(reached.size, COMMANDS, 'some timers never fired')
    assert.equal(events.length, COMMANDS, 'some fired twice')
    assert.equal(new Set(events.map(({ id }) => id)).size, COMMANDS)
    for (const [id, { text, storedAt }] of reached) {
      const dueAt = dueTimes.get(id)!
      assert.ok(eventOf(text).timestampMs >= dueAt && storedAt >= dueAt, `${id} was early`)
      assert.equal(eventOf(text).correlationId, `c-${id.slice('call-'.length)}`)
    }
    assert.equal(await nats.count('TIMER_DLQ'), 0)
  },
)

function isIdle({ num_pending: waiting, num_ack_pending: unsettled }: ConsumerInfo): boolean {
  return waiting === 0 && unsettled === 0
}

async function restart(server: { kill(): Promise<void>; start(): Promise<void> }): Promise<void> {
  await server.kill()
  await sleep(300)
  await server.start()
}

function eventOf(text: string): { timestampMs: number; correlationId: string; payload: { serviceCallId: string } } {
  return JSON.parse(text) as ReturnType<typeof eventOf>
}

async function inParallel(workers: number, count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const run = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: workers }, run))
}
