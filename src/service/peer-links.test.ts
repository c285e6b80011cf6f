import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Command } from '../core/command.ts'
import { timerUuid } from '../core/ids.ts'
import { DuetimeError, ErrorCode } from '../core/errors.ts'
import type { Namespace, ShardId, TimerId } from '../core/timer.ts'
import type { FlightAbroad, Landing } from '../engine/hand-over.ts'
import { systemClock } from '../runtime/clock.ts'
import { PeerLinks } from './peer-links.ts'
import type { WireCommands } from './peer-links.ts'

function setup(t: TestContext): PeerLinks {
  const links = new PeerLinks({ secret: 's', clock: systemClock })
  t.after(() => links.close())
  return links
}

type Answering = (...exchange: Parameters<RequestListener>) => unknown

async function peer(t: TestContext, answer: Answering): Promise<string> {
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => end(server))
  return addressOf(server)
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function end(server: Server): Promise<void> {
  server.closeAllConnections()
  if (server.listening) await new Promise((resolve) => server.close(resolve))
}

function cancel(id: string): Command {
  const key = { namespace: 'default' as Namespace, id: id as TimerId }
  return { type: 'cancel', ...key, uuid: timerUuid(key.namespace, key.id), ifVersion: null }
}

const FLIGHT: FlightAbroad = { ...cancel('landed'), deliveryId: 'd', attempt: 1, version: 1, timeoutMs: 1_000, carrier: 'a' }
const LANDING: Landing = { shard: 1 as ShardId, flight: FLIGHT, ended: null }

const withCode = (code: ErrorCode) => (error: unknown) => error instanceof DuetimeError && error.code === code

test('commands that wait for a node that hangs go back unsent, to be tried elsewhere', async (t) => {
  const links = setup(t)
  const arrivals = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let arrived = 0
  const address = await peer(t, () => arrivals[arrived++]!.resolve())
  const sent: Promise<unknown>[] = []
  for (const arrival of arrivals) {
    sent.push(assert.rejects(links.execute(address, cancel('sent')), withCode(ErrorCode.unavailable)))
    await arrival.promise
  }
  await assert.rejects(links.execute(address, cancel('waiting')), withCode(ErrorCode.notOwner))
  await links.close()
  await Promise.all(sent)
})

test('a node that dies with the commands in its hands may have done them', async (t) => {
  const links = setup(t)
  const address = await peer(t, (request) => void request.socket.destroy())
  await assert.rejects(links.execute(address, cancel('a')), (error) => {
    return error instanceof DuetimeError && error.code === ErrorCode.unavailable && /may have been stored or not/.test(error.message)
  })
})

test('a node that fails in answering may have done them, too', async (t) => {
  const links = setup(t)
  const address = await peer(t, (_request, response) => response.writeHead(500).end())
  await assert.rejects(links.execute(address, cancel('a')), withCode(ErrorCode.unavailable))
})

test('a node that is not there, or does not let us in, has done nothing', async (t) => {
  const links = setup(t)
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const address = addressOf(gone)
  await end(gone)
  await assert.rejects(links.execute(address, cancel('a')), withCode(ErrorCode.notOwner))
  const stranger = await peer(t, (_request, response) => response.writeHead(401).end())
  await assert.rejects(links.execute(stranger, cancel('a')), withCode(ErrorCode.notOwner))
})

test('commands of one turn travel together, and each gets its own answer', async (t) => {
  const links = setup(t)
  const requests: number[] = []
  const address = await peer(t, async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk as string
    const { commands } = JSON.parse(text) as WireCommands
    requests.push(commands.length)
    const results = commands.map(({ id }) => ({ type: 'refused', code: ErrorCode.timerNotFound, message: id, details: {} }))
    response.end(JSON.stringify({ results }))
  })
  const answers = await Promise.allSettled(['a', 'b', 'c'].map((id) => links.execute(address, cancel(id))))
  assert.deepEqual(requests, [3])
  assert.deepEqual(answers.map((answer) => (answer.status === 'rejected' ? (answer.reason as Error).message : null)), ['a', 'b', 'c'])
})

test('a node that refuses to get ready, or to hear of moved shards, is told from one that does', async (t) => {
  const links = setup(t)
  const unwilling = await peer(t, (_request, response) => response.writeHead(503).end())
  await assert.rejects(links.prepare({ node: 'b', address: unwilling }, [1 as ShardId]))
  await assert.rejects(links.moved(unwilling, []))
  await assert.rejects(links.land(unwilling, LANDING))
  const willing = await peer(t, (_request, response) => response.writeHead(204).end())
  await links.prepare({ node: 'b', address: willing }, [1 as ShardId])
  await links.moved(willing, [])
})

test('the end of a delivery is reported, and the other one says whether it is the owner', async (t) => {
  const links = setup(t)
  const answers = [false, true]
  const address = await peer(t, (_request, response) => response.end(JSON.stringify({ landed: answers.shift() })))
  assert.equal(await links.land(address, LANDING), false)
  assert.equal(await links.land(address, LANDING), true)
})
