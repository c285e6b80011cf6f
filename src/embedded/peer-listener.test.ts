import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { ClusterMember } from '../engine/engine.ts'
import type { Executed } from '../engine/shard-commands.ts'
import { silentLogger } from '../runtime/telemetry/logger.ts'
import { ManualClock } from '../runtime/clock/manual-clock.ts'
import { cancel } from '../service/peers/peer.fixture.ts'
import { PeerLinks } from '../service/peers/peer-links.ts'
import { PeerListener } from './peer-listener.ts'

const SECRET = 'secret'
const EXECUTED = { changed: true } as Executed

async function setup(t: TestContext) {
  const clock = new ManualClock()
  const logger = silentLogger()
  const node = () => ({ execute: async () => EXECUTED }) as unknown as ClusterMember
  const listener = new PeerListener({ at: {}, secret: SECRET, node, clock, logger })
  await listener.start()
  t.after(() => listener.stop())
  const links = new PeerLinks({ secret: SECRET, clock, logger })
  t.after(() => links.close())
  return { listener, links }
}

test('commands of another process are executed, and the listener closes while their stream is open', async (t) => {
  const { listener, links } = await setup(t)
  assert.deepEqual(await links.execute(listener.address, cancel('a')), EXECUTED)
  await listener.stop()
})

test('who does not know the secret gets no stream, and does not keep the listener from closing', async (t) => {
  const { listener } = await setup(t)
  const { port, hostname } = new URL(listener.address)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  t.after(() => socket.destroy())
  socket.write(
    'GET /internal/v1/commands HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: duetime-commands\r\n\r\n',
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1.1 401 /)
  await listener.stop()
})
