// What is done to a cluster under load, each fault as one step that ends when all is well again. Which database it is makes no
// difference here.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ShardId } from '../../../src/core/timer/timer.ts'
import { Client } from '../client.ts'
import { eventually } from '../eventually.ts'
import { shardOfId } from './metronome.ts'
import type { ClusterNode } from './cluster-node.ts'
import type { ClusterTrial } from './trial.ts'

/** It stays dead. */
export async function killNode(trial: ClusterTrial, node: ClusterNode): Promise<void> {
  const shards = await trial.shardsOf(node)
  const since = Date.now()
  await trial.cluster.fault('kill -9', async () => {
    await node.kill()
    trial.assertResumed('kill -9', await trial.resumed(shards, since))
  })
  await trial.reportBalance()
}

export async function freezeNode(trial: ClusterTrial, node: ClusterNode): Promise<void> {
  const shards = await trial.shardsOf(node)
  const since = Date.now()
  await trial.cluster.fault('SIGSTOP', async () => {
    node.freeze()
    await sleep(2 * trial.leaseMs)
    const waited = await trial.resumed(shards, since)
    node.thaw()
    await eventually('it is ready', () => node.isReady())
    node.inService = true
    await trial.reportBalance()
    trial.assertResumed('SIGSTOP', waited)
  })
}

export async function restartDatabase(
  trial: ClusterTrial,
  how: 'pause' | 'crash',
  { downMs }: { readonly downMs: number },
): Promise<void> {
  const { cluster } = trial
  const [a] = trial.nodes
  const owners = (await a.view()).shards
  await cluster.fault(`restart of the database (${how})`, async () => {
    await cluster.restartDatabase(how, { downMs })
    trial.assertResumed(`restart of the database (${how})`, await trial.resumed(trial.allShards(), Date.now()))
  })
  await cluster.balanced()
  const moved = (await a.view()).shards.filter(({ epoch }, shard) => epoch !== owners[shard]!.epoch).length
  trial.report('shards that moved', moved)
  await cluster.caughtUp() // else the next fault would answer for what came due in this one
}

/** The node says so, and others do its work. */
export async function loseDatabase(trial: ClusterTrial, node: ClusterNode, how: 'cut' | 'silence'): Promise<void> {
  const shards = await trial.shardsOf(node)
  const own = await eventually('a timer of one of its shards is there to be read', () => {
    const timerId = trial.probe.ids.find((id) => shards.includes(shardOfId(id, trial.shards) as ShardId))
    return timerId === undefined ? false : { timerId }
  })
  const since = Date.now()
  await trial.cluster.fault(`${how} between a node and the database`, async () => {
    node.toDatabase[how]()
    node.inService = false
    const direct = new Client(() => node)
    const waited = trial.resumed(shards, since + trial.leaseMs / 2)
    const [read, write, ready] = await Promise.all([direct.get(own), direct.pause(own), node.isReady()])
    trial.report('answered without the database after ms', Date.now() - since)
    await waited
    await node.toDatabase.restore()
    assert.equal(read.type === 'refused' && read.status, 503)
    assert.equal(write.type === 'refused' && write.status, 503, JSON.stringify(write))
    assert.equal(ready, false)
    await eventually('it is ready', () => node.isReady())
    node.inService = true
    await trial.reportBalance()
  })
}

/** One after the other; nobody notices. */
export async function restartNodes(trial: ClusterTrial, nodes: readonly ClusterNode[]): Promise<void> {
  const since = Date.now()
  const before = trial.deliveries.length
  const leaving: { from: number; to: number }[] = []
  for (const node of nodes) {
    await trial.cluster.fault('rolling restart', async () => {
      const from = Date.now()
      assert.deepEqual(await node.stop(), { code: 0, signal: null })
      leaving.push({ from, to: Date.now() })
      await node.start()
      await trial.cluster.balanced()
    })
  }
  await sleep(1_000)
  const deliveries = trial.deliveries.length - before
  trial.report('lateness in a rolling restart', { ...trial.lateness(since), deliveries })
  for (const { from, to } of leaving)
    trial.report(`lateness while a node leaves, which took ${to - from} ms`, trial.lateness(from, to))
  assert.deepEqual(trial.leaseWaits(), [])
}
