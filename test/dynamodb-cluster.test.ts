// Two nodes on one table of DynamoDB Local: ownership, beats, handover and forwarding need nothing but the store port. One
// node is killed, the database is restarted, another node joins; every timer that was acknowledged is delivered.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onServer } from '../scripts/servers/server.fixture.ts'
import { cleanUp } from './support/cleanup.ts'
import { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { OK, startReceiver } from './support/receiver.ts'
import { Service, startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const TIMERS = 30 // in each of three rounds
const WITHIN_MS = 120_000 // a busy machine; nothing is measured here

onServer('dynamodb', (server) => {
  test('timers of a killed node fire on the other, over a restart of the database', { timeout: 600_000 }, async (t) => {
    const env = { ...server().environment('cluster'), SHARDS: '8', LEASE: '5s' }
    const cwd = tempDir(t)
    const receiver = await startReceiver(t, () => OK)
    const first = await startService(t, { cwd, env })
    const second = await startService(t, { cwd, env })
    const acknowledged: string[] = []
    const create = async (node: Service, round: string): Promise<void> => {
      const client = new Client(() => node)
      const ids = Array.from({ length: TIMERS }, (_, n) => `${round}-${n}`)
      const answers = ids.map(async (id) => {
        const answer = await client.create({ id, schedule: 'PT2S', callbackUrl: receiver.url })
        if (answer.type === 'ok') acknowledged.push(id)
      })
      await Promise.all(answers)
    }
    const delivered = () => new Set(receiver.deliveries.map(({ timerId }) => timerId))
    const allDelivered = () =>
      eventually('every acknowledged timer is delivered', () => acknowledged.every((id) => delivered().has(id)), {
        withinMs: WITHIN_MS,
      })

    await create(first, 'both')
    assert.equal(acknowledged.length, TIMERS)
    await create(second, 'killed')
    await first.kill()
    await allDelivered()

    await create(second, 'restarted')
    await server().restart()
    await allDelivered()

    const third = new Service({ cwd, env })
    cleanUp(t, () => third.kill())
    await third.listening
    await eventually('a new node takes timers', async () => (await fetch(`${third.url}/readyz`)).ok, {
      withinMs: WITHIN_MS,
    })
    await create(third, 'joined')
    await allDelivered()
    assert.ok(acknowledged.some((id) => id.startsWith('joined')))
    assert.deepEqual(await second.stop(), { code: 0, signal: null })
    assert.deepEqual(await third.stop(), { code: 0, signal: null })
  })
})
