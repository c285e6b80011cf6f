// Nodes are restarted one after the other, join and leave: shards move between living nodes, and nobody notices.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { restartNodes } from '../support/cluster/faults.ts'
import { ClusterTrial } from '../support/cluster/trial.ts'

test('shards that move between living nodes', { timeout: 600_000 }, async (t) => {
  const trial = await ClusterTrial.start(t)
  const { cluster } = trial
  const [a, b, c] = trial.nodes

  await t.test('at rest, shards are balanced within one, clocks are compared, and timers are on the dot', async () => {
    await trial.reportBalance()
    for (const { clockSkewMs } of (await a.view()).nodes) assert.ok(Math.abs(clockSkewMs) < 1_000)
    const since = Date.now()
    await sleep(5_000)
    trial.report('lateness at rest', trial.lateness(since))
  })

  await t.test('a rolling restart delays nobody', () => restartNodes(trial, [a, b, c]))

  await t.test('nodes come and go, and timers do not notice', async () => {
    const since = Date.now()
    await cluster.fault('a node joins', async () => {
      await cluster.add()
      await trial.reportBalance()
    })
    await sleep(500)
    await cluster.fault('a node leaves', async () => {
      assert.deepEqual(await a.stop(), { code: 0, signal: null })
      await trial.reportBalance()
    })
    await sleep(1_000)
    trial.report('lateness while a node joins and another leaves', trial.lateness(since))
    assert.deepEqual(trial.leaseWaits(), [])
    await cluster.fault('a node comes back', async () => {
      await a.start()
      await cluster.balanced()
    })
  })

  await t.test('everything that was acknowledged came true, and nothing came twice', async () => {
    // What is in flight while a shard moves from one living node to another goes on where it is.
    const duplicates = await trial.verdict()
    for (const name of ['rolling restart', 'a node joins', 'a node leaves', 'a node comes back'])
      assert.equal(duplicates.get(name), 0, name)
  })
})
