// Creates for shards whose owner was killed wait until another node has them. Their due time may have come by then; what
// counts is that it lay ahead when they arrived.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../support/client.ts'
import { Cluster } from '../support/cluster/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { startReceiver } from '../support/receiver.ts'

const LEASE_MS = 12_000
const AHEAD_MS = 6_000 // enough to arrive in time on a machine that is busy, and less than the wait for the next owner
const CREATES = 400

test('after kill -9 no create is refused for having waited for its shard', { timeout: 300_000 }, async (t) => {
  const receiver = await startReceiver(t)
  const cluster = await Cluster.start(t, { nodes: 3, env: { LEASE: `${LEASE_MS}ms`, SHARDS: '12' } })
  await cluster.balanced()
  const [dying, ...others] = cluster.nodes
  await dying!.kill()
  let next = 0
  const client = new Client(() => others[next++ % others.length]!)
  const creates = Array.from({ length: CREATES }, (_, n) => {
    return client.create({
      id: `c${n}`,
      executeAt: new Date(Date.now() + AHEAD_MS + (n % 4) * 1_000).toISOString(),
      callbackUrl: receiver.url,
    })
  })
  const answers = await Promise.all(creates)
  const refused = answers.filter((answer) => answer.type === 'refused' && answer.status !== 503)
  assert.deepEqual(
    refused.map((answer) => 'body' in answer && answer.body),
    [],
  )
  const overdue = answers.filter((answer) => answer.type === 'ok' && answer.body.createdAt > answer.body.executeAt)
  assert.ok(overdue.length > 0, 'some waited until after their due time')
  const accepted = answers.flatMap((answer) => (answer.type === 'ok' ? [answer.body.id] : []))
  await eventually(
    'every timer that was accepted has fired',
    () => {
      const fired = new Set(receiver.deliveries.map(({ timerId }) => timerId))
      return accepted.every((id) => fired.has(id))
    },
    { withinMs: 60_000 },
  )
})
