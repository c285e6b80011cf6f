// A database that is failed over in the middle of a reshard, or after it, to a standby that has not received the last writes: timers are in
// the shards that they were in before, and the nodes believe otherwise.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from '../support/cli.ts'
import { Client } from '../support/client.ts'
import { PostgresDatabase } from '../support/cluster/cluster-database.ts'
import type { ClusterNode } from '../support/cluster/cluster-node.ts'
import { Cluster } from '../support/cluster/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { OK, startReceiver } from '../support/receiver.ts'

const SHARDS = 4
const AFTER = 16
const TIMERS = 2_000 // so that a shard has several pages
const FIRED = 40
const FIRST = 'SELECT timer_id, timer_uuid FROM timers WHERE shard_id = 0 AND row_type = 2 ORDER BY timer_uuid'
const LAST = `${FIRST} DESC`

test('a fail-over of the database that loses a part of a reshard', { timeout: 600_000 }, async (t) => {
  const database = await PostgresDatabase.start(t)
  const receiver = await startReceiver(t, () => OK)
  const env = { LEASE: '6s', SHARDS: String(SHARDS), ...database.settings(database.port) }
  const cluster = await Cluster.start(t, { nodes: 2, env, database })
  const [a, b] = cluster.nodes as [ClusterNode, ClusterNode]
  const client = new Client(() => b)
  const timer = (n: number) => ({ id: `t${n}`, executeAt: '2090-01-01T00:00:00Z', callbackUrl: receiver.url })
  await createAll(
    a.url,
    Array.from({ length: TIMERS }, (_, n) => timer(n)),
  )

  const stored = async (where: string) =>
    Number((await database.sql(`SELECT count(*) AS n FROM timers WHERE row_type > 1 AND ${where}`))[0]!['n'])
  /** Nobody can move this one, and so none of its page. */
  const lock = async (which: string) => {
    const holder = await database.client(t)
    await holder.query('BEGIN')
    const { rows } = await holder.query<{ timer_id: string }>(`${which} LIMIT 1 FOR UPDATE`)
    return { id: rows[0]!.timer_id, release: () => holder.query('ROLLBACK') }
  }
  const whileCutOff = async (act: () => Promise<unknown>) => {
    for (const node of cluster.nodes) node.toDatabase.cut()
    await act()
    for (const node of cluster.nodes) await node.toDatabase.restore()
  }
  const isDone = async () => {
    const views = await Promise.all(cluster.nodes.map((node) => node.view()))
    return views.every(({ resharding, shards }) => !resharding && shards.length === AFTER)
  }
  const assertMoved = async () => {
    await eventually('all nodes have split their shards', isDone)
    await cluster.balanced()
    assert.equal(await stored(`shard_id < ${SHARDS}`), 0, 'nothing is left in the old shards')
    assert.equal(await stored('TRUE'), TIMERS)
  }

  await t.test('moves are lost, but not the claims by which they were made', async () => {
    const { id } = await lock(FIRST)
    start(t, ['reshard', '--to', String(AFTER)], { env })
    await eventually('some shards are split', async () => ((await a.view()).reshard?.done ?? 0) > 0)
    await database.blocked(1)
    let last: Awaited<ReturnType<typeof lock>> | undefined
    await whileCutOff(async () => {
      await database.keepStandby()
      last = await lock(LAST)
    })
    await eventually('only the last page is left', async () => (await stored('shard_id = 0')) <= 100)
    await whileCutOff(() => database.failOver())
    const answer = await eventually('a node answers', async () => {
      const one = await client.create({ ...timer(0), id, onConflict: 'reject' })
      return one.type === 'refused' && one.status >= 500 ? null : one
    })
    assert.equal(answer.type === 'refused' && answer.status, 409, JSON.stringify(answer))
    await last!.release().catch(() => {})
    await assertMoved()
  })

  await t.test('the end of the reshard is lost', async () => {
    await whileCutOff(() => database.failOver())
    await eventually('the nodes see it', async () => !(await isDone()))
    await assertMoved()
  })

  await t.test('timers fire, once', async () => {
    const ids = Array.from({ length: FIRED }, (_, n) => `t${n}`)
    for (const timerId of ids) {
      const answer = await client.update({ timerId }, { executeAt: new Date(Date.now() + 1_000).toISOString() })
      assert.equal(answer.type, 'ok', JSON.stringify(answer))
    }
    await eventually('all are delivered', () => ids.every((id) => receiver.of(id).length > 0))
    assert.equal(receiver.deliveries.length, FIRED)
  })
})

async function createAll(url: string, all: readonly unknown[]): Promise<void> {
  for (let at = 0; at < all.length; at += 500) {
    const answer = await fetch(`${url}/api/v1/timers/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ timers: all.slice(at, at + 500) }),
    })
    assert.equal(answer.status, 200, await answer.text())
  }
}
