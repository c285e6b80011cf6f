// The database is restarted under the cluster, soon and after a fail-over's time: every shard goes on where it was.

import { test } from 'node:test'
import { restartDatabase } from '../support/cluster/faults.ts'
import { ClusterTrial } from '../support/cluster/trial.ts'

const FAILOVER_MS = 30_000 // as long as a standby may take to stand in; many leases

test('a database that is restarted', { timeout: 600_000 }, async (t) => {
  const trial = await ClusterTrial.start(t)
  await trial.reportBalance()

  for (const [how, downMs] of [
    ['pause', 300],
    ['crash', FAILOVER_MS],
  ] as const) {
    await t.test(`after a restart of PostgreSQL (${how}) every shard goes on where it was`, () =>
      restartDatabase(trial, how, { downMs }),
    )
  }

  await t.test('everything that was acknowledged came true', async () => {
    await trial.verdict()
  })
})
