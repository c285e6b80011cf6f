import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerOf } from '../../broker/broker.ts'
import { MemoryBroker } from '../../broker/memory/memory-broker.ts'
import { failedDelivery } from '../../core/timer/delivery.ts'
import type { Firing } from '../../core/timer/delivery.ts'
import { SubjectPatterns } from '../../core/timer/subject.ts'
import type { NatsTarget as NatsAddress } from '../../core/targets/nats.ts'
import type { JsonText, Timer } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { targetConformance } from '../conformance.ts'
import { aFiring } from '../http/delivery.fixture.ts'
import { NatsTarget } from './nats-target.ts'
import { payloadProtocol } from './protocol.ts'

const NOT_ABORTED = new AbortController().signal
const strict = { name: 'strict', confirmedBy: 'stream', message: () => 'event' } as const
const events = { name: 'events', confirmedBy: 'any', subjectFor: () => 'own.events', message: () => 'event' } as const

async function setup(clock: Clock = systemClock) {
  const broker = new MemoryBroker(clock)
  await broker.start()
  const rules = { namespacePrefix: null, own: new SubjectPatterns(['timer.commands', 'own.events']), allowed: null }
  return { broker, target: new NatsTarget({ broker, protocols: [payloadProtocol('v1'), strict, events], rules }) }
}

targetConformance('nats', {
  accepts: async () => conforming(() => {}),
  fails: async () => conforming((broker) => broker.disconnect('unplugged')),
  refuses: async () => conforming(() => {}, { topic: 'timer.commands' }),
  silent: async () => conforming((broker) => broker.fallSilent()),
})

async function conforming(prepare: (broker: MemoryBroker) => Promise<void> | void, address?: Partial<NatsAddress>) {
  const clock = new ManualClock()
  const { broker, target } = await setup(clock)
  return { adapter: target, clock, firing: firing(address), arrived: Promise.resolve(prepare(broker)) }
}

function firing(address: Partial<NatsAddress> = {}, timer: Partial<Timer> = {}): Firing {
  return aFiring('', {
    target: { type: 'nats', topic: 'orders', key: null, headers: null, ...address },
    protocol: 'v1',
    ...timer,
  })
}

test('a broker that is away is a failure without an answer, so that the policy decides and the destination slows down', async () => {
  const { broker, target } = await setup()
  broker.disconnect('unplugged')
  const outcome = await target.deliver(firing(), NOT_ABORTED)
  assert.deepEqual(outcome, failedDelivery('no connection to the broker: unplugged'))
})

test('a refusal is a failure with an answer', async () => {
  const { target } = await setup()
  const outcome = await target.deliver(firing({}, { protocol: 'strict' }), NOT_ABORTED)
  assert.deepEqual(outcome, failedDelivery('no stream covers the subject', { statusCode: 503 }))
})

test('a subject of the service is never published on, and no further attempt is made', async () => {
  const { broker, target } = await setup()
  for (const address of [
    { topic: 'timer.commands' },
    { topic: 'timer', key: 'commands' },
    { topic: 'a.*' },
    { topic: '$SYS', key: 'a' },
  ]) {
    const outcome = await target.deliver(firing(address), NOT_ABORTED)
    assert.ok(outcome.type === 'failed' && outcome.final && outcome.statusCode === 403, JSON.stringify(address))
  }
  assert.equal(broker.uncovered.length, 0)
})

test('a protocol that says where its messages go is not led elsewhere by the timer', async () => {
  const { broker, target } = await setup()
  await target.deliver(firing({ topic: 'timer.commands' }, { protocol: 'events' }), NOT_ABORTED)
  assert.deepEqual(
    broker.uncovered.map(({ subject }) => subject),
    ['own.events'],
  )
})

test('a protocol that this node does not know is a failure, not a loss', async () => {
  const { broker, target } = await setup()
  const outcome = await target.deliver(firing({}, { protocol: 'of-next-year' }), NOT_ABORTED)
  assert.match(outcome.type === 'failed' ? outcome.error : '', /does not know the protocol 'of-next-year'/)
  assert.equal(broker.uncovered.length, 0)
})

test('a delivery that is abandoned rejects with the reason', async () => {
  const { target } = await setup()
  const reason = new Error('stopping')
  await assert.rejects(target.deliver(firing(), AbortSignal.abort(reason)), reason)
})

test('the payload is published as it is, with the headers and the delivery id, to topic and key', async () => {
  const { broker, target } = await setup()
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const headers = { 'X-Team': 'a', 'Nats-Rollup': 'all' }
  const sent = firing({ key: 'eu.paid', headers }, { payload: '{"n": 1}' as JsonText, traceparent })
  assert.deepEqual(await target.deliver(sent, NOT_ABORTED), { type: 'delivered', statusCode: null })
  const [message] = broker.uncovered
  assert.equal(message!.subject, 'orders.eu.paid')
  assert.equal(Buffer.from(message!.data).toString(), '{"n": 1}')
  assert.deepEqual(message!.headers, [
    ['traceparent', traceparent],
    ['X-Team', 'a'],
    ['Nats-Msg-Id', sent.deliveryId],
  ])
})

test('without a payload the message is empty', async () => {
  const { broker, target } = await setup()
  await target.deliver(firing({}, { payload: null }), NOT_ABORTED)
  assert.equal(broker.uncovered[0]!.data.length, 0)
  assert.equal(headerOf(broker.uncovered[0]!, 'Nats-Msg-Id'), firing().deliveryId)
})

test('a second attempt of one firing is stored once', async () => {
  const { broker, target } = await setup()
  broker.declare([{ name: 'ORDERS', subject: 'orders', keeps: 'log', maxAgeMs: null, duplicateWindowMs: 60_000 }])
  for (let attempt = 1; attempt <= 2; attempt++) await target.deliver({ ...firing(), attempt }, NOT_ABORTED)
  assert.equal(broker.stored('orders').length, 1)
})

test('topics have destinations of their own', async () => {
  const { target } = await setup()
  assert.equal(target.destinationOf({ type: 'nats', topic: 'orders', key: 'a', headers: null }), 'nats:orders')
})
