// The other end of command-link.ts: streams of commands from other nodes, on the HTTP server that this node has anyway.
// Each command is executed as it comes, and what is done by the same commit is answered in the same message.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Command } from '../../core/command.ts'
import { DuetimeError, ErrorCode } from '../../core/errors.ts'
import type { Executed } from '../../engine/shard.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { BYE, COMMANDS_PATH, COMMANDS_PROTOCOL, line, readLines } from './wire.ts'
import type { WireCommands, WireResult } from './wire.ts'

const BYTES_MAX = 256 * 2 ** 20 // of one message; what a node sends was within its limits, and the secret keeps others out
const CLOSING_MS_MAX = 1_000

/** This node's engine itself: a command that came to the wrong node goes back, it is not sent on. */
type Owner = { execute(command: Command): Promise<Executed> }

export type CommandStreamsOptions = {
  readonly secret: string
  readonly node: () => Owner
  readonly clock: Clock
  readonly logger: Logger
}

/** For `createServer`: clients may offer to go on with other protocols, which is ignored as if nothing took any. */
export function isCommandStream({ url, headers }: IncomingMessage): boolean {
  return headers.upgrade === COMMANDS_PROTOCOL && url === COMMANDS_PATH
}

/** Whether the one who asks knows the secret of the cluster. */
export function peerCheck(secret: string): (request: Pick<IncomingMessage, 'headers'>) => boolean {
  const expected = digest(`Bearer ${secret}`)
  return ({ headers }) => timingSafeEqual(digest(headers.authorization ?? ''), expected)
}

export class CommandStreams {
  readonly #options: CommandStreamsOptions
  readonly #isPeer: (request: IncomingMessage) => boolean
  readonly #streams = new Set<CommandStream>()
  #closing = false

  constructor(options: CommandStreamsOptions) {
    this.#options = options
    this.#isPeer = peerCheck(options.secret)
  }

  /** The server was made with `shouldUpgradeCallback: isCommandStream`. */
  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => this.#accept(request, socket, head))
  }

  /** Resolves when everything that came is answered and nobody is connected any more, or after a second. */
  async close(): Promise<void> {
    this.#closing = true
    await Promise.all(Array.from(this.#streams, (stream) => stream.close(this.#options.clock)))
  }

  #accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => {}) // its close is what counts
    if (!this.#isPeer(request)) return void socket.end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
    if (this.#closing) return void socket.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
    request.socket.setTimeout(0) // those of HTTP do not hold here
    request.socket.setNoDelay()
    if (head.length > 0) socket.unshift(head)
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${COMMANDS_PROTOCOL}\r\n\r\n`)
    const stream = new CommandStream(socket, (command) => resultOf(this.#options.node(), command, this.#options.logger))
    this.#streams.add(stream)
    socket.on('close', () => this.#streams.delete(stream))
  }
}

class CommandStream {
  readonly #socket: Duplex
  readonly #execute: (command: Command) => Promise<WireResult>
  #results: [number, WireResult][] = []
  #underWay = 0
  #closing = false
  #onAnswered: (() => void) | null = null

  constructor(socket: Duplex, execute: (command: Command) => Promise<WireResult>) {
    this.#socket = socket
    this.#execute = execute
    socket.on('end', () => socket.end())
    readLines(socket, { bytesMax: BYTES_MAX, take: (message) => this.#take(message as WireCommands) })
  }

  async close(clock: Clock): Promise<void> {
    this.#closing = true // what comes from now on is not done, as the last message says
    const gone = new Promise((resolve) => this.#socket.once('close', resolve))
    const cancelCut = clock.after(CLOSING_MS_MAX, () => this.#socket.destroy())
    if (this.#underWay === 0) this.#socket.end(line(BYE))
    else this.#onAnswered = () => this.#socket.end(line(BYE))
    await gone
    cancelCut()
  }

  #take({ first, commands }: WireCommands): void {
    if (this.#closing) return
    if (commands.length === 0) this.#answer() // whoever asks wants to know whether this node is alive
    this.#underWay += commands.length
    for (const [index, command] of commands.entries()) {
      void this.#execute(command).then((result) => {
        if (this.#results.push([first + index, result]) === 1) setImmediate(() => this.#answer())
      })
    }
  }

  #answer(): void {
    const results = this.#results
    this.#results = []
    this.#underWay -= results.length
    if (this.#socket.writable) this.#socket.write(line({ results }))
    if (this.#underWay === 0) this.#onAnswered?.()
  }
}

/** Each command has its own answer: a defect that one meets must not hide from the sender what the others did. */
async function resultOf(owner: Owner, command: Command, logger: Logger): Promise<WireResult> {
  try {
    return { type: 'executed', executed: await owner.execute(command) }
  } catch (error) {
    if (error instanceof DuetimeError) return { type: 'refused', code: error.code, message: error.message, details: error.details }
    logger.error({ err: error, type: command.type, namespace: command.namespace, id: command.id }, 'a command from another node failed')
    return { type: 'refused', code: ErrorCode.internal, message: 'internal error at the node that owns the timer', details: {} }
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
