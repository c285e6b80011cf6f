import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { failedDelivery } from '../../core/timer/delivery.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { freePort } from '../../../test/support/ports.ts'
import { createEgressPolicy } from './egress/egress.ts'
import { aFiring, aReceiver, aTarget, NOT_ABORTED, plainProtocol } from './delivery.fixture.ts'
import type { HttpResponse } from './protocol.ts'

test('a refused connection is a failure that says so', async (t) => {
  const url = `http://127.0.0.1:${await freePort()}/hook`
  const outcome = await aTarget(t).deliver(aFiring(url), NOT_ABORTED)
  assert.deepEqual(outcome, failedDelivery('connection refused (ECONNREFUSED)'))
})

test('a name that does not resolve is a failure that names it', async (t) => {
  const target = aTarget(t, {
    resolve: () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })),
  })
  const outcome = await target.deliver(aFiring('http://nowhere.example/hook'), NOT_ABORTED)
  assert.deepEqual(outcome, failedDelivery('DNS lookup failed for nowhere.example (ENOTFOUND)'))
})

test('an address that may not be called is a failure that names the rule, and is never connected to', async (t) => {
  const egress = createEgressPolicy({ allow: [], deny: [], loopbackAllowed: false, privateAllowed: false })
  const target = aTarget(t, { egress, connect: () => assert.fail('connected') })
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', '169.254.169.254']) {
    const outcome = await target.deliver(aFiring(`http://${host}/`), NOT_ABORTED)
    assert.equal(outcome.type, 'failed')
    assert.match(outcome.error, /^not allowed: (127\.0\.0\.1 is a loopback address|169\.254\.169\.254 is a metadata)/)
  }
})

test('a receiver that accepts and says nothing costs no more than the time limit', async (t) => {
  const clock = new ManualClock()
  const silent = await aSocketServer(t, () => {})
  const pending = aTarget(t, { clock }).deliver(aFiring(silent.url, { timeoutMs: 30_000 }), NOT_ABORTED)
  await silent.received
  await clock.advance(29_999)
  await clock.advance(1)
  assert.deepEqual(await pending, failedDelivery('timed out after 30s waiting for a response'))
  assert.equal(clock.waiting, 0)
})

