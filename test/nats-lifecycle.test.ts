// Lifecycle events as those meet them who follow timers: a real service, a real server, and both of them killed meanwhile.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { DiscardPolicy } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { Client, accepted } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { assertInOrder, firstTold, LIFECYCLE_STREAM, readLifecycle } from './support/lifecycle-events.ts'
import { natsClient } from './support/nats-client.ts'
import { natsServer, needsNats, startNatsServer } from './support/nats-server.ts'
import { startService } from './support/service.ts'
import type { Service } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()
const NO_CALLBACK = 'http://127.0.0.1:1/nobody'

async function setup(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const server = await startNatsServer(t)
  const service = await startService(t, {
    cwd: tempDir(t),
    env: { NATS_URL: server.url, NATS_LIFECYCLE: 'on', ...env },
  })
  return { server, service, nats: await natsClient(t, server), client: new Client(() => service) }
}

async function readiness(service: Service): Promise<{ status: string; parts: Record<string, string> }> {
  return (await (await fetch(`${service.url}/readyz`)).json()) as { status: string; parts: Record<string, string> }
}

async function metric(service: Service, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const value = new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]
  return value === undefined ? undefined : Number(value)
}

test('events without a place to send them to are refused at the start', async (t) => {
  const service = startService(t, { cwd: tempDir(t), env: { NATS_LIFECYCLE: 'on' } })
  await assert.rejects(service, /NATS_LIFECYCLE=on \(environment\): asks for events, and nothing says where NATS is/)
})

test('unless they are asked for nothing is published, stored or measured', needsNats, async (t) => {
  const { client, nats, service } = await setup(t, { NATS_LIFECYCLE: '' })
  await accepted(client.create({ id: 'a', executeAt: inMs(60_000), callbackUrl: NO_CALLBACK }))
  await eventually('ready', async () => (await readiness(service)).status === 'ready')
  const streams = await Array.fromAsync(nats.manager.streams.names())
  assert.deepEqual(streams.toSorted(), ['TIMER_COMMANDS', 'TIMER_DLQ', 'TIMER_EVENTS'])
  assert.deepEqual(
    [(await readiness(service)).parts['lifecycle'], await metric(service, 'duetime_outbox_events')],
    [undefined, undefined],
  )
})

test(
  'what happens to a timer is told in order, as CloudEvents, on the subjects of its namespace',
  needsNats,
  async (t) => {
    const { client, nats } = await setup(t)
    const name = { namespace: 'shop', timerId: 'order/1' }
    const callback = { type: 'nats', topic: 'paid' }
    await accepted(
      client.create({ namespace: 'shop', id: 'order/1', executeAt: inMs(60_000), callback, metadata: { a: 1 } }),
    )
    await accepted(client.pause(name))
    await accepted(client.resume(name))
    await accepted(client.update(name, { executeAt: inMs(2_000) }))
    await accepted(client.create({ namespace: 'shop', id: 'b', executeAt: inMs(60_000), callbackUrl: NO_CALLBACK }))
    await accepted(client.cancel({ namespace: 'shop', timerId: 'b' }))
    await eventually('completed', async () => (await nats.count(LIFECYCLE_STREAM)) === 8)
    const events = await readLifecycle(nats)
    const of = (id: string) => events.filter(({ body }) => body.subject === id)
    assert.deepEqual(
      of('order/1').map(({ type }) => type),
      ['created', 'updated', 'updated', 'updated', 'fired', 'completed'],
    )
    assert.deepEqual(
      of('b').map(({ type }) => type),
      ['created', 'canceled'],
    )
    const statuses = of('order/1').map(({ body }) => body.data['status'])
    assert.deepEqual(statuses, ['pending', 'paused', 'pending', 'pending', 'completed', 'completed'])
    for (const { stored, body, type } of events) {
      assert.equal(stored.subject, `duetime.events.shop.${type}`)
      assert.deepEqual(
        [stored.id, stored.headers.get('Content-Type')],
        [body.id, 'application/cloudevents+json; charset=UTF-8'],
      )
      assert.deepEqual(
        [body['specversion'], body.type, body['source']],
        ['1.0', `duetime.timer.${type}`, '/namespaces/shop'],
      )
    }
    const fired = of('order/1')[4]!.body.data
    assert.deepEqual(fired['metadata'], { a: 1 })
    const { number, outcome, lateMs } = fired['attempt'] as { number: number; outcome: string; lateMs: number }
    assert.deepEqual([number, outcome, lateMs >= 0], [1, 'delivered', true])
  },
)

