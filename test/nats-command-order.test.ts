// Commands for one timer count in the order in which they were sent, also when an earlier one comes again behind a later
// one: here another node of the shared consumer, which is the test, takes commands and puts them back.

import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { jetstream } from '@nats-io/jetstream'
import { Client, accepted } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { natsClient } from './support/nats-client.ts'
import { needsNats, startNatsServer } from './support/nats-server.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const command = (type: string, serviceCallId: string, dueAt: string) => {
  const payload = { tenantId: 'acme', serviceCallId, ...(type === 'ScheduleTimer' && { dueAt }) }
  return { id: randomUUIDv7(), type, tenantId: 'acme', timestampMs: Date.now(), payload }
}
const EARLY = '2100-01-01T00:00:00.000Z'
const LATE = '2101-01-01T00:00:00.000Z'

async function setup(t: TestContext) {
  const server = await startNatsServer(t)
  const cwd = tempDir(t)
  const env = { NATS_URL: server.url }
  const nats = await natsClient(t, server)
  const consumer = () => nats.manager.consumers.info('TIMER_COMMANDS', 'duetime')
  // The first start makes the stream and the consumer.
  const first = await startService(t, { cwd, env })
  await eventually('the consumer', () => consumer().then(() => true))
  await first.stop()
  const take = async (count: number) => {
    const pulling = await jetstream(nats.connection).consumers.get('TIMER_COMMANDS', 'duetime')
    const taken = await Array.fromAsync(await pulling.fetch({ max_messages: count, expires: 20_000 }))
    assert.equal(taken.length, count)
    return taken
  }
  const restart = async () => {
    const service = await startService(t, { cwd, env })
    return new Client(() => service)
  }
  const areSettledBut = async (count: number) => {
    const { num_pending: waiting, num_ack_pending: unsettled } = await consumer()
    return waiting === 0 && unsettled === count
  }
  return { nats, take, restart, areSettledBut }
}

test('a command that comes again behind a later one for its timer does nothing', needsNats, async (t) => {
  const { nats, take, restart, areSettledBut } = await setup(t)
  for (const id of ['canceled', 'moved', 'alone'])
    await nats.publish('timer.commands', command('ScheduleTimer', id, EARLY))
  const taken = await take(3)
  await nats.publish('timer.commands', command('CancelTimer', 'canceled', EARLY))
  await nats.publish('timer.commands', command('ScheduleTimer', 'moved', LATE))
  const client = await restart()
  await eventually('the later ones are settled', () => areSettledBut(taken.length))
  for (const message of taken) message.nak()
  await eventually('all are settled', () => areSettledBut(0))
  const timer = (timerId: string) => accepted(client.get({ namespace: 'acme', timerId }))
  assert.equal((await timer('canceled')).status, 'canceled')
  assert.equal((await timer('moved')).executeAt, LATE)
  assert.equal((await timer('alone')).executeAt, EARLY)
  assert.equal(await nats.count('TIMER_DLQ'), 0)
})
