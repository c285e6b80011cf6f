import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { Agent } from 'undici'
import type { Command } from '../../core/rules/command.ts'
import { DuetimeError, ErrorCode } from '../../core/errors.ts'
import { notOwner } from '../../engine/commit/owned-rows.ts'
import type { Executed } from '../../engine/shard-commands.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { silentLogger } from '../../runtime/telemetry/logger.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { CommandLink } from './command-link.ts'
import { CommandStreams } from './command-streams.ts'
import { cancel, listen, oddPeer } from './peer.fixture.ts'
import type { Listening } from './peer.fixture.ts'
import { BYE, commandsLine, readLines, resultsLine } from './wire.ts'
import type { NumberedResult, WireCommands } from './wire.ts'

const SECRET = 's'
const done = (id: string) => ({ timer: { id }, previous: null, changed: true }) as unknown as Executed

type Setup = { readonly link: CommandLink; readonly closed: () => boolean }

const executed = (number: number, id: string): NumberedResult => [number, { type: 'executed', executed: done(id) }]

function linkTo(
  t: TestContext,
  address: string,
  { secret = SECRET, clock = new ManualClock() }: { secret?: string; clock?: Clock } = {},
): Setup {
  let closed = false
  const agent = new Agent()
  const headers = { authorization: `Bearer ${secret}` }
  const link = new CommandLink({ address, headers, agent, clock, onOpen() {}, onClosed: () => (closed = true) })
  t.after(async () => {
    link.close()
    await agent.destroy()
  })
  return { link, closed: () => closed }
}

type Node = Listening & { readonly streams: CommandStreams; readonly clock: ManualClock; readonly seen: string[] }

async function node(
  t: TestContext,
  execute: (command: Command) => Promise<Executed> = async ({ id }) => done(id),
): Promise<Node> {
  const listening = await listen(t)
  const seen: string[] = []
  const owner = {
    execute: (command: Command) => {
      seen.push(command.id)
      return execute(command)
    },
  }
  const clock = new ManualClock()
  const streams = new CommandStreams({ secret: SECRET, node: () => owner, clock, logger: silentLogger() })
  streams.attach(listening.server)
  return { ...listening, streams, clock, seen }
}

const withCode = (code: ErrorCode) => (error: unknown) => error instanceof DuetimeError && error.code === code
const maybeDone = (error: unknown) =>
  withCode(ErrorCode.unavailable)(error) && /may have been stored or not/.test((error as Error).message)

test('commands are executed over there, each with its own answer, on one connection', async (t) => {
  const { server, address } = await node(t, async ({ id }) => {
    if (id === 'refused') throw new DuetimeError(ErrorCode.timerNotFound, 'there is no such timer', { field: 'id' })
    if (id === 'defect') throw new TypeError('secret internals')
    return done(id)
  })
  let connections = 0
  server.on('connection', () => connections++)
  const { link } = linkTo(t, address)
  const answers = await Promise.allSettled(['a', 'refused', 'defect', 'ü\n"'].map((id) => link.execute(cancel(id))))
  assert.deepEqual(answers[0], { status: 'fulfilled', value: done('a') })
  assert.deepEqual(answers[3], { status: 'fulfilled', value: done('ü\n"') })
  const [refused, defect] = [answers[1], answers[2]].map(
    (answer) => (answer as PromiseRejectedResult).reason as DuetimeError,
  )
  assert.deepEqual(
    [refused!.code, refused!.message, refused!.details],
    [ErrorCode.timerNotFound, 'there is no such timer', { field: 'id' }],
  )
  assert.equal(defect!.code, ErrorCode.internal)
  assert.doesNotMatch(defect!.message, /secret internals/)
  for (let i = 0; i < 20; i++) assert.deepEqual(await link.execute(cancel(`${i}`)), done(`${i}`))
  assert.equal(connections, 1)
})

test('commands of one turn travel together', async (t) => {
  const messages: number[] = []
  const { address } = await oddPeer(t, (socket, text) => {
    if (!text.endsWith('\n')) return
    const { first, commands } = JSON.parse(text) as { first: number; commands: Command[] }
    messages.push(commands.length)
    socket.write(resultsLine(commands.map(({ id }, index) => executed(first + index, id))).text)
  })
  const { link } = linkTo(t, address)
  await Promise.all(['a', 'b', 'c'].map((id) => link.execute(cancel(id))))
  assert.deepEqual(messages, [3])
})

test('ten thousand commands at once, and answers in any order', async (t) => {
  const { address, seen } = await node(t, async ({ id }) => {
    if (Number(id) % 3 === 0) await new Promise(setImmediate)
    return done(id)
  })
  const { link } = linkTo(t, address)
  const ids = Array.from({ length: 10_000 }, (_, index) => String(index))
  assert.deepEqual(await Promise.all(ids.map((id) => link.execute(cancel(id)))), ids.map(done))
  assert.deepEqual(seen, ids)
})