test('an answer that never ends is judged by what came of it within the time limit', async (t) => {
  const clock = new ManualClock()
  const slow = await aSocketServer(t, (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"ok"'))
  const protocol = plainProtocol()
  const bodyStarted = aBodyStarted(slow.url)
  const pending = aTarget(t, { clock, protocols: [protocol] }).deliver(
    aFiring(slow.url, { timeoutMs: 1_500 }),
    NOT_ABORTED,
  )
  await bodyStarted
  const closed = once(await slow.received, 'close')
  await clock.advance(1_500)
  assert.deepEqual(await pending, { type: 'delivered', statusCode: 200 })
  assert.deepEqual(judgedBy(protocol), [['{"ok"', 'in part (timed out after 1.5s reading the response)']])
  await closed
})

test('the time limit includes the wait for a connection', async (t) => {
  const clock = new ManualClock()
  const silent = await aSocketServer(t, () => {})
  const target = aTarget(t, { clock, connectionsPerHost: 1 })
  const first = target.deliver(aFiring(silent.url, { timeoutMs: 60_000 }), NOT_ABORTED)
  await silent.received
  const second = target.deliver(aFiring(silent.url, { timeoutMs: 5_000 }), NOT_ABORTED)
  await clock.advance(5_000)
  assert.deepEqual(await second, failedDelivery('timed out after 5s waiting for a connection'))
  await clock.advance(55_000)
  await first
})

test('a delivery given up while it waited is never sent', async (t) => {
  const clock = new ManualClock()
  const { promise: firstArrived, resolve: onFirst } = Promise.withResolvers<() => void>()
  const receiver = await aReceiver(t, (response, _, count) =>
    count === 1 ? onFirst(() => response.end()) : response.end(),
  )
  const target = aTarget(t, { clock, connectionsPerHost: 1 })
  const first = target.deliver(aFiring(receiver.url, {}, { deliveryId: 'first' }), NOT_ABORTED)
  const answerFirst = await firstArrived
  const second = target.deliver(aFiring(receiver.url, { timeoutMs: 1_000 }, { deliveryId: 'second' }), NOT_ABORTED)
  const third = target.deliver(aFiring(receiver.url, {}, { deliveryId: 'third' }), NOT_ABORTED)
  await clock.advance(1_000)
  assert.equal((await second).type, 'failed')
  answerFirst()
  assert.equal((await first).type, 'delivered')
  assert.equal((await third).type, 'delivered')
  assert.deepEqual(
    receiver.requests.map((request) => request.headers['webhook-id']),
    ['first', 'third'],
  )
  assert.equal(receiver.connections.length, 1)
})

test('a connection closed before any answer is a failure, and is not tried twice', async (t) => {
  const receiver = await aReceiver(t, (response) => response.socket?.destroy())
  const outcome = await aTarget(t).deliver(aFiring(receiver.url), NOT_ABORTED)
  assert.equal(outcome.type, 'failed')
  assert.match(outcome.error, /^connection closed before a response/)
  assert.equal(receiver.requests.length, 1)
})

test('an answer that breaks off is judged by what came of it', async (t) => {
  const receiver = await aReceiver(t, (response, _, count) => {
    response.writeHead(count === 1 ? 200 : 410, { 'content-length': 100 })
    response.write('{"ok":', () => response.socket?.destroy())
  })
  const protocol = plainProtocol()
  const target = aTarget(t, { protocols: [protocol] })
  assert.deepEqual(await target.deliver(aFiring(receiver.url), NOT_ABORTED), { type: 'delivered', statusCode: 200 })
  assert.deepEqual(
    await target.deliver(aFiring(receiver.url), NOT_ABORTED),
    failedDelivery('HTTP 410', { statusCode: 410 }),
  )
  for (const [body, truncated] of judgedBy(protocol)) {
    assert.equal(body, '{"ok":')
    assert.match(truncated!, /^in part \(connection closed before the response was complete/)
  }
  assert.equal(receiver.requests.length, 2)
})

test('what is not HTTP is a failure that says so', async (t) => {
  const other = await aSocketServer(t, (socket) => socket.end('220 smtp.example ESMTP\r\n'))
  const outcome = await aTarget(t).deliver(aFiring(other.url), NOT_ABORTED)
  assert.equal(outcome.type, 'failed')
  assert.match(outcome.error, /^the response is not valid HTTP$/)
})

test('https to a port that speaks plain HTTP is a failure that says so', async (t) => {
  const receiver = await aReceiver(t, (response) => response.end())
  const outcome = await aTarget(t).deliver(aFiring(receiver.url.replace('http:', 'https:')), NOT_ABORTED)
  assert.equal(outcome.type, 'failed')
  assert.match(outcome.error, /^TLS handshake failed/)
})

test('an answer is read up to the limit and no further', async (t) => {
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>()
  const receiver = await aReceiver(t, (response) => {
    response.on('close', () => onClosed())
    const goOn = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
    }
    response.on('drain', goOn)
    goOn()
  })
  const protocol = plainProtocol()
  const outcome = await aTarget(t, { protocols: [protocol], responseBytesMax: 1_000 }).deliver(
    aFiring(receiver.url),
    NOT_ABORTED,
  )
  assert.equal(outcome.type, 'delivered')
  assert.deepEqual([protocol.judged[0]?.body.length, protocol.judged[0]?.truncated], [1_000, 'with more than is read'])
  await closed
})

test('a redirect is judged like any answer and not followed', async (t) => {
  const receiver = await aReceiver(t, (response) => response.writeHead(302, { location: '/elsewhere' }).end())
  const protocol = plainProtocol()
  const outcome = await aTarget(t, { protocols: [protocol] }).deliver(aFiring(receiver.url), NOT_ABORTED)
  assert.deepEqual(outcome, failedDelivery('HTTP 302', { statusCode: 302 }))
  assert.equal(protocol.judged[0]?.header('location'), '/elsewhere')
  assert.equal(receiver.requests.length, 1)
})

test('an unknown protocol and a URL that is none are failures', async (t) => {
  const target = aTarget(t)
  const unknown = await target.deliver(aFiring('http://127.0.0.1/', { protocol: 'v9' }), NOT_ABORTED)
  assert.deepEqual(unknown, failedDelivery("this node does not know the protocol 'v9'"))
  const malformed = await target.deliver(aFiring('ftp://127.0.0.1/'), NOT_ABORTED)
  assert.deepEqual(malformed, failedDelivery('the callback URL is not an http or https URL'))
})

test('a defect in a protocol is a rejection, not an outcome', async (t) => {
  const receiver = await aReceiver(t, (response) => response.end())
  const judge = () => {
    throw new Error('defect')
  }
  const target = aTarget(t, { protocols: [{ ...plainProtocol(), judge }] })
  await assert.rejects(target.deliver(aFiring(receiver.url), NOT_ABORTED), /defect/)
})

test('an abort rejects with its reason, hangs up and leaves nothing waiting', async (t) => {
  const clock = new ManualClock()
  const silent = await aSocketServer(t, () => {})
  const target = aTarget(t, { clock, connectionsPerHost: 1 })
  const abort = new AbortController()
  const sent = target.deliver(aFiring(silent.url), abort.signal)
  const queued = target.deliver(aFiring(silent.url), abort.signal)
  const socket = await silent.received
  const closed = once(socket, 'close')
  abort.abort(new Error('stopping'))
  await assert.rejects(sent, /stopping/)
  await assert.rejects(queued, /stopping/)
  await assert.rejects(target.deliver(aFiring(silent.url), abort.signal), /stopping/)
  assert.equal(clock.waiting, 0)
  await closed
})

test('an abort reaches the deliveries that are left, whatever the order in which others ended', async (t) => {
  const held = new Map<string, ServerResponse>()
  const { promise: allArrived, resolve: onAll } = Promise.withResolvers<void>()
  const receiver = await aReceiver(t, (response, request) => {
    held.set(String(request.headers['webhook-id']), response)
    if (held.size === 4) onAll()
  })
  const target = aTarget(t)
  const abort = new AbortController()
  const deliver = (deliveryId: string) => target.deliver(aFiring(receiver.url, {}, { deliveryId }), abort.signal)
  const [a, b, c, d] = [deliver('a'), deliver('b'), deliver('c'), deliver('d')]
  await allArrived
  for (const [id, ended] of [
    ['a', a],
    ['d', d],
  ] as const) {
    held.get(id)!.end()
    assert.equal((await ended).type, 'delivered')
  }
  abort.abort(new Error('stopping'))
  for (const left of [b, c]) await assert.rejects(left, /stopping/)
})

test('deliveries one after the other share a connection', async (t) => {
  const receiver = await aReceiver(t, (response) => response.end())
  const target = aTarget(t)
  for (let n = 0; n < 5; n++) {
    assert.equal((await target.deliver(aFiring(receiver.url), NOT_ABORTED)).type, 'delivered')
    await connectionsAreIdle()
  }
  assert.deepEqual([receiver.requests.length, receiver.connections.length], [5, 1])
})

test('deliveries at once open no more connections than allowed', async (t) => {
  const receiver = await aReceiver(t, (response) => setImmediate(() => response.end()))
  const target = aTarget(t, { connectionsPerHost: 3 })
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, () => target.deliver(aFiring(receiver.url), NOT_ABORTED)),
  )
  assert.ok(outcomes.every((outcome) => outcome.type === 'delivered'))
  assert.deepEqual([receiver.requests.length, receiver.connections.length], [30, 3])
})

