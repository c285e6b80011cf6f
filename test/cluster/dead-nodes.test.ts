// Nodes are killed and frozen: others take over their shards within the lease.

import { test } from 'node:test'
import { freezeNode, killNode } from '../support/cluster/faults.ts'
import { ClusterTrial } from '../support/cluster/trial.ts'

test('nodes that die or freeze', { timeout: 600_000 }, async (t) => {
  const trial = await ClusterTrial.start(t)
  const { cluster } = trial
  const [, b, c] = trial.nodes
  await trial.reportBalance()

  await t.test('after kill -9, its timers fire within the lease and two seconds', () => killNode(trial, b))

  await t.test(
    'when the database is restarted soon after a node died, the others lose nothing of what they have',
    async () => {
      await cluster.fault('restart of the database, a node being dead', async () => {
        await cluster.restartDatabase('pause', { downMs: trial.leaseMs })
        const waited = await trial.resumed(trial.allShards(), Date.now())
        await b.start()
        await trial.reportBalance()
        trial.assertResumed('restart of the database, a node being dead', waited)
      })
    },
  )

  await t.test('a node that was frozen for longer than its lease does no harm when it wakes up', () =>
    freezeNode(trial, c),
  )

  await t.test('everything that was acknowledged came true', async () => {
    await trial.verdict()
  })
})