test('payloads of many megabytes', async (t) => {
  const { address } = await node(t, async (command) => done((command as { spec: { payload: string } }).spec.payload))
  const { link } = linkTo(t, address)
  const payloads = Array.from({ length: 6 }, (_, index) => String(index).repeat(1_500_000))
  const create = (payload: string) => link.execute({ type: 'create', spec: { payload } } as unknown as Command)
  assert.deepEqual(await Promise.all(payloads.map(create)), payloads.map(done))
})

test('a node that says nothing gets no more commands: they go back unsent, to be tried elsewhere', async (t) => {
  const arrived = Promise.withResolvers<void>()
  let text = ''
  const { address } = await oddPeer(t, (_socket, all) => {
    text = all
    arrived.resolve()
  })
  const clock = new ManualClock()
  const { link } = linkTo(t, address, { clock })
  const sent = assert.rejects(link.execute(cancel('sent')), maybeDone)
  await arrived.promise
  await clock.advance(150)
  const unsent = assert.rejects(link.execute(cancel('unsent')), withCode(ErrorCode.notOwner))
  await clock.advance(350)
  await unsent
  link.close()
  await sent
  assert.doesNotMatch(text, /unsent/)
})

test('a node that is silent for ten seconds may have done what it was sent, and is connected to anew', async (t) => {
  const clock = new ManualClock()
  const arrived = Promise.withResolvers<Duplex>()
  const { address } = await oddPeer(t, (socket) => arrived.resolve(socket))
  const { link, closed } = linkTo(t, address, { clock })
  const sent = assert.rejects(link.execute(cancel('sent')), maybeDone)
  const socket = await arrived.promise
  const reset = once(socket, 'error')
  await clock.advance(9_900)
  assert.equal(closed(), false)
  await clock.advance(200)
  await sent
  // So that nothing arrives later of what the system had not sent yet.
  assert.equal(((await reset) as [NodeJS.ErrnoException])[0].code, 'ECONNRESET')
  assert.equal(closed(), true)
  assert.equal(clock.waiting, 0)
})

test('one command without an answer does not hurt the others', async (t) => {
  const clock = new ManualClock()
  const arrived = Promise.withResolvers<void>()
  const stuck = Promise.withResolvers<Executed>()
  const { address } = await node(t, async ({ id }) => {
    if (id !== 'stuck') return done(id)
    arrived.resolve()
    return stuck.promise
  })
  const { link, closed } = linkTo(t, address, { clock })
  const late = assert.rejects(link.execute(cancel('stuck')), maybeDone)
  await arrived.promise
  for (let second = 0; second < 10; second++) {
    assert.deepEqual(await link.execute(cancel('next')), done('next'))
    await clock.advance(1_000)
  }
  await clock.advance(100)
  await late
  stuck.resolve(done('stuck')) // too late: nobody waits for it
  assert.deepEqual(await link.execute(cancel('last')), done('last'))
  assert.equal(closed(), false)
})

test('a node that dies with commands in its hands may have done them', async (t) => {
  const { address } = await oddPeer(t, (socket) => socket.destroy())
  const { link, closed } = linkTo(t, address)
  await assert.rejects(link.execute(cancel('a')), maybeDone)
  assert.equal(closed(), true)
})

test('a node that answers nonsense may have done them, too', async (t) => {
  const { address } = await oddPeer(t, (socket) => socket.write('{"results":\n'))
  await assert.rejects(linkTo(t, address).link.execute(cancel('a')), maybeDone)
})

test('a node that said good-bye has not done what it has not answered', async (t) => {
  const { address } = await oddPeer(t, (socket) => {
    socket.write(resultsLine([executed(0, 'a')]).text)
    socket.end(BYE)
  })
  const { link } = linkTo(t, address)
  const [a, b] = await Promise.allSettled([link.execute(cancel('a')), link.execute(cancel('b'))])
  assert.deepEqual(a, { status: 'fulfilled', value: done('a') })
  assert.ok(withCode(ErrorCode.notOwner)((b as PromiseRejectedResult).reason))
})

test('a node that is not there, does not let us in, or knows no streams, has done nothing', async (t) => {
  const refused = async (address: string, secret = SECRET) => {
    const { link, closed } = linkTo(t, address, { secret })
    await assert.rejects(link.execute(cancel('a')), withCode(ErrorCode.notOwner))
    assert.equal(closed(), true)
  }
  const serving = async (server: Server) => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const gone = createServer()
  const nobody = await serving(gone)
  await new Promise((resolve) => gone.close(resolve))
  await refused(nobody)

  const { address, seen, streams } = await node(t)
  await refused(address, 'guessed')
  await streams.close()
  await refused(address) // it stops
  assert.deepEqual(seen, [])

  await refused(await serving(createServer((_request, response) => response.end('hello'))))

  const chat = createServer()
  chat.on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  )
  await refused(await serving(chat))
})

test('a link that is closed while it opens lets go of what it gets', async (t) => {
  const { address, server, seen } = await node(t)
  const { link } = linkTo(t, address)
  const opened = once(server, 'upgrade')
  const undone = assert.rejects(link.execute(cancel('a')), withCode(ErrorCode.notOwner))
  const [request] = (await opened) as [IncomingMessage]
  link.close()
  await undone
  if (!request.socket.destroyed) await once(request.socket, 'close')
  await assert.rejects(link.execute(cancel('b')), withCode(ErrorCode.notOwner))
  assert.deepEqual(seen, [])
})

