import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DiscardPolicy, jetstreamManager } from '@nats-io/jetstream'
import { connect, headers as emptyHeaders } from '@nats-io/transport-node'
import { systemClock } from '../../runtime/clock/clock.ts'
import { brokerUrl } from '../../runtime/config/broker.ts'
import type { BrokerSettings } from '../../runtime/config/broker.ts'
import { silentLogger } from '../../runtime/telemetry/logger.ts'
import { aCertificateFor } from '../../targets/http/certificate.fixture.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { natsServer, needsNats, startNatsServer } from '../../../test/support/nats-server.ts'
import type { NatsServer } from '../../../test/support/nats-server.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import type { Message, Publication, Reply } from '../broker.ts'
import { brokerConformance } from '../conformance.ts'
import { NatsBroker } from './nats-broker.ts'
import { headersOf } from './pull-consumer.ts'

function settingsFor(url: string, changes: Partial<BrokerSettings> = {}): BrokerSettings {
  const { isTls, ...location } = brokerUrl().parse(url)
  return {
    ...location,
    credentialsFile: null,
    tls: isTls ? { caFile: null, certFile: null, keyFile: null } : null,
    ...changes,
  }
}

async function aBroker(t: TestContext, settings: BrokerSettings): Promise<NatsBroker> {
  const broker = new NatsBroker({ settings, clock: systemClock, logger: silentLogger() })
  t.after(() => broker.stop())
  await broker.start()
  return broker
}

async function askedOf(server: NatsServer, { subject, headers, data }: Message): Promise<Reply> {
  const client = await connect({ servers: server.url, reconnect: false })
  try {
    const list = emptyHeaders()
    for (const [name, value] of headers) list.append(name, value)
    const answer = await client.request(subject, data, { headers: list, timeout: 30_000 })
    return { headers: headersOf(answer), data: answer.data }
  } finally {
    await client.close()
  }
}

brokerConformance('nats', needsNats, async (t) => {
  const server = await startNatsServer(t)
  const broker = await aBroker(t, settingsFor(server.url))
  return {
    broker,
    request: (message) => askedOf(server, message),
    disconnect: () => server.kill(),
    connect: () => server.start(),
  }
})

const NO_HURRY = { timeoutMs: 10_000 }

function publication(subject: string, changes: Partial<Publication> = {}): Publication {
  return { subject, headers: [], data: 'x', id: null, confirmedBy: 'any', ...changes }
}

async function streamsOf(server: NatsServer, options: { user?: string; pass?: string } = {}) {
  const client = await connect({ servers: server.url, reconnect: false, ...options })
  return { client, manager: await jetstreamManager(client) }
}

test(
  'a broker that is not there does not keep the service from starting, and is found when it comes',
  needsNats,
  async (t) => {
    const server = await natsServer(tempDir(t))
    t.after(() => server.kill())
    const broker = await aBroker(t, settingsFor(server.url))
    assert.deepEqual(broker.state, { type: 'disconnected', reason: 'connection refused' })
    const message = 'no connection to the broker: connection refused'
    await assert.rejects(broker.publish(publication('a'), NO_HURRY), { reason: 'disconnected', message })
    await server.start()
    await eventually('connected', () => broker.state.type === 'connected')
    await broker.publish(publication('a'), NO_HURRY)
  },
)

test('wrong credentials are a state that says so; right ones, of every kind, connect', needsNats, async (t) => {
  const withUser = await startNatsServer(t, { config: 'authorization { user: me, password: "p@ss" }' })
  const refused = await aBroker(t, settingsFor(withUser.url))
  assert.deepEqual(refused.state, { type: 'disconnected', reason: 'the broker refused the credentials' })
  const url = withUser.url.replace('//', '//me:p%40ss@')
  assert.equal((await aBroker(t, settingsFor(url))).state.type, 'connected')

  const withToken = await startNatsServer(t, { config: 'authorization { token: s3cret }' })
  assert.equal((await aBroker(t, settingsFor(withToken.url, { token: 's3cret' }))).state.type, 'connected')
})