test('a request that met the closing of a reused connection is sent again at once, with the same id', async (t) => {
  const receiver = await aReceiver(t, (response, _, count) =>
    count === 2 ? response.socket?.destroy() : response.end(),
  )
  const target = aTarget(t)
  assert.equal((await target.deliver(aFiring(receiver.url), NOT_ABORTED)).type, 'delivered')
  await connectionsAreIdle()
  assert.equal(
    (await target.deliver(aFiring(receiver.url, {}, { deliveryId: 'again' }), NOT_ABORTED)).type,
    'delivered',
  )
  assert.deepEqual(
    receiver.requests.slice(1).map((request) => request.headers['webhook-id']),
    ['again', 'again'],
  )
  assert.equal(receiver.connections.length, 2)
})

test('it is sent again once only, though the second connection was a stale one too', async (t) => {
  const held: ServerResponse[] = []
  const arrivals = [0, 1, 2, 3].map(() => Promise.withResolvers<void>())
  const receiver = await aReceiver(t, (response, _, count) => {
    held.push(response)
    arrivals[count - 1]?.resolve()
    // The fifth request is the one that is sent again; a sixth would be answered.
    if (count === 5) response.socket?.destroy()
    if (count === 6) response.end()
  })
  const target = aTarget(t)
  const deliver = () => target.deliver(aFiring(receiver.url), NOT_ABORTED)
  const openers = [deliver(), deliver()]
  await arrivals[1]!.promise
  for (const response of held) response.end()
  await Promise.all(openers)
  await connectionsAreIdle()
  // Two used connections. The first is made idle again before the second breaks, so that it is the next to be taken.
  const onFirst = deliver()
  await arrivals[2]!.promise
  const onSecond = deliver()
  await arrivals[3]!.promise
  held[2]!.end()
  await onFirst
  await connectionsAreIdle()
  held[3]!.socket?.destroy()
  assert.equal((await onSecond).type, 'failed')
  assert.deepEqual([receiver.requests.length, receiver.connections.length], [5, 2])
})

