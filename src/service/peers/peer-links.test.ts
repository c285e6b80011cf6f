import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { ShardId } from '../../core/timer/timer.ts'
import type { DeliveryReport, RemoteDelivery } from '../../engine/delivery/remote-delivery.ts'
import type { Executed } from '../../engine/shard-commands.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { silentLogger } from '../../runtime/telemetry/logger.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { CommandStreams } from './command-streams.ts'
import { cancel, listen } from './peer.fixture.ts'
import { PeerLinks } from './peer-links.ts'

function setup(t: TestContext, logger = silentLogger()): PeerLinks {
  const links = new PeerLinks({ secret: 's', clock: new ManualClock(), logger })
  t.after(() => links.close())
  return links
}

type Answering = (...exchange: Parameters<RequestListener>) => unknown

async function peer(t: TestContext, answer: Answering): Promise<string> {
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => end(server))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function end(server: Server): Promise<void> {
  server.closeAllConnections()
  if (server.listening) await new Promise((resolve) => server.close(resolve))
}

const DELIVERY: RemoteDelivery = {
  ...cancel('reported'),
  deliveryId: 'd',
  attempt: 1,
  lastAttemptAt: null,
  timeoutMs: 1_000,
  node: 'a',
}
const REPORT: DeliveryReport = { shard: 1 as ShardId, delivery: DELIVERY, ended: null }

test('a node that has stopped and is back at its address is sent commands again', async (t) => {
  const links = setup(t)
  const { server, address } = await listen(t)
  for (const run of ['first', 'second']) {
    const owner = { execute: async () => ({ run }) as unknown as Executed }
    const streams = new CommandStreams({
      secret: 's',
      node: () => owner,
      clock: new ManualClock(),
      logger: silentLogger(),
    })
    streams.attach(server)
    assert.deepEqual(await links.execute(address, cancel('a')), { run })
    await streams.close()
    server.removeAllListeners('upgrade')
  }
})

test('a node that cannot be sent commands is named in the log, once in a while, with the reason', async (t) => {
  const warnings: [{ address: string; err: Error }, string][] = []
  const warn = (fields: { address: string; err: Error }, text: string) => warnings.push([fields, text])
  const links = setup(t, Object.assign(Object.create(silentLogger()) as Logger, { warn }))
  const { server, address } = await listen(t)
  await end(server)
  for (let i = 0; i < 5; i++) await assert.rejects(links.execute(address, cancel('a')))
  const [[fields, text]] = warnings as [(typeof warnings)[0]]
  assert.deepEqual([warnings.length, fields.address, text], [1, address, 'no commands can be sent to another node'])
  assert.match(String(fields.err), /ECONNREFUSED/)
})

test('a node that refuses to get ready, or to hear of moved shards, is told from one that does', async (t) => {
  const links = setup(t)
  const unwilling = await peer(t, (_request, response) => response.writeHead(503).end())
  await assert.rejects(links.prepare({ node: 'b', address: unwilling }, [1 as ShardId]))
  await assert.rejects(links.moved(unwilling, []))
  await assert.rejects(links.report(unwilling, REPORT))
  const willing = await peer(t, (_request, response) => response.writeHead(204).end())
  await links.prepare({ node: 'b', address: willing }, [1 as ShardId])
  await links.moved(willing, [])
})

test('the end of a delivery is reported, and the other one says whether it is the owner', async (t) => {
  const links = setup(t)
  const answers = [false, true]
  const address = await peer(t, (_request, response) => response.end(JSON.stringify({ accepted: answers.shift() })))
  assert.equal(await links.report(address, REPORT), false)
  assert.equal(await links.report(address, REPORT), true)
})
