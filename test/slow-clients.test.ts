// Clients that connect and then say nothing, or say it a byte at a time: they occupy a connection, not the service.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { cleanUp } from './support/cleanup.ts'
import { accepted, Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { startReceiver } from './support/receiver.ts'
import { startService } from './support/service.ts'
import type { Service } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const HEAD = 'POST /api/v1/timers/create HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n'

/** What each kind says first, and then again and again. */
const KINDS = {
  silent: { first: '', after: '' },
  'slow with its headers': { first: HEAD, after: 'X-More: x\r\n' },
  'slow with its body': { first: `${HEAD}Content-Length: 100000\r\n\r\n{"id":"`, after: 'x' },
} as const
type Kind = keyof typeof KINDS

class SlowClient {
  readonly socket: Socket
  answer = ''
  isClosed = false

  constructor(service: Service, kind: Kind) {
    const { first, after } = KINDS[kind]
    this.socket = connect(Number(new URL(service.url).port), '127.0.0.1').setEncoding('utf8')
    this.socket.on('data', (text: string) => (this.answer += text)).on('error', () => {})
    this.socket.once('close', () => (this.isClosed = true))
    if (first !== '') this.socket.write(first)
    if (after === '') return
    const dribble = setInterval(() => this.socket.write(after), 100)
    this.socket.once('close', () => clearInterval(dribble))
  }
}

/** As many of each kind, all of them connected. */
async function slowClients(t: TestContext, service: Service, count: number): Promise<Record<Kind, SlowClient[]>> {
  const clients = Object.fromEntries(
    Object.keys(KINDS).map((kind) => [
      kind,
      Array.from({ length: count }, () => new SlowClient(service, kind as Kind)),
    ]),
  ) as Record<Kind, SlowClient[]>
  const all = Object.values(clients).flat()
  cleanUp(t, () => all.forEach(({ socket }) => socket.destroy()))
  await Promise.all(all.map(({ socket }) => once(socket, 'connect')))
  return clients
}

test('beside hundreds of them timers are created and fire', async (t) => {
  const receiver = await startReceiver(t)
  const service = await startService(t, { cwd: tempDir(t) })
  const clients = await slowClients(t, service, 100)
  const client = new Client(() => service)
  const ids = Array.from({ length: 50 }, (_, n) => `beside-${n}`)
  await Promise.all(ids.map((id) => accepted(client.create({ id, schedule: 'PT1S', callbackUrl: receiver.url }))))
  await Promise.all(ids.map((id) => receiver.received(id)))
  const open = Object.values(clients)
    .flat()
    .filter(({ isClosed }) => !isClosed)
  assert.equal(open.length, 300, 'they were there all the time')
})

test('each of them is cut off when its time is over, and told so', async (t) => {
  const service = await startService(t, { cwd: tempDir(t), env: { REQUEST_TIMEOUT: '1s' } })
  const clients = await slowClients(t, service, 20)
  for (const [kind, some] of Object.entries(clients)) {
    await eventually(`${kind}: all are cut off`, () => some.every(({ isClosed }) => isClosed))
    for (const { answer } of some) assert.match(answer, /^HTTP\/1\.1 408 /, kind)
  }
})

test('when all connections are taken by them, others get theirs as soon as they are cut off', async (t) => {
  const service = await startService(t, { cwd: tempDir(t), env: { REQUEST_TIMEOUT: '1s', CONNECTIONS_MAX: '10' } })
  await slowClients(t, service, 20)
  await eventually('the service answers', async () => (await fetch(`${service.url}/healthz`)).ok)
})
