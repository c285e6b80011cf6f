import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import { aCertificateFor } from './certificate.fixture.ts'
import { aFiring, aTarget, NOT_ABORTED } from './delivery.fixture.ts'

const { key, cert } = aCertificateFor('receiver.test')

/** Serves https on loopback; `receiver.test`, and any other name, resolves to it. `destroyOn` is the request to break the connection on. */
async function setup(t: TestContext, { trusted = false, destroyOn = 0 } = {}) {
  const serverNames: unknown[] = []
  const server = createServer({ key, cert }, (request, response) => {
    const socket = request.socket as TLSSocket
    serverNames.push(socket.servername)
    request.resume().on('end', () => (serverNames.length === destroyOn ? socket.destroy() : response.end()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const resolve = () => Promise.resolve(['127.0.0.1'])
  const target = aTarget(t, { resolve, ...(trusted && { connect: buildConnector({ ca: cert, allowH2: false }) }) })
  const { port } = server.address() as AddressInfo
  return { serverNames, deliver: (host: string) => target.deliver(aFiring(`https://${host}:${port}/`), NOT_ABORTED) }
}

test('a certificate that nobody vouches for is refused, before anything is sent', async (t) => {
  const { deliver, serverNames } = await setup(t)
  const outcome = await deliver('receiver.test')
  assert.equal(outcome.type, 'failed')
  assert.match(outcome.error, /^TLS certificate not accepted: self-signed certificate/)
  assert.deepEqual(serverNames, [])
})

test('a certificate for another name is refused, though the address is the same', async (t) => {
  const { deliver, serverNames } = await setup(t, { trusted: true })
  const outcome = await deliver('other.test')
  assert.equal(outcome.type, 'failed')
  assert.match(outcome.error, /^TLS certificate not accepted: .*other\.test/)
  assert.deepEqual(serverNames, [])
})

test('the name in the URL is verified and announced, not the address that was connected to', async (t) => {
  const { deliver, serverNames } = await setup(t, { trusted: true })
  assert.equal((await deliver('receiver.test')).type, 'delivered')
  assert.deepEqual(serverNames, ['receiver.test'])
})

test('a reused TLS connection that breaks is taken for a stale one, and the request sent again', async (t) => {
  const { deliver, serverNames } = await setup(t, { trusted: true, destroyOn: 2 })
  assert.equal((await deliver('receiver.test')).type, 'delivered')
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.equal((await deliver('receiver.test')).type, 'delivered')
  assert.equal(serverNames.length, 3)
})

test('a fresh TLS connection that breaks is not taken for a stale one', async (t) => {
  const { deliver, serverNames } = await setup(t, { trusted: true, destroyOn: 1 })
  assert.equal((await deliver('receiver.test')).type, 'failed')
  assert.equal(serverNames.length, 1)
})
