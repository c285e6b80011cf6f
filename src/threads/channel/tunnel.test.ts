import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { buffer, text } from 'node:stream/consumers'
import { MessageChannel } from 'node:worker_threads'
import { BatchedPort } from './batched-port.ts'
import { Tunnels } from './tunnel.ts'
import type { Tunnel, TunnelMessage } from './tunnel.ts'

/** Two sides that know each other by messages only, and a tunnel that is open between them. */
async function setup(t: { after: (fn: () => void) => void }) {
  const { port1, port2 } = new MessageChannel()
  t.after(() => port1.close())
  const opened = Promise.withResolvers<Tunnel>()
  const side = (port: typeof port1, onOpened?: (tunnel: Tunnel) => void): Tunnels => {
    const batched = new BatchedPort<TunnelMessage, TunnelMessage>(port, (message) => tunnels.take(message))
    const tunnels = new Tunnels((message, transfer) => batched.send(message, transfer), onOpened)
    return tunnels
  }
  const [from, to] = [side(port1), side(port2, opened.resolve)]
  const here = from.open('10.1.2.3')
  return { here, there: await opened.promise, from, to }
}

test('a side that is gone closes what it had open, without an end', async (t) => {
  const { here, there, to } = await setup(t)
  there.resume()
  to.closeAll()
  await once(here, 'close')
  assert.equal(here.readableEnded, false)
})

test('who does not read lets the writer wait', async (t) => {
  const { here, there } = await setup(t)
  const chunk = Buffer.alloc(64 * 1_024)
  let written = 0
  for (let count = 0; count < 20; count++) here.write(chunk, () => (written += chunk.length))
  const sent = once(there, 'readable')
  await sent
  assert.ok(written < 20 * chunk.length)
  here.end()
  assert.equal((await buffer(there)).length, 20 * chunk.length)
})

test('bytes come as they were sent, both ways, and with the address that they are from', async (t) => {
  const { here, there } = await setup(t)
  assert.equal(there.remoteAddress, '10.1.2.3')
  here.write('who is ')
  here.end('there?')
  assert.equal(await text(there), 'who is there?')
  there.end('nobody')
  assert.equal(await text(here), 'nobody')
})

test('what was sent before a side closed is still read, however late', async (t) => {
  const { here, there } = await setup(t)
  there.write('the answer')
  there.destroySoon()
  await once(there, 'close')
  here.write('more of the question')
  assert.equal(await text(here), 'the answer')
})
