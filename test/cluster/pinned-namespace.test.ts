// A namespace with shards of its own, pinned to nodes with a label: three real nodes on PostgreSQL, one of them with the label.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCli } from '../support/cli.ts'
import { Client } from '../support/client.ts'
import { PostgresDatabase } from '../support/cluster/cluster-database.ts'
import type { ClusterNode } from '../support/cluster/cluster-node.ts'
import { Cluster } from '../support/cluster/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { OK, startReceiver } from '../support/receiver.ts'

const LEASE = '2s'
const SHARDS = 8
const OWN = 4

test('timers of a pinned namespace are on nodes with its label, and its rule says what comes of them without', async (t) => {
  const database = await PostgresDatabase.start(t)
  const receiver = await startReceiver(t, () => OK)
  const env = { LEASE, SHARDS: String(SHARDS), ...database.settings(database.port) }
  const admin = async (...args: string[]) => {
    const { code, err } = await runCli(args, { env })
    assert.equal(code, 0, err)
  }
  await admin('migrate', 'up')
  await admin('reshard', '--namespace', 'eu', '--to', String(OWN))
  await admin('shards', 'pin', 'eu', '--label', 'eu', '--when-none-lives', 'wait')
  const cluster = await Cluster.start(t, { nodes: 2, env, database })
  const [plain] = cluster.nodes as [ClusterNode]
  const client = new Client(() => plain)
  const ownersOf = async (view: ClusterNode, isOwn: boolean) => {
    const { shards } = await view.view()
    return shards.filter(({ shard }) => shard >= SHARDS === isOwn).map(({ owner }) => owner)
  }

  await t.test('nobody has its shards before such a node is there', async () => {
    await eventually('all other shards have an owner', async () => {
      const owners = await ownersOf(plain, false)
      return owners.length === SHARDS && owners.every((owner) => owner !== null)
    })
    assert.deepEqual(await ownersOf(plain, true), Array(OWN).fill(null))
    await eventually('they wait', async () => /^duetime_waiting_shards 4$/m.test(await metrics(plain)))
  })

  const labelled = await cluster.add({ NODE_LABELS: 'ssd,eu' })
  const { node: name } = await labelled.view()
  const isPinned = async (view: ClusterNode, owner: string) => {
    const owners = await ownersOf(view, true)
    return owners.length === OWN && owners.every((one) => one === owner)
  }
  const fired = (id: string) =>
    eventually(`${id} fires`, () => receiver.deliveries.filter(({ timerId }) => timerId === id).length === 1)
  const create = (id: string) =>
    client.create({ namespace: 'eu', id, executeAt: inOneSecond(), callbackUrl: receiver.url })

  await t.test('the node with the label has them, whoever is asked for a timer', async () => {
    await eventually('its shards are on the node with the label', () => isPinned(plain, name))
    const answer = await create('first')
    assert.equal(answer.type, 'ok', JSON.stringify(answer))
    await fired('first')
    const { nodes, groups } = await plain.view()
    assert.deepEqual(nodes.find(({ node }) => node === name)!.labels, ['ssd', 'eu'])
    assert.deepEqual(
      groups.map(({ namespace, label, whenNoneLives }) => [namespace, label, whenNoneLives]),
      [
        [null, null, 'others'],
        ['eu', 'eu', 'wait'],
      ],
    )
  })

  await t.test('when it dies its timers wait, while those of others go on', async () => {
    assert.equal((await create('second')).type, 'ok')
    await labelled.kill()
    await eventually('the others have the shared shards', async () => {
      const owners = await ownersOf(plain, false)
      return owners.every((owner) => owner !== null && owner !== name)
    })
    assert.ok(await isPinned(plain, name), 'nobody has taken its shards')
    await eventually('they wait', async () => /^duetime_waiting_shards 4$/m.test(await metrics(plain)))
    assert.deepEqual(
      receiver.deliveries.filter(({ timerId }) => timerId === 'second'),
      [],
    )
  })

  await t.test('with another rule the others take them over, and the timer fires once', async () => {
    await admin('shards', 'pin', 'eu', '--label', 'eu', '--when-none-lives', 'others')
    await fired('second')
    await eventually('none waits', async () => /^duetime_waiting_shards 0$/m.test(await metrics(plain)))
  })

  await t.test('a node with the label gets them back', async () => {
    await labelled.start()
    const { node } = await labelled.view()
    await eventually('its shards are back', () => isPinned(plain, node))
    assert.equal((await create('third')).type, 'ok')
    await fired('third')
  })
})

function inOneSecond(): string {
  return new Date(Date.now() + 1_000).toISOString()
}

async function metrics(node: ClusterNode): Promise<string> {
  return (await fetch(`${node.url}/metrics`)).text()
}
