import assert from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { DuetimeError, ErrorCode } from '../../core/errors.ts'
import { Status } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { silentLogger } from '../../runtime/telemetry/logger.ts'
import { cancel } from '../../service/peers/peer.fixture.ts'
import { PeerLinks } from '../../service/peers/peer-links.ts'
import { COMMANDS_PATH, COMMANDS_PROTOCOL } from '../../service/peers/wire.ts'
import { testServer } from '../test-server.fixture.ts'

const TIMER = { id: 'a', executeAt: '2030-01-01T00:00:00Z', callbackUrl: 'http://127.0.0.1:9/' }

type Answer = { readonly status: number; readonly upgraded: boolean }

/** What a server says to a client that would like to go on with another protocol. */
function offer(url: string, protocol: string, headers: Record<string, string> = {}): Promise<Answer> {
  const asked = request(url, { headers: { ...headers, connection: 'upgrade', upgrade: protocol }, agent: false })
  const answer = new Promise<Answer>((resolve, reject) => {
    const answered = ({ statusCode }: IncomingMessage, upgraded: boolean) => {
      resolve({ status: statusCode!, upgraded })
      asked.destroy()
    }
    asked.on('response', (response) => answered(response, false))
    asked.on('upgrade', (response, socket) => {
      socket.destroy()
      answered(response, true)
    })
    asked.on('error', reject)
  })
  asked.end()
  return answer
}

async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true })
  return found.map(({ address, family }) => (family === 6 ? `[${address}]` : address))
}

test('another node has its commands executed on a stream', async (t) => {
  const { url, post } = await testServer(t, { clusterSecret: 'secret' })
  await post('/api/v1/timers/create', TIMER)
  const links = new PeerLinks({ secret: 'secret', clock: new ManualClock(), logger: silentLogger() })
  t.after(() => links.close())
  const { timer } = await links.execute(url, cancel('a'))
  assert.deepEqual([timer.id, timer.status], ['a', Status.canceled])
})

test('a server that closes lets its streams go, and nothing is waited for', async (t) => {
  const { url, close } = await testServer(t, { clusterSecret: 'secret' })
  const links = new PeerLinks({ secret: 'secret', clock: new ManualClock(), logger: silentLogger() })
  t.after(() => links.close())
  const isAbsent = (error: unknown) => error instanceof DuetimeError && error.code === ErrorCode.timerNotFound
  await assert.rejects(links.execute(url, cancel('absent')), isAbsent)
  await close()
})

test('who does not know the secret of the cluster gets no stream', async (t) => {
  const { url } = await testServer(t, { clusterSecret: 'secret' })
  assert.deepEqual(await offer(url + COMMANDS_PATH, COMMANDS_PROTOCOL), { status: 401, upgraded: false })
  const wrong = { authorization: 'Bearer guessed' }
  assert.deepEqual(await offer(url + COMMANDS_PATH, COMMANDS_PROTOCOL, wrong), { status: 401, upgraded: false })
  const right = { authorization: 'Bearer secret' }
  assert.deepEqual(await offer(url + COMMANDS_PATH, COMMANDS_PROTOCOL, right), { status: 101, upgraded: true })
})

test('clients that offer other protocols are answered over HTTP, as if they had not', async (t) => {
  const cluster = await testServer(t, { clusterSecret: 'secret' })
  const alone = await testServer(t)
  for (const { url } of [cluster, alone]) {
    for (const protocol of ['h2c', 'websocket', COMMANDS_PROTOCOL]) {
      assert.deepEqual(await offer(`${url}/healthz`, protocol), { status: 200, upgraded: false }, protocol)
    }
  }
})

test('they are on both addresses of localhost, for which there are two servers', async (t) => {
  for (const options of [{}, { clusterSecret: 'secret' }]) {
    const { port } = new URL((await testServer(t, { ...options, host: 'localhost' })).url)
    const addresses = await addressesOf('localhost')
    for (const address of addresses) {
      const answer = await offer(`http://${address}:${port}/healthz`, 'h2c')
      assert.deepEqual(answer, { status: 200, upgraded: false }, address)
    }
  }
})

test('a node alone has no streams', async (t) => {
  const { url } = await testServer(t)
  const answer = await offer(url + COMMANDS_PATH, COMMANDS_PROTOCOL, { authorization: 'Bearer secret' })
  assert.deepEqual(answer, { status: 404, upgraded: false })
})