test('only the kinds that are asked for are told, on the subject that is asked for', needsNats, async (t) => {
  const env = { NATS_LIFECYCLE: 'canceled', NATS_LIFECYCLE_SUBJECT: 'ours.{event}', NATS_LIFECYCLE_STREAM: 'OURS' }
  const { client, nats } = await setup(t, env)
  await accepted(client.create({ id: 'a', executeAt: inMs(60_000), callbackUrl: NO_CALLBACK }))
  await accepted(client.cancel({ timerId: 'a' }))
  await eventually('told', async () => (await nats.count('OURS')) === 1)
  assert.deepEqual(
    (await nats.read('OURS')).map(({ subject }) => subject),
    ['ours.canceled'],
  )
})

test(
  'with a prefix the events of a namespace are below its own subjects, also if its name has a dot',
  needsNats,
  async (t) => {
    const { client, nats } = await setup(t, { NATS_NAMESPACE_PREFIX: 'tenants' })
    for (const namespace of ['acme', 'acme.eu']) {
      await accepted(client.create({ namespace, id: 'a', executeAt: inMs(60_000), callbackUrl: NO_CALLBACK }))
    }
    await eventually('told', async () => (await nats.count(LIFECYCLE_STREAM)) === 2)
    assert.deepEqual((await nats.read(LIFECYCLE_STREAM)).map(({ subject }) => subject).toSorted(), [
      'tenants.acme%2Eeu.duetime.events.acme%2Eeu.created',
      'tenants.acme.duetime.events.acme.created',
    ])
  },
)

const USERS = `authorization { users = [
  { user: duetime, password: d, permissions: { publish: { deny: ["tenants.barred.>"] } } }
  { user: acme, password: a, permissions: { publish: ["tenants.acme.>"], subscribe: ["tenants.acme.>", "_INBOX.>"] } }
] }`

test(
  'the permissions of NATS decide who reads which namespace’s events; one that is barred holds up no other',
  needsNats,
  async (t) => {
    const server = await startNatsServer(t, { config: USERS })
    const env = {
      NATS_URL: server.url,
      NATS_USER: 'duetime',
      NATS_PASSWORD: 'd',
      NATS_LIFECYCLE: 'on',
      NATS_NAMESPACE_PREFIX: 'tenants',
    }
    const service = await startService(t, { cwd: tempDir(t), env })
    const reader = await connect({ servers: server.url, user: 'acme', pass: 'a' })
    t.after(() => reader.close())
    const heard: string[] = []
    const refused = Promise.withResolvers<Error>()
    reader.subscribe('tenants.acme.>', { callback: (_, { subject }) => void heard.push(subject) })
    reader.subscribe('tenants.>', {
      callback: (error, message) => {
        if (error === null) heard.push(message.subject)
        else refused.resolve(error)
      },
    })
    assert.match((await refused.promise).message, /permissions violation for subscription to "tenants\.>"/i)
    const client = new Client(() => service)
    for (const namespace of ['barred', 'other', 'acme.eu', 'acme']) {
      await accepted(client.create({ namespace, id: 'a', executeAt: inMs(60_000), callbackUrl: NO_CALLBACK }))
    }
    await eventually('heard', () => heard.length > 0)
    assert.deepEqual(heard, ['tenants.acme.duetime.events.acme.created'])
    await eventually('said', async () =>
      /not allow this service to publish/.test((await readiness(service)).parts['lifecycle']!),
    )
    assert.match((await readiness(service)).parts['lifecycle']!, /tenants\.barred\.duetime\.events\.barred\.created/)
  },
)