test('a node that stops answers what it has begun, and what comes later goes back undone', async (t) => {
  const begun = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const { address, streams, seen } = await node(t, async ({ id }) => {
    begun.resolve()
    await commit.promise
    return done(id)
  })
  const { link, closed } = linkTo(t, address)
  const before = link.execute(cancel('before'))
  await begun.promise
  const closing = streams.close()
  const after = assert.rejects(link.execute(cancel('after')), withCode(ErrorCode.notOwner))
  await new Promise((resolve) => setTimeout(resolve, 20)) // it is on its way
  commit.resolve()
  assert.deepEqual(await before, done('before'))
  await after
  await closing
  assert.deepEqual(seen, ['before'])
  assert.equal(closed(), true)
})

test('a node that stops does not wait for a command that never ends, and does not deny it', async (t) => {
  const begun = Promise.withResolvers<void>()
  const { address, streams, clock } = await node(t, () => {
    begun.resolve()
    return new Promise(() => {})
  })
  const { link } = linkTo(t, address)
  const stuck = assert.rejects(link.execute(cancel('stuck')), maybeDone)
  await begun.promise
  const closing = streams.close()
  await clock.advance(1_000)
  await closing
  await stuck
})

test('what belongs to another node by now is refused as such', async (t) => {
  const { address } = await node(t, async () => {
    throw notOwner()
  })
  await assert.rejects(linkTo(t, address).link.execute(cancel('a')), withCode(ErrorCode.notOwner))
})

/** A stream as another node would open it. */
async function rawStream(address: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(address).port), host: '127.0.0.1' })
  socket.write(
    `GET /internal/v1/commands HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: duetime-commands\r\nauthorization: Bearer ${SECRET}\r\n\r\n`,
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1.1 101 /)
  socket.resume()
  return socket
}

test('what is no command, or no result, ends the stream and nothing else', async (t) => {
  const { address, server } = await node(t)
  const stream = await rawStream(address)
  stream.write('{"first":0,"commands":[null]}\n')
  await once(stream, 'close')
  assert.deepEqual(await linkTo(t, address).link.execute(cancel('next')), done('next'))
  assert.equal(server.listening, true)
  for (const message of ['{"results":[[0,null]]}', '{"type":"au revoir"}', 'null']) {
    const odd = await oddPeer(t, (socket) => socket.write(`${message}\n`))
    await assert.rejects(linkTo(t, odd.address).link.execute(cancel('a')), maybeDone, message)
  }
})

test('results of some size are a message, and the others the next one', () => {
  const large: NumberedResult[] = Array.from({ length: 5 }, (_, index) => executed(index, 'x'.repeat(200_000)))
  const messages: NumberedResult[][] = []
  for (let rest = large; rest.length > 0;) {
    const { text, taken } = resultsLine(rest)
    messages.push((JSON.parse(text) as { results: NumberedResult[] }).results)
    rest = rest.slice(taken)
  }
  assert.deepEqual(
    messages.map(({ length }) => length),
    [2, 2, 1],
  )
  assert.deepEqual(messages.flat(), large)
  assert.deepEqual(JSON.parse(resultsLine([]).text), { results: [] })
})

test('who is refused is not kept, however long it stays', async (t) => {
  const { address, server } = await node(t)
  const socket = connect({ port: Number(new URL(address).port), host: '127.0.0.1', allowHalfOpen: true })
  socket.write(
    'GET /internal/v1/commands HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: duetime-commands\r\n\r\n',
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1.1 401 /)
  server.close()
  await once(server, 'close') // though the client has not closed its side
  socket.destroy()
})

/** What is read when the text arrives in pieces of these sizes. */
function readInPieces(
  text: string,
  sizes: readonly number[],
  bytesMax = 1_000_000,
): { messages: unknown[]; stream: Duplex } {
  const messages: unknown[] = []
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, callback) => callback() })
  stream.on('error', () => {})
  readLines(stream, { bytesMax, take: (message) => messages.push(message) })
  const bytes = Buffer.from(text)
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!
    stream.emit('data', bytes.subarray(at, at + size))
    at += size
  }
  return { messages, stream }
}

test('messages are read as they were written, however the network cuts them', () => {
  const command = fc.record({ text: fc.string({ unit: 'binary' }) }, { noNullPrototype: true })
  const message = fc.record(
    { first: fc.nat(), commands: fc.array(command, { maxLength: 5 }) },
    { noNullPrototype: true },
  )
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), sizes, (written, cuts) => {
      const text = written.map((one) => commandsLine(one as unknown as WireCommands)).join('')
      assert.deepEqual(readInPieces(text, cuts).messages, written)
    }),
  )
})

test('a message without an end is not kept for ever', () => {
  const { messages, stream } = readInPieces('x'.repeat(200), [10], 100)
  assert.deepEqual(messages, [])
  assert.equal(stream.destroyed, true)
})
