// Creates with idempotency keys, sent again and again to two nodes while one of them is killed: one timer for each key.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from './support/client.ts'
import type { TimerJson } from './support/client.ts'
import { Cluster } from './support/cluster/cluster.ts'
import { eventually } from './support/eventually.ts'
import { startReceiver } from './support/receiver.ts'

const KEYS = Array.from({ length: 40 }, (_, n) => `order-${n}`)

test(
  'a key makes one timer, on whichever nodes it is repeated and whatever is killed meanwhile',
  { timeout: 600_000 },
  async (t) => {
    const receiver = await startReceiver(t)
    const cluster = await Cluster.start(t, { nodes: 2, env: { LEASE: '1s', SHARDS: '8' } })
    await cluster.balanced()
    const clients = cluster.nodes.map((node) => new Client(() => node))
    const create = (client: Client, idempotencyKey: string) =>
      client.create({ idempotencyKey, schedule: 'PT1H', callbackUrl: receiver.url, payload: idempotencyKey })

    // Every key goes to both nodes at once; one of them dies with some of the answers.
    const sent = KEYS.flatMap((key) => clients.map((client) => create(client, key)))
    await Promise.any(sent)
    await cluster.nodes[1]!.kill()
    const ids = new Map(KEYS.map((key) => [key, new Set<string>()]))
    for (const [index, answer] of (await Promise.all(sent)).entries()) {
      if (answer.type === 'ok') ids.get(KEYS[Math.floor(index / 2)]!)!.add(answer.body.id)
    }
    for (const key of KEYS) {
      const again = await eventually(`${key} is answered`, async () => {
        const answer = await create(clients[0]!, key)
        return answer.type === 'ok' && answer.body
      })
      ids.get(key)!.add(again.id)
    }
    for (const [key, made] of ids) assert.equal(made.size, 1, key)

    const answer = await fetch(`${cluster.nodes[0]!.url}/api/v1/timers/list`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ limit: 1_000 }),
    })
    const { timers } = (await answer.json()) as { readonly timers: readonly TimerJson[] }
    assert.deepEqual(timers.map(({ payload }) => String(payload)).toSorted(), KEYS.toSorted())
  },
)
