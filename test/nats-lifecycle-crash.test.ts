// Lifecycle events while everything that can be killed is: the service, the broker, the nodes of a cluster.

import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from './support/client.ts'
import { Cluster } from './support/cluster/cluster.ts'
import { Supervisor } from './support/crash/supervisor.ts'
import { eventually } from './support/eventually.ts'
import { FollowedTimers } from './support/followed-timers.ts'
import { LIFECYCLE_STREAM } from './support/lifecycle-events.ts'
import { natsClient } from './support/nats-client.ts'
import { needsNats, startNatsServer } from './support/nats-server.ts'
import type { NatsServer } from './support/nats-server.ts'
import { SeededRandom } from './support/seeded-random.ts'
import { tempDir } from './support/temp-dir.ts'

const TIMERS = 100
const CHAOS = { ...needsNats, timeout: 600_000 }

async function restart(server: NatsServer): Promise<void> {
  await server.kill()
  await sleep(300)
  await server.start()
}

test(
  'of 2,000 changes while the service and the broker are killed each acknowledged one is told, in order per timer',
  CHAOS,
  async (t) => {
    const server = await startNatsServer(t)
    // So short that the stream shows what is published twice.
    const env = { NATS_URL: server.url, NATS_LIFECYCLE: 'on', NATS_DUPLICATE_WINDOW: '100ms' }
    const supervisor = new Supervisor({ cwd: tempDir(t), env })
    t.after(() => supervisor.service.kill())
    await supervisor.start()
    const nats = await natsClient(t, server)
    const timers = new FollowedTimers(new Client(() => supervisor.service), TIMERS)
    timers.start()
    await timers.reached(0.15)
    await server.kill()
    await timers.reached(0.25)
    // Events wait in the store by now, and must outlive the process.
    await supervisor.kill()
    await Promise.all([server.start(), supervisor.start()])
    await timers.reached(0.45)
    await restart(server)
    await timers.reached(0.6)
    await supervisor.kill()
    await supervisor.start()
    // A backlog, and a kill while it is being published.
    const told = await nats.count(LIFECYCLE_STREAM)
    await server.kill()
    await timers.reached(0.9)
    await server.start()
    await eventually('some of it is published', async () => (await nats.count(LIFECYCLE_STREAM)) > told)
    await supervisor.kill()
    await supervisor.start()
    await timers.finish()
    console.log(`lifecycle test: ${JSON.stringify(await timers.assertTold(nats))}`)
  },
)

test(
  'shards that change hands in a cluster, politely and not, keep the events of each timer in order',
  CHAOS,
  async (t) => {
    const server = await startNatsServer(t)
    const random = new SeededRandom(7)
    const env = { NATS_URL: server.url, NATS_LIFECYCLE: 'on', NATS_MESSAGES: 'false', LEASE: '2s', SHARDS: '8' }
    const cluster = await Cluster.start(t, { nodes: 2, env })
    await cluster.balanced()
    const nats = await natsClient(t, server)
    const timers = new FollowedTimers(new Client(() => cluster.someNode(random)), TIMERS)
    timers.start()
    const [first, second] = cluster.nodes
    await timers.reached(0.1)
    await cluster.add()
    await timers.reached(0.3)
    await first!.stop()
    await timers.reached(0.5)
    await second!.kill()
    await timers.reached(0.7)
    await Promise.all([restart(server), cluster.add()])
    await timers.finish()
    console.log(`lifecycle test, cluster: ${JSON.stringify(await timers.assertTold(nats))}`)
  },
)
