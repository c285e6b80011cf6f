// Links are cut, or fall silent, between a node and the database and between nodes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { loseDatabase } from '../support/cluster/faults.ts'
import { ClusterTrial } from '../support/cluster/trial.ts'

test('links that are cut or fall silent', { timeout: 600_000 }, async (t) => {
  const trial = await ClusterTrial.start(t)
  const { cluster } = trial
  const [, b, c] = trial.nodes
  await trial.reportBalance()

  for (const how of ['cut', 'silence'] as const) {
    await t.test(`a node without a way to the database (${how}) says so, and others do its work`, () =>
      loseDatabase(trial, b, how),
    )

    await t.test(
      `a node that the others cannot reach (${how}) goes on firing, and requests for its timers wait`,
      async () => {
        const since = Date.now()
        await cluster.fault(`${how} between nodes`, async () => {
          c.fromPeers[how]()
          await sleep(trial.leaseMs)
          await c.fromPeers.restore()
        })
        trial.report('lateness', trial.lateness(since))
        await cluster.balanced()
      },
    )
  }

  await t.test('a node that is told to stop while the database does not answer, stops', async () => {
    const last = cluster.nodes.at(-1)!
    await cluster.fault('stop without the database', async () => {
      last.toDatabase.silence()
      const since = Date.now()
      // By itself: in order with 0, or with 1 when it had to give up waiting for the database.
      assert.match(JSON.stringify(await last.stop()), /^{"code":[01],"signal":null}$/)
      trial.report('stopped without the database after ms', Date.now() - since)
      await cluster.balanced()
    })
  })

  await t.test('everything that was acknowledged came true', async () => {
    await trial.verdict()
  })
})
