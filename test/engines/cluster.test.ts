// Three nodes on one server of each engine, under load, and every fault once: ownership, heartbeats, handover and forwarding
// need nothing but the store port. Of a database with three nodes of its own, one is restarted while the others go on. PostgreSQL has more of this in ../cluster.

import { test } from 'node:test'
import { serverDatabase } from '../support/cluster/cluster-database.ts'
import { freezeNode, killNode, loseDatabase, restartDatabase, restartNodes } from '../support/cluster/faults.ts'
import { ClusterTrial } from '../support/cluster/trial.ts'
import { onEngines } from './engines.ts'

const DOWN_MS = 300

onEngines('cluster', ({ leaseMs, survivesKill, impatience, load }, server) => {
  test('a cluster under load', { timeout: 600_000 }, async (t) => {
    const trial = await ClusterTrial.start(t, { database: serverDatabase(server(), impatience), leaseMs, ...load })
    const [a, b, c] = trial.nodes
    await trial.reportBalance()

    await t.test('a rolling restart delays nobody', () => restartNodes(trial, [a, b, c]))

    await t.test('after kill -9 of a node, its timers fire within the lease and two seconds', async () => {
      await killNode(trial, b)
      await b.start()
      await trial.reportBalance()
    })

    await t.test('a node that was frozen for longer than its lease does no harm when it wakes up', () =>
      freezeNode(trial, c),
    )

    for (const how of ['cut', 'silence'] as const)
      await t.test(`a node without a way to the database (${how}) says so, and others do its work`, () =>
        loseDatabase(trial, b, how),
      )

    // One that answers before it has written is restarted in a test of its own: ../dynamodb-cluster.test.ts.
    for (const how of survivesKill ? (['pause', 'crash'] as const) : [])
      await t.test(`after a restart of the database (${how}) every shard goes on`, () =>
        restartDatabase(trial, how, { downMs: DOWN_MS }),
      )

    await t.test('everything that was acknowledged came true', async () => {
      await trial.verdict()
    })
  })
})
