// Links are cut, or fall silent, between a node and the database and between nodes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ShardId } from '../../src/core/timer/timer.ts'
import { Client } from '../support/client.ts'
import { shardOfId } from '../support/cluster/metronome.ts'
import { ClusterTrial, LEASE_MS, SHARDS } from '../support/cluster/trial.ts'
import { eventually } from '../support/eventually.ts'

test('links that are cut or fall silent', { timeout: 600_000 }, async (t) => {
  const trial = await ClusterTrial.start(t)
  const { cluster, probe } = trial
  const [, b, c] = trial.nodes
  await trial.reportBalance()

  for (const how of ['cut', 'silence'] as const) {
    await t.test(`a node without a way to the database (${how}) says so, and others do its work`, async () => {
      const shards = await trial.shardsOf(b)
      const own = await eventually('a timer of one of its shards is there to be read', () => {
        const timerId = probe.ids.find((id) => shards.includes(shardOfId(id, SHARDS) as ShardId))
        return timerId === undefined ? false : { timerId }
      })
      const since = Date.now()
      await cluster.fault(`${how} between a node and the database`, async () => {
        b.toDatabase[how]()
        b.inService = false
        const direct = new Client(() => b)
        const waited = trial.resumed(shards, since + LEASE_MS / 2)
        const [read, write, ready] = await Promise.all([direct.get(own), direct.pause(own), b.isReady()])
        trial.report('answered without the database after ms', Date.now() - since)
        await waited
        await b.toDatabase.restore()
        assert.equal(read.type === 'refused' && read.status, 503)
        assert.equal(write.type === 'refused' && write.status, 503, JSON.stringify(write))
        assert.equal(ready, false)
        await eventually('it is ready', () => b.isReady())
        b.inService = true
        await trial.reportBalance()
      })
    })

    await t.test(
      `a node that the others cannot reach (${how}) goes on firing, and requests for its timers wait`,
      async () => {
        const since = Date.now()
        await cluster.fault(`${how} between nodes`, async () => {
          c.fromPeers[how]()
          await sleep(LEASE_MS)
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