test('a reused connection that breaks after a while of silence is a failed attempt', async (t) => {
  let lateMs = 0
  const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + lateMs }
  const receiver = await aReceiver(t, (response, _, count) => {
    if (count === 1) return response.end()
    lateMs = 2_000
    response.socket?.destroy()
  })
  const target = aTarget(t, { clock })
  await target.deliver(aFiring(receiver.url), NOT_ABORTED)
  await connectionsAreIdle()
  assert.equal((await target.deliver(aFiring(receiver.url), NOT_ABORTED)).type, 'failed')
  assert.deepEqual([receiver.requests.length, receiver.connections.length], [2, 1])
})

test('connections to many origins are given up, the least recently used first, and never while in use', async (t) => {
  const target = aTarget(t, { idleOriginsMax: 2 })
  const { promise: held, resolve: onHeld } = Promise.withResolvers<() => void>()
  const busy = await aReceiver(t, (response, _, count) => (count === 1 ? onHeld(() => response.end()) : response.end()))
  const quick = await Promise.all([1, 2, 3].map(() => aReceiver(t, (response) => response.end())))
  const pending = target.deliver(aFiring(busy.url), NOT_ABORTED)
  const answer = await held
  for (const receiver of quick)
    assert.equal((await target.deliver(aFiring(receiver.url), NOT_ABORTED)).type, 'delivered')
  const [given, alsoGiven] = quick.map((receiver) => receiver.connections[0]!)
  for (const socket of [given!, alsoGiven!]) if (!socket.destroyed) await once(socket, 'close')
  answer()
  assert.equal((await pending).type, 'delivered')
  await connectionsAreIdle()
  assert.equal((await target.deliver(aFiring(busy.url), NOT_ABORTED)).type, 'delivered')
  assert.equal(busy.connections.length, 1)
})

test('the destination is the host and port', (t) => {
  const target = aTarget(t)
  const destinationOf = (url: string) => target.destinationOf({ type: 'http', url, headers: null })
  assert.equal(destinationOf('https://Example.com/a?b'), 'example.com')
  assert.equal(destinationOf('http://example.com:8080/'), 'example.com:8080')
  assert.equal(destinationOf('http://u:p@[::1]:80/'), '[::1]')
})

test('closing twice is fine and closes idle connections', async (t) => {
  const receiver = await aReceiver(t, (response) => response.end())
  const target = aTarget(t)
  await target.deliver(aFiring(receiver.url), NOT_ABORTED)
  const closed = once(receiver.connections[0]!, 'close')
  await Promise.all([target.close(), target.close()])
  await closed
})

function judgedBy({ judged }: { readonly judged: readonly HttpResponse[] }): [string, string | null][] {
  return judged.map(({ body, truncated }) => [body, truncated])
}

/** Resolves when the first part of the body of an answer from this URL has arrived. */
function aBodyStarted(url: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const onChunk = (message: unknown) => {
    if (!url.startsWith((message as { request: { origin: string } }).request.origin)) return
    unsubscribe('undici:request:bodyChunkReceived', onChunk)
    resolve()
  }
  subscribe('undici:request:bodyChunkReceived', onChunk)
  return promise
}

/** undici hands a connection back one turn of the event loop after the answer; a delivery before that opens another. */
async function connectionsAreIdle(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A receiver below HTTP: `onRequest` is called with the first bytes, `received` resolves with the connection they came on. */
async function aSocketServer(
  t: TestContext,
  onRequest: (socket: Socket) => void,
): Promise<{ url: string; received: Promise<Socket> }> {
  const { promise: received, resolve } = Promise.withResolvers<Socket>()
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', () => {
      onRequest(socket)
      resolve(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received }
}
