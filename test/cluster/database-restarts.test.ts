// The database is restarted under the cluster, soon and after a fail-over's time: every shard goes on where it was.

import { test } from 'node:test'
import { ClusterTrial } from '../support/cluster/trial.ts'

const FAILOVER_MS = 30_000 // as long as a standby may take to stand in; many leases

test('a database that is restarted', { timeout: 600_000 }, async (t) => {
  const trial = await ClusterTrial.start(t)
  const { cluster } = trial
  const [a] = trial.nodes
  await trial.reportBalance()

  for (const how of ['fast', 'immediate'] as const) {
    await t.test(`after a restart of PostgreSQL (${how}) every shard goes on where it was`, async () => {
      const owners = (await a.view()).shards
      await cluster.fault(`${how} restart of PostgreSQL`, async () => {
        await cluster.restartPostgres(how, { downMs: how === 'fast' ? 300 : FAILOVER_MS })
        trial.assertResumed(`${how} restart of PostgreSQL`, await trial.resumed(trial.allShards(), Date.now()))
      })
      await cluster.balanced()
      const moved = (await a.view()).shards.filter(({ epoch }, shard) => epoch !== owners[shard]!.epoch).length
      trial.report('shards that moved', moved)
      await cluster.caughtUp() // else the next fault would answer for what came due in this one
    })
  }

  await t.test('everything that was acknowledged came true', async () => {
    await trial.verdict()
  })
})
