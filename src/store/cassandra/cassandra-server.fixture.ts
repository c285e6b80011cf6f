// Keyspaces on a real Cassandra, and a way to it that loses things: requests and answers of conditional batches.

import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { systemClock } from '../../runtime/clock/clock.ts'
import { parseCassandraUrl } from '../../runtime/config/databases/cassandra.ts'
import type { CassandraLocation } from '../../runtime/config/databases/cassandra.ts'
import type { RunningServer } from '../../../scripts/servers/servers.ts'
import { Session } from './session.ts'

const used = new Set<string>()

/** The same one again, emptied: Cassandra keeps a megabyte for every table, and cannot have hundreds. */
export async function emptyKeyspace(server: Pick<RunningServer, 'url'>, name = 'timers'): Promise<CassandraLocation> {
  const location = parseCassandraUrl(server.url(name))
  if (used.has(server.url(name))) {
    const session = await Session.connect(location, systemClock)
    for (const table of ['timers', 'cluster']) await session.run(`TRUNCATE ${name}.${table}`)
    await session.client.shutdown()
  }
  used.add(server.url(name))
  return location
}

/** `answer`: it arrives, and its answer does not. `hold`: it arrives when `deliverHeld` says so. `cut`: it does not arrive. */
export type Loss = 'answer' | 'hold' | 'cut'

// Frames of the protocol: version, flags, stream (2 bytes), kind, length (4 bytes).
const HEADER_BYTES = 9
const Kind = { error: 0, ready: 2, batch: 13 } as const
const STARTUP = Buffer.concat([
  Buffer.from([4, 0, 0, 0, 1, 0, 0, 0, 22, 0, 1, 0, 11]),
  Buffer.from('CQL_VERSION'),
  Buffer.from([0, 5]),
  Buffer.from('3.0.0'),
])

export class LossyWay {
  readonly #server = createServer((socket) => this.#carry(socket))
  readonly #port: number
  readonly #sockets = new Set<Socket>()
  readonly #losses: Loss[] = []
  readonly #held: Buffer[] = []
  /** Every batch after those is cut, until it is false again. */
  isCut = false

  private constructor(port: number) {
    this.#port = port
  }

  static async to(
    t: TestContext,
    location: CassandraLocation,
  ): Promise<{ way: LossyWay; location: CassandraLocation }> {
    const way = new LossyWay(location.port)
    way.#server.listen(0, '127.0.0.1')
    await once(way.#server, 'listening')
    t.after(() => {
      way.#server.close()
      for (const socket of way.#sockets) socket.destroy()
    })
    const { port } = way.#server.address() as AddressInfo
    return { way, location: { ...location, port, hosts: [`127.0.0.1:${port}`] } }
  }

  /** The next batches suffer these, one after the other. */
  lose(...losses: readonly Loss[]): void {
    this.#losses.push(...losses)
  }

  /** The kinds of the answers, which nobody hears. */
  async deliverHeld(): Promise<number[]> {
    const socket = connect(this.#port, '127.0.0.1')
    const frames = framesOf(socket)
    const kinds: number[] = []
    socket.write(STARTUP)
    if ((await frames.next()).value![4] !== Kind.ready) throw new Error('the server does not take the connection')
    for (const frame of this.#held.splice(0)) {
      socket.write(frame)
      kinds.push((await frames.next()).value![4])
    }
    socket.destroy()
    return kinds
  }

  #carry(client: Socket): void {
    const server = connect(this.#port, '127.0.0.1')
    const end = (): void => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', () => {}).on('close', end)
    }
    const unanswered = new Set<number>()
    void eachFrame(client, (frame) => {
      const loss = frame[4] === Kind.batch ? (this.#losses.shift() ?? (this.isCut ? 'cut' : null)) : null
      if (loss === 'hold') this.#held.push(frame)
      if (loss === 'hold' || loss === 'cut') return end()
      if (loss === 'answer') unanswered.add(frame.readUInt16BE(2))
      server.write(frame)
    })
    void eachFrame(server, (frame) => {
      if (unanswered.has(frame.readUInt16BE(2))) return end()
      client.write(frame)
    })
  }
}

async function eachFrame(socket: Socket, take: (frame: Buffer) => void): Promise<void> {
  for await (const frame of framesOf(socket)) take(frame)
}

async function* framesOf(socket: Socket): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  try {
    for await (const chunk of socket) {
      rest = Buffer.concat([rest, chunk as Buffer])
      while (rest.length >= HEADER_BYTES) {
        const end = HEADER_BYTES + rest.readUInt32BE(5)
        if (rest.length < end) break
        yield rest.subarray(0, end)
        rest = rest.subarray(end)
      }
    }
  } catch {
    // The connection was cut: there are no more frames.
  }
}
