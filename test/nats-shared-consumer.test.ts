// Two nodes take commands through one durable consumer: each command is one timer, whichever node it came to, and also
// when one of them is killed with commands in its hands.

import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { test } from 'node:test'
import type { TimerJson } from './support/client.ts'
import { Cluster } from './support/cluster/cluster.ts'
import type { ClusterNode } from './support/cluster/cluster-node.ts'
import { eventually } from './support/eventually.ts'
import { natsClient } from './support/nats-client.ts'
import type { NatsClient } from './support/nats-client.ts'
import { needsNats, startNatsServer } from './support/nats-server.ts'

const CALM = 300
const STORMY = 300
const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString()

test(
  'every command becomes one timer, however many nodes share the consumer',
  { ...needsNats, timeout: 600_000 },
  async (t) => {
    const server = await startNatsServer(t)
    const env = { NATS_URL: server.url, NATS_ACK_WAIT: '1s', LEASE: '2s', SHARDS: '8' }
    const cluster = await Cluster.start(t, { nodes: 2, env })
    const [survivor, victim] = cluster.nodes as [ClusterNode, ClusterNode]
    const nats = await natsClient(t, server)
    await cluster.balanced()
    await eventually('both ask for commands', async () => (await consumerOf(nats)).num_waiting === 2)

    await publish(nats, 'calm', CALM)
    await eventually('all are taken', () => isIdle(nats))
    const calm = await timersOf(survivor)
    assert.deepEqual(idsOf(calm), namesOf('calm', CALM))
    assert.deepEqual([...new Set(calm.map(({ version }) => version))], [1], 'some were carried out twice')

    const publishing = publish(nats, 'stormy', STORMY)
    await eventually('some are taken', async () => (await consumerOf(nats)).delivered.consumer_seq > CALM + STORMY / 4)
    await victim.kill()
    await publishing
    await eventually('all are taken', () => isIdle(nats), { withinMs: 60_000 })
    assert.deepEqual(
      idsOf(await timersOf(survivor)),
      [...namesOf('calm', CALM), ...namesOf('stormy', STORMY)].toSorted(),
    )
    assert.equal(await nats.count('TIMER_DLQ'), 0)
  },
)

/** One page holds them all. */
async function timersOf(node: ClusterNode): Promise<TimerJson[]> {
  const body = JSON.stringify({ namespace: 'acme', limit: CALM + STORMY + 1 })
  const response = await fetch(`${node.url}/api/v1/timers/list`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return ((await response.json()) as { timers: TimerJson[] }).timers
}

function namesOf(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${kind}-${n}`).toSorted()
}

function idsOf(timers: readonly TimerJson[]): string[] {
  return timers.map(({ id }) => id).toSorted()
}

async function publish(nats: NatsClient, kind: string, count: number): Promise<void> {
  const one = (serviceCallId: string) => {
    const payload = { tenantId: 'acme', serviceCallId, dueAt: IN_AN_HOUR }
    const message = { id: randomUUIDv7(), type: 'ScheduleTimer', tenantId: 'acme', timestampMs: Date.now(), payload }
    return nats.publish('timer.commands', message, message.id)
  }
  await Promise.all(namesOf(kind, count).map(one))
}

function consumerOf(nats: NatsClient) {
  return nats.manager.consumers.info('TIMER_COMMANDS', 'duetime')
}

async function isIdle(nats: NatsClient): Promise<boolean> {
  const { num_pending: waiting, num_ack_pending: unsettled } = await consumerOf(nats)
  return waiting === 0 && unsettled === 0
}