test('an encrypted connection is made with the authority that is given, and not without it', needsNats, async (t) => {
  const directory = tempDir(t)
  const { key, cert } = aCertificateFor('localhost')
  const [keyFile, certFile] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]
  writeFileSync(keyFile, key)
  writeFileSync(certFile, cert)
  const config = `tls { cert_file: ${JSON.stringify(certFile)}, key_file: ${JSON.stringify(keyFile)} }`
  const server = await startNatsServer(t, { config })
  const url = server.url.replace('nats://127.0.0.1', 'tls://localhost')
  const trusting = await aBroker(t, settingsFor(url, { tls: { caFile: certFile, certFile: null, keyFile: null } }))
  assert.equal(trusting.state.type, 'connected')
  const { state } = await aBroker(t, settingsFor(url))
  assert.match(state.type === 'disconnected' ? state.reason : '', /certificate/)

  const plain = await startNatsServer(t)
  const refusing = await aBroker(t, settingsFor(plain.url.replace('nats:', 'tls:')))
  assert.match(refusing.state.type === 'disconnected' ? refusing.state.reason : '', /tls/)
})

test(
  'without JetStream a plain publish reaches its subscribers, and what only a stream may confirm is refused',
  needsNats,
  async (t) => {
    const server = await startNatsServer(t, { jetstream: false })
    const broker = await aBroker(t, settingsFor(server.url))
    const client = await connect({ servers: server.url })
    t.after(() => client.close())
    const received: string[] = []
    client.subscribe('news', { callback: (_, message) => void received.push(message.string()) })
    await client.flush()
    await Promise.all(['a', 'b', 'c'].map((data) => broker.publish(publication('news', { data }), NO_HURRY)))
    await eventually('all three', () => received.length === 3)
    assert.deepEqual(received, ['a', 'b', 'c'])
    await assert.rejects(broker.publish(publication('nobody.there', { confirmedBy: 'stream' }), NO_HURRY), {
      reason: 'refused',
    })
  },
)

test('a stream that comes or goes later is noticed', needsNats, async (t) => {
  const server = await startNatsServer(t)
  const { client, manager } = await streamsOf(server)
  t.after(() => client.close())
  await manager.streams.add({ name: 'ORDERS', subjects: ['orders.>'] })
  const broker = await aBroker(t, settingsFor(server.url))
  for (const id of ['1', '1', '2']) await broker.publish(publication('orders.paid', { id }), NO_HURRY)
  assert.equal((await manager.streams.info('ORDERS')).state.messages, 2)
  await manager.streams.delete('ORDERS')
  await broker.publish(publication('orders.paid'), NO_HURRY)
  // Remembered as uncovered for a while: the new stream stores it all the same.
  await manager.streams.add({ name: 'ORDERS', subjects: ['orders.>'] })
  await broker.publish(publication('orders.paid'), NO_HURRY)
  await eventually('stored', async () => (await manager.streams.info('ORDERS')).state.messages === 1)
})

test(
  'what the broker refuses is told in words: a full stream, a subject that is not allowed, a message too large',
  needsNats,
  async (t) => {
    const user = '{ user: me, password: pw, permissions: { publish: { deny: "secret.>" } } }'
    const config = `max_payload: 1024\nauthorization { users: [${user}] }`
    const server = await startNatsServer(t, { config })
    const { client, manager } = await streamsOf(server, { user: 'me', pass: 'pw' })
    t.after(() => client.close())
    await manager.streams.add({ name: 'SMALL', subjects: ['small'], max_msgs: 1, discard: DiscardPolicy.New })
    const broker = await aBroker(t, settingsFor(server.url, { user: 'me', password: 'pw' }))
    await broker.publish(publication('small'), NO_HURRY)
    const isRefused = (refused: Publication, message: RegExp) =>
      assert.rejects(broker.publish(refused, NO_HURRY), { reason: 'refused', message })
    await isRefused(publication('small'), /the stream refused the message: maximum messages exceeded/)
    await isRefused(publication('open', { data: 'x'.repeat(2_000) }), /2000 bytes.*1024/)
    for (const confirmedBy of ['any', 'stream'] as const)
      await isRefused(publication('secret.plan', { confirmedBy }), /not allow.*secret\.plan/)
    await broker.publish(publication('open'), NO_HURRY)
  },
)

