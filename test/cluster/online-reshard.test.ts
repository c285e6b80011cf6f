// The number of shards is multiplied while three nodes run and clients are busy: first with a node that dies in the middle of it,
// then in peace. Nothing but the death explains that a timer comes twice.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCli, start } from '../support/cli.ts'
import { PostgresDatabase } from '../support/cluster/cluster-database.ts'
import { ClusterTrial, SHARDS } from '../support/cluster/trial.ts'
import { eventually } from '../support/eventually.ts'

const FAR = 3_000 // timers for years ahead, so that there is something to move

test('shards that are split while nodes run', { timeout: 600_000 }, async (t) => {
  const database = await PostgresDatabase.start(t)
  const trial = await ClusterTrial.start(t, { database })
  const { cluster } = trial
  const [a, b] = trial.nodes
  const env = { ...database.settings(database.port), LEASE: `${trial.leaseMs}ms` }
  await trial.reportBalance()
  await fill(a.url)
  const stored = async (where: string) =>
    (await database.sql(`SELECT count(*)::int AS n FROM timers WHERE row_type > 1 AND ${where}`))[0]!['n']

  await t.test('what is no multiple needs that no node runs, and changes nothing', async () => {
    const { code, err } = await runCli(['reshard', '--to', '24'], { env })
    assert.equal(code, 1, err)
    assert.match(err, /shards can only be split: say a multiple .* or stop every node first/)
    assert.equal((await a.view()).resharding, false)
  })

  await t.test('a node that dies in the middle of it is replaced, and the reshard goes on', async () => {
    const reshard = start(t, ['reshard', '--to', String(4 * SHARDS)], { env })
    await eventually('some shards are split', async () => ((await a.view()).reshard?.done ?? 0) > 0)
    await cluster.fault('kill -9 in the middle of a reshard', async () => {
      await b.kill()
      const { code, out, err } = await reshard.ended
      assert.equal(code, 0, err)
      assert.match(out, /The timers are in 64 shards now/)
      await b.start()
      await trial.reportBalance()
      await cluster.caughtUp()
    })
    assert.equal(await stored(`shard_id < ${SHARDS}`), 0, 'nothing is left in the old shards')
    assert.equal(await stored(`timer_id LIKE 'far-%'`), FAR)
  })

  await t.test('in peace nobody notices it', async () => {
    const since = Date.now()
    const { code, err } = await runCli(['reshard', '--to', String(8 * SHARDS)], { env })
    assert.equal(code, 0, err)
    trial.report('lateness while shards were split', trial.lateness(since))
    await eventually('all nodes have heard of it', async () => {
      const views = await Promise.all(trial.nodes.map((node) => node.view()))
      return views.every(({ resharding, shards }) => !resharding && shards.length === 8 * SHARDS)
    })
    await trial.reportBalance()
    assert.equal(await stored(`timer_id LIKE 'far-%'`), FAR)
  })

  await t.test('everything that was acknowledged came true', async () => {
    const duplicates = await trial.verdict()
    const unexplained = [...duplicates.keys()].filter((fault) => !/kill -9/.test(fault))
    assert.deepEqual(unexplained, [], 'only the death explains deliveries that came twice')
  })
})

async function fill(url: string): Promise<void> {
  for (let at = 0; at < FAR; at += 500) {
    const timers = Array.from({ length: 500 }, (_, n) => {
      return { id: `far-${at + n}`, executeAt: '2090-01-01T00:00:00Z', callbackUrl: 'http://127.0.0.1:9/' }
    })
    const answer = await fetch(`${url}/api/v1/timers/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ timers }),
    })
    assert.equal(answer.status, 200, await answer.text())
  }
}
