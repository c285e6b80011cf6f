// Getting in to NATS, every way that is promised, and what is seen from outside while it does not work: the real service,
// a real server, and nothing is ever a crash.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { TestAuthority } from '../src/targets/http/certificate.fixture.ts'
import type { TestCertificate } from '../src/targets/http/certificate.fixture.ts'
import { cleanUp } from './support/cleanup.ts'
import { Client, accepted } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { NatsAccounts } from './support/nats-accounts.ts'
import { natsClient } from './support/nats-client.ts'
import { natsServer, needsNats, startNatsServer } from './support/nats-server.ts'
import type { NatsServer } from './support/nats-server.ts'
import { startService } from './support/service.ts'
import type { Environment, Service } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()

async function serviceWith(t: TestContext, env: Environment): Promise<Service> {
  return startService(t, { cwd: tempDir(t), env })
}

async function readiness(service: Service): Promise<{ code: number; status: string; nats: string }> {
  const response = await fetch(`${service.url}/readyz`)
  const { status, parts } = (await response.json()) as { status: string; parts: { nats: string } }
  return { code: response.status, status, nats: parts.nats }
}

/** It serves, without NATS, and says why in both places. */
async function assertDegraded(service: Service, reason: RegExp): Promise<void> {
  const ready = await eventually(`degraded by ${reason}`, async () => {
    const seen = await readiness(service)
    return reason.test(seen.nats) && seen
  })
  assert.deepEqual([ready.code, ready.status], [200, 'degraded'])
  assert.match(ready.nats, /^disconnected: /)
  const isTold = () => service.logs.some(({ msg, reason: told }) => /the broker/.test(msg) && reason.test(String(told)))
  await eventually('the reason in the log', isTold)
  await accepted(
    new Client(() => service).create({
      id: 'far',
      executeAt: inMs(3_600_000),
      callback: { type: 'nats', topic: 'far' },
    }),
  )
}

/** Streams are there, and a message is published and confirmed. */
async function assertWorks(service: Service): Promise<void> {
  await eventually('ready', async () => (await readiness(service)).status === 'ready')
  const client = new Client(() => service)
  await accepted(client.create({ id: 'now', executeAt: inMs(2_000), callback: { type: 'nats', topic: 'orders' } }))
  await eventually('published', async () => (await accepted(client.get({ timerId: 'now' }))).status === 'completed')
}

async function restartWith(server: NatsServer, config: string): Promise<void> {
  await server.stop()
  server.configure(config)
  await server.start()
}

test('a wrong password is told, never shown, and forgotten once the server takes it', needsNats, async (t) => {
  const server = await startNatsServer(t, { config: 'authorization { user: me, password: "another" }' })
  const place = { NATS_HOST: '127.0.0.1', NATS_PORT: String(server.port) }
  const service = await serviceWith(t, { ...place, NATS_USER: 'me', NATS_PASSWORD: 's3cret' })
  await assertDegraded(service, /the broker refused the credentials/)
  await restartWith(server, 'authorization { user: me, password: "s3cret" }')
  await assertWorks(service)
  assert.ok(!service.output.includes('s3cret'), 'the password shows')
})

test('a token gets in', needsNats, async (t) => {
  const server = await startNatsServer(t, { config: 'authorization { token: "t0ken" }' })
  await assertWorks(await serviceWith(t, { NATS_URL: server.url, NATS_TOKEN: 't0ken' }))
})

test('a credentials file that is refused can be replaced while the service runs', needsNats, async (t) => {
  const [accounts, strangers] = [new NatsAccounts(), new NatsAccounts()]
  const server = await startNatsServer(t, { config: accounts.config })
  const file = join(tempDir(t), 'duetime.creds')
  const service = await serviceWith(t, { NATS_URL: server.url, NATS_CREDS: file })
  await assertDegraded(service, /cannot read .*duetime\.creds: there is no such file/)
  replaceFile(file, strangers.credentials())
  await assertDegraded(service, /the broker refused the credentials/)
  replaceFile(file, accounts.credentials())
  await assertWorks(service)
})

/** At one stroke: half of a file is none. */
function replaceFile(file: string, content: string): void {
  writeFileSync(`${file}.new`, content)
  renameSync(`${file}.new`, file)
}

function certificateFiles(t: TestContext) {
  const directory = tempDir(t)
  let count = 0
  const write = (content: string) => {
    const file = join(directory, `${++count}.pem`)
    writeFileSync(file, content)
    return file
  }
  const writePair = ({ cert, key }: TestCertificate) => ({ cert: write(cert), key: write(key) })
  const tlsLines = (certificate: TestCertificate, more = '') => {
    const { cert, key } = writePair(certificate)
    return `tls { cert_file: ${JSON.stringify(cert)}, key_file: ${JSON.stringify(key)}\n ${more} }`
  }
  return { write, writePair, tlsLines }
}