test('a message that nobody confirms fails in time, and one whose signal aborts at once', needsNats, async (t) => {
  const server = await startNatsServer(t)
  const broker = await aBroker(t, settingsFor(server.url))
  const client = await connect({ servers: server.url })
  t.after(() => client.close())
  client.subscribe('silent', { callback: () => {} })
  await client.flush()
  const silent = publication('silent', { confirmedBy: 'stream' })
  await assert.rejects(broker.publish(silent, { timeoutMs: 100 }), { reason: 'timeout', message: /did not confirm/ })
  const stopping = new AbortController()
  const reason = new Error('stopping')
  const aborted = assert.rejects(broker.publish(silent, { ...NO_HURRY, signal: stopping.signal }), reason)
  stopping.abort(reason)
  await aborted
})

test('messages under way when the connection breaks are rejected at once', needsNats, async (t) => {
  const server = await startNatsServer(t)
  const broker = await aBroker(t, settingsFor(server.url))
  const client = await connect({ servers: server.url, reconnect: false })
  client.subscribe('silent', { callback: () => {} })
  await client.flush()
  const silent = publication('silent', { confirmedBy: 'stream' })
  const lost = assert.rejects(broker.publish(silent, { timeoutMs: 60_000 }), { reason: 'disconnected' })
  await server.kill()
  await lost
})

test(
  'a handler may take longer than the broker waits: the message is not given to anybody else',
  needsNats,
  async (t) => {
    const server = await startNatsServer(t)
    const broker = await aBroker(t, settingsFor(server.url))
    broker.declare([{ name: 'WORK', subject: 'work', keeps: 'queue', maxAgeMs: null, duplicateWindowMs: 1_000 }])
    await eventually('published', () =>
      broker.publish(publication('work', { confirmedBy: 'stream' }), NO_HURRY).then(() => true),
    )
    const ackWaitMs = 1_000
    const seen: number[] = []
    const done = Promise.withResolvers<void>()
    const consuming = broker.consume({ name: 'slow', subject: 'work', ackWaitMs, batchMax: 10 }, async (batch) => {
      seen.push(...batch.map(({ deliveries }) => deliveries))
      await sleep(ackWaitMs * 3)
      for (const delivery of batch) delivery.ack()
      done.resolve()
    })
    t.after(() => consuming.stop())
    await done.promise
    const { client, manager } = await streamsOf(server)
    t.after(() => client.close())
    await eventually('acknowledged', async () => (await manager.streams.info('WORK')).state.messages === 0)
    assert.deepEqual(seen, [1])
  },
)

test(
  'an operator’s own stream is taken as it is, and what cannot be made is a fault that says why',
  needsNats,
  async (t) => {
    const server = await startNatsServer(t)
    const { client, manager } = await streamsOf(server)
    t.after(() => client.close())
    await manager.streams.add({ name: 'MINE', subjects: ['timer.>'] })
    const broker = await aBroker(t, settingsFor(server.url))
    broker.declare([
      { name: 'TIMER_EVENTS', subject: 'timer.events', keeps: 'log', maxAgeMs: null, duplicateWindowMs: 1_000 },
    ])
    await broker.publish(publication('timer.events', { confirmedBy: 'stream' }), NO_HURRY)
    assert.deepEqual(await manager.streams.names().next(), ['MINE'])

    const without = await startNatsServer(t, { jetstream: false })
    const other = await aBroker(t, settingsFor(without.url))
    other.declare([{ name: 'X', subject: 'x', keeps: 'log', maxAgeMs: null, duplicateWindowMs: 1_000 }])
    await eventually('a fault', () => other.faults().length > 0)
    assert.match(other.faults()[0]!, /streams could not be made: .*jetstream/i)
  },
)
