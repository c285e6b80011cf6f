import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { EventStream, eventText } from './event-stream.ts'

const EVENT = eventText('firing', JSON.stringify({ text: 'x'.repeat(30_000) }))
const SENT = 1_000 // 30 MB: more than the sockets of any system hold by themselves

/** A client that has asked and reads nothing until it is told to. */
async function setup(t: TestContext) {
  const clock = new ManualClock()
  const closed = Promise.withResolvers<void>()
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const asked = once(server, 'request')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  t.after(() => {
    socket.destroy()
    server.close()
    server.closeAllConnections()
  })
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: test\r\n\r\n')
  const [, response] = await asked
  const stream = new EventStream(response, { headers: {}, onClose: () => closed.resolve() })
  return { clock, socket, response, stream, closed: closed.promise }
}

test('a reader that does not read costs a bounded amount of memory, and is told what it missed when it reads again', async (t) => {
  const { socket, response, stream } = await setup(t)
  for (let n = 0; n < SENT; n++) {
    stream.send(EVENT, 1)
    assert.ok(response.writableLength < 64 * 1_024 + 2 * EVENT.length)
    // What can be written is written now and then.
    if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  let received = ''
  socket
    .setEncoding('utf8')
    .on('data', (text: string) => (received += text))
    .resume()
  if (response.writableLength > 0) await once(response, 'drain')
  stream.send(eventText('firing', '{"text":"again"}'), 1)
  while (!received.includes('again')) await once(socket, 'data')
  const missed = [...received.matchAll(/event: skipped\ndata: \{"events":(\d+)\}/g)].reduce(
    (sum, [, events]) => sum + Number(events),
    0,
  )
  const arrived = received.split('event: firing').length - 2
  assert.ok(missed > 0)
  assert.equal(missed + arrived, SENT)
})

test('a reader that is stuck is cut off at the end', async (t) => {
  const { clock, response, stream, closed } = await setup(t)
  while (response.writableLength <= 64 * 1_024) {
    stream.send(EVENT, 1)
    await new Promise((resolve) => setImmediate(resolve))
  }
  stream.end('shutdown', clock)
  await closed
  assert.equal(clock.waiting, 0)
})

test('one that is a little behind has a second to catch up', async (t) => {
  const { clock, response, stream, closed } = await setup(t)
  while (response.writableLength === 0) {
    stream.send(EVENT, 1)
    await new Promise((resolve) => setImmediate(resolve))
  }
  stream.end('shutdown', clock)
  await clock.advance(999)
  assert.equal(response.destroyed, false)
  await clock.advance(1)
  await closed
})

test('pings and the end are seen by whoever reads', async (t) => {
  const { clock, socket, stream, closed } = await setup(t)
  let received = ''
  socket
    .setEncoding('utf8')
    .on('data', (text: string) => (received += text))
    .resume()
  while (!received.includes('\r\n\r\n')) await once(socket, 'data')
  stream.ping()
  stream.end('time', clock)
  await closed
  await once(socket, 'close')
  assert.match(received, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(received, /: ping\n\n/)
  assert.match(received, /event: end\ndata: \{"reason":"time"\}\n\n/)
  assert.equal(clock.waiting, 0)
})