test('TLS goes by the authority and the address that are configured, and by nothing less', needsNats, async (t) => {
  const { write, tlsLines } = certificateFiles(t)
  const [ours, others] = [new TestAuthority('ours'), new TestAuthority('others')]
  const server = await startNatsServer(t, { config: tlsLines(others.issue('127.0.0.1')) })
  const service = await serviceWith(t, {
    NATS_HOST: '127.0.0.1',
    NATS_PORT: String(server.port),
    NATS_TLS_CA: write(ours.cert),
  })
  await assertDegraded(service, /the certificate is not trusted .*NATS_TLS_CA/)
  await restartWith(server, tlsLines(ours.issue('localhost')))
  await assertDegraded(service, /the certificate is for another host: .*127\.0\.0\.1/)
  await restartWith(server, '')
  await assertDegraded(service, /server does not support 'tls'/)
  await restartWith(server, tlsLines(ours.issue('elsewhere', '127.0.0.1')))
  await assertWorks(service)
})

test('a server that asks for a certificate gets the one that is configured', needsNats, async (t) => {
  const { write, writePair, tlsLines } = certificateFiles(t)
  const authority = new TestAuthority()
  const ca = write(authority.cert)
  const asking = `ca_file: ${JSON.stringify(ca)}, verify: true`
  const server = await startNatsServer(t, { config: tlsLines(authority.issue('localhost'), asking) })
  const place = { NATS_URL: `tls://localhost:${server.port}`, NATS_TLS_CA: ca }
  const own = writePair(authority.issue('duetime'))
  await assertWorks(await serviceWith(t, { ...place, NATS_TLS_CERT: own.cert, NATS_TLS_KEY: own.key }))
})

test('a server that takes connections and says nothing does not hold up the start', needsNats, async (t) => {
  const server = await natsServer(tempDir(t))
  t.after(() => server.kill())
  const silent = await silentListener(t, server.port)
  const service = await serviceWith(t, { NATS_URL: server.url })
  const { nats, ...whole } = await readiness(service)
  assert.deepEqual(whole, { code: 200, status: 'degraded' })
  assert.match(nats, /^disconnected: (?:not connected yet|timeout)$/)
  await silent.close()
  await server.start()
  await assertWorks(service)
})

async function silentListener(t: TestContext, port: number): Promise<{ close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const listener: Server = createServer((socket) => void sockets.add(socket.on('error', () => {}))).listen(
    port,
    '127.0.0.1',
  )
  await once(listener, 'listening')
  const close = async () => {
    if (!listener.listening) return
    const closed = once(listener, 'close')
    listener.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  cleanUp(t, close)
  return { close }
}

test(
  'what comes due while the server is away fails by its own policy, and nothing of it is sent later unasked',
  needsNats,
  async (t) => {
    const server = await startNatsServer(t)
    const service = await serviceWith(t, { NATS_URL: server.url })
    const nats = await natsClient(t, server)
    await nats.manager.streams.add({ name: 'ORDERS', subjects: ['orders.>'] })
    await eventually('ready', async () => (await readiness(service)).status === 'ready')
    const single = await createOnPlatform(service, {
      execute_at: inMs(5_500),
      callback: { type: 'nats', topic: 'orders.once' },
    })
    await server.kill()
    const client = new Client(() => service)
    const retryPolicy = { maxRetries: 100, initialInterval: '200ms', multiplier: 1 }
    await accepted(
      client.create({
        id: 'again',
        executeAt: inMs(2_000),
        callback: { type: 'nats', topic: 'orders.again' },
        retryPolicy,
      }),
    )
    const timer = (timerId: string) => accepted(client.get({ timerId }))
    const failed = await eventually('its only attempt', async () => {
      const seen = await timer(single)
      return seen.status === 'failed' && seen
    })
    assert.match(failed.lastError!, /no connection to the broker/)
    assert.ok(['pending', 'executing'].includes((await timer('again')).status)) // it tries again and again
    await server.start()
    await eventually('published', async () => (await timer('again')).status === 'completed')
    await assertWorks(service) // one more on the same connection: whatever a buffer had held would have come before it
    assert.deepEqual(
      (await nats.read('ORDERS')).map(({ subject }) => subject),
      ['orders.again'],
    )
    assert.ok(service.isAlive)
  },
)

async function createOnPlatform(service: Service, body: unknown): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${service.url}/timers`, { method: 'POST', headers, body: JSON.stringify(body) })
  const { data } = (await response.json()) as { data: { id: string } }
  return data.id
}