test('without JetStream events reach those who listen', needsNats, async (t) => {
  const server = await startNatsServer(t, { jetstream: false })
  const env = { NATS_URL: server.url, NATS_LIFECYCLE: 'on', NATS_LIFECYCLE_CONFIRM: 'server', NATS_MESSAGES: 'false' }
  const service = await startService(t, { cwd: tempDir(t), env })
  const nats = await natsClient(t, server)
  const heard: string[] = []
  nats.connection.subscribe('duetime.events.>', { callback: (_, { subject }) => void heard.push(subject) })
  await nats.connection.flush()
  await accepted(
    new Client(() => service).create({ id: 'a', executeAt: inMs(2_000), callback: { type: 'nats', topic: 'x' } }),
  )
  await eventually('heard', () => heard.length === 3)
  assert.deepEqual(
    heard.map((subject) => subject.split('.').at(-1)),
    ['created', 'fired', 'completed'],
  )
  assert.equal((await readiness(service)).status, 'ready')
})

test('a stream that refuses messages holds events up, in order, until it takes them', needsNats, async (t) => {
  const server = await startNatsServer(t)
  const nats = await natsClient(t, server)
  // One that is there is taken as it is.
  const limited = { name: LIFECYCLE_STREAM, subjects: ['duetime.events.>'], max_msgs: 40, discard: DiscardPolicy.New }
  await nats.manager.streams.add(limited)
  const service = await startService(t, { cwd: tempDir(t), env: { NATS_URL: server.url, NATS_LIFECYCLE: 'on' } })
  const client = new Client(() => service)
  const timers = Array.from({ length: 100 }, async (_, n) => {
    await accepted(client.create({ id: `t-${n}`, executeAt: inMs(600_000), callbackUrl: NO_CALLBACK }))
    for (let change = 0; change < 4; change++) await accepted(client.update({ timerId: `t-${n}` }, { payload: change }))
  })
  await Promise.all(timers)
  for (const full of [40, 170]) {
    await nats.manager.streams.update(LIFECYCLE_STREAM, { ...limited, max_msgs: full })
    await eventually('full', async () => (await nats.count(LIFECYCLE_STREAM)) === full)
    await eventually('degraded', async () => /maximum messages/.test((await readiness(service)).parts['lifecycle']!))
  }
  await nats.manager.streams.update(LIFECYCLE_STREAM, { ...limited, max_msgs: -1 })
  await eventually('all told', async () => (await nats.count(LIFECYCLE_STREAM)) === 500)
  const told = firstTold(await readLifecycle(nats))
  assertInOrder(told)
  assert.ok(told.values().every(({ length }) => length === 5))
  await eventually('ready', async () => (await readiness(service)).status === 'ready')
})

test(
  'while NATS is away events wait in the store and show; past the limit changes are refused; nothing is lost',
  needsNats,
  async (t) => {
    const server = await natsServer(tempDir(t))
    t.after(() => server.kill())
    const env = { NATS_URL: server.url, NATS_LIFECYCLE: 'on', NATS_LIFECYCLE_BACKLOG_MAX: '1000' }
    const service = await startService(t, { cwd: tempDir(t), env })
    const client = new Client(() => service)
    const timers = Array.from({ length: 1_000 }, (_, n) => ({
      id: `t-${n}`,
      executeAt: inMs(600_000),
      callbackUrl: NO_CALLBACK,
    }))
    await Promise.all(timers.map((timer) => accepted(client.create(timer))))
    await eventually('counted', async () => (await metric(service, 'duetime_outbox_events')) === 1_000)
    const refused = await client.create({ id: 'too-much', executeAt: inMs(600_000), callbackUrl: NO_CALLBACK })
    assert.equal(refused.type === 'refused' && refused.status, 503)
    const { status, parts } = await readiness(service)
    assert.equal(status, 'degraded')
    assert.match(parts['lifecycle']!, /^1000 events wait, the oldest for \d+ s: no connection to the broker/)
    assert.ok(service.logs.some(({ msg }) => msg === 'lifecycle events do not get through; trying on'))
    await server.start()
    const nats = await natsClient(t, server)
    await eventually('all told', async () => (await nats.count(LIFECYCLE_STREAM)) === 1_000)
    await eventually('room', () =>
      accepted(client.create({ id: 'fits', executeAt: inMs(600_000), callbackUrl: NO_CALLBACK })),
    )
    await eventually('ready', async () => (await readiness(service)).status === 'ready')
  },
)
