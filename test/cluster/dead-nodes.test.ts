// Nodes are killed and frozen: others take over their shards within the lease.

import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClusterTrial, LEASE_MS } from '../support/cluster/trial.ts'
import { eventually } from '../support/eventually.ts'

test('nodes that die or freeze', { timeout: 600_000 }, async (t) => {
  const trial = await ClusterTrial.start(t)
  const { cluster } = trial
  const [, b, c] = trial.nodes
  await trial.reportBalance()

  await t.test('after kill -9, its timers fire within the lease and two seconds', async () => {
    const shards = await trial.shardsOf(b)
    const since = Date.now()
    await cluster.fault('kill -9', async () => {
      await b.kill()
      trial.assertResumed('kill -9', await trial.resumed(shards, since))
    })
    await trial.reportBalance()
  })

  await t.test(
    'when the database is restarted soon after a node died, the others lose nothing of what they have',
    async () => {
      await cluster.fault('fast restart of PostgreSQL, a node being dead', async () => {
        await cluster.restartPostgres('fast', { downMs: LEASE_MS })
        const waited = await trial.resumed(trial.allShards(), Date.now())
        await b.start()
        await trial.reportBalance()
        trial.assertResumed('restart of PostgreSQL, a node being dead', waited)
      })
    },
  )

  await t.test('a node that was frozen for longer than its lease does no harm when it wakes up', async () => {
    const shards = await trial.shardsOf(c)
    const since = Date.now()
    await cluster.fault('SIGSTOP', async () => {
      c.freeze()
      await sleep(2 * LEASE_MS)
      const waited = await trial.resumed(shards, since)
      c.thaw()
      await eventually('it is ready', () => c.isReady())
      c.inService = true
      await trial.reportBalance()
      trial.assertResumed('SIGSTOP', waited)
    })
  })

  await t.test('everything that was acknowledged came true', async () => {
    await trial.verdict()
  })
})
