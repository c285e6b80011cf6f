// Nodes whose clocks are seconds apart, on one PostgreSQL server. Their timers fire by the clock of the owner, and everything
// else is as with good clocks: nobody is taken for dead, nothing is lost or made twice, and it shows where the fault is.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { accepted, Client } from '../support/client.ts'
import { Cluster } from '../support/cluster/cluster.ts'
import type { ClusterNode } from '../support/cluster/cluster-node.ts'
import { eventually } from '../support/eventually.ts'
import { startReceiver } from '../support/receiver.ts'

const LEASE_MS = 2_000
const SHARDS = 12
const SKEWS_MS = [0, 3_000, -3_000]
const TIMERS = 60
const AHEAD_MS = 8_000
const NOISE_MS = 1_000 // what a busy machine with few cores adds to anything
const PRELOAD = join(import.meta.dirname, '..', 'support', 'cluster', 'skewed-clock.ts')

test(
  'clocks that are longer than a lease apart are shown, and cost nothing but punctuality',
  { timeout: 600_000 },
  async (t) => {
    const receiver = await startReceiver(t)
    const env = { LEASE: `${LEASE_MS}ms`, SHARDS: String(SHARDS), NODE_OPTIONS: `--import=${PRELOAD}` }
    const cluster = await Cluster.start(t, { nodes: 0, env })
    for (const skewMs of SKEWS_MS) await cluster.add({ TEST_CLOCK_SKEW_MS: String(skewMs) })
    await cluster.balanced()
    const [right, ahead, behind] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode]
    const client = new Client(() => right)
    const epochs = async () => (await right.view()).shards.map(({ epoch }) => epoch)

    await t.test(
      'each node sees how far each clock is off, and one that is says so in its log and metrics',
      async () => {
        const { nodes } = await ahead.view()
        const shown = SKEWS_MS.map(
          (_, index) => nodes.find(({ node }) => node.includes(`:${cluster.nodes[index]!.service.pid}:`))!.clockSkewMs,
        )
        console.log(`clock skew test: set ${SKEWS_MS.join(', ')} ms, shown ${shown.join(', ')} ms`)
        for (const [index, skewMs] of SKEWS_MS.entries()) assert.ok(Math.abs(shown[index]! - skewMs) < NOISE_MS)
        await ahead.service.logged(/the clock of this node is off .* fire early/)
        await behind.service.logged(/the clock of this node is off .* fire late/)
        const metrics = await (await fetch(`${behind.url}/metrics`)).text()
        assert.match(metrics, /^duetime_clock_skew_seconds -[23]/m)
        assert.match(metrics, /^duetime_shard_lag_seconds\{shard="\d+"\} \d/m)
      },
    )

    await t.test('nobody is taken for dead, and every timer fires once, by the clock of its owner', async () => {
      const before = await epochs()
      const dueAt = Date.now() + AHEAD_MS
      const create = (_: unknown, index: number) => {
        return accepted(
          client.create({ id: `s${index}`, executeAt: new Date(dueAt).toISOString(), callbackUrl: receiver.url }),
        )
      }
      await Promise.all(Array.from({ length: TIMERS }, create))
      await sleep(dueAt + 3_000 + NOISE_MS - Date.now())
      assert.deepEqual(await epochs(), before)
      assert.equal(receiver.deliveries.length, TIMERS)
      assert.equal(new Set(receiver.deliveries.map(({ timerId }) => timerId)).size, TIMERS)
      for (const { firedAt, arrivedAt } of receiver.deliveries) {
        assert.ok(firedAt >= dueAt, 'early by the clock of its owner')
        const offMs = arrivedAt - dueAt
        assert.ok(
          SKEWS_MS.some((skewMs) => offMs >= -skewMs - 5 && offMs <= -skewMs + NOISE_MS),
          `${offMs} ms off`,
        )
      }
      const seconds = new Set(receiver.deliveries.map(({ arrivedAt }) => Math.round((arrivedAt - dueAt) / 1_000)))
      console.log(`clock skew test: calls came ${[...seconds].toSorted((a, b) => a - b).join(', ')} s after their time`)
    })

    await t.test('a node that dies is replaced within the lease, whatever its clock said', async () => {
      const since = Date.now()
      await ahead.kill()
      await eventually('the others own everything', async () => (await cluster.balanced()).length === 2, {
        withinMs: 60_000,
      })
      const tookMs = Date.now() - since
      console.log(`clock skew test: replaced after ${tookMs} ms`)
      assert.ok(tookMs >= LEASE_MS / 2 && tookMs < 60_000, `${tookMs} ms`)
    })
  },
)
