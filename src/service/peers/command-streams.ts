// The other end of command-link.ts: streams of commands from other nodes, on the HTTP server that this node has anyway.
// Each command is executed as it comes, and what is done by the same commit is answered in the same message.

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ShardCommand } from '../../core/rules/command.ts'
import { DuetimeError, ErrorCode } from '../../core/errors.ts'
import type { Executed } from '../../engine/shard-commands.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { peerCheck } from './peer-check.ts'
import type { PeerCheck } from './peer-check.ts'
import { BYE, COMMANDS_PATH, COMMANDS_PROTOCOL, readLines, resultsLine } from './wire.ts'
import type { NumberedResult, WireCommands, WireResult } from './wire.ts'

const BYTES_MAX = 256 * 2 ** 20 // of one message; what a node sends was within its limits, and the secret keeps others out
const CLOSING_MS_MAX = 1_000
const KEEP_ALIVE_MS = 10_000

/** This node's engine itself: a command that came to the wrong node goes back, it is not sent on. */
type Owner = { execute(command: ShardCommand): Promise<Executed> }

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

export class CommandStreams {
  readonly #options: CommandStreamsOptions
  readonly #isPeer: PeerCheck
  readonly #streams = new Set<CommandStream>()
  #closing = false

  constructor(options: CommandStreamsOptions) {
    this.#options = options
    this.#isPeer = peerCheck(options.secret)
  }

  /** The server was made with `shouldUpgradeCallback: isCommandStream`. */
  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#accept(request, socket, head),
    )
  }

  /** Resolves when everything that came is answered and nobody is connected any more, or after a second. */
  async close(): Promise<void> {
    this.#closing = true
    await Promise.all(Array.from(this.#streams, (stream) => stream.close(this.#options.clock)))
  }

  #accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => {}) // its close is what counts
    if (!this.#isPeer(request)) return this.#refuse(socket, '401 Unauthorized')
    if (this.#closing) return this.#refuse(socket, '503 Service Unavailable')
    request.socket.setTimeout(0) // those of HTTP do not hold here
    request.socket.setNoDelay()
    request.socket.setKeepAlive(true, KEEP_ALIVE_MS) // a node whose machine is gone does not close its connections
    if (head.length > 0) socket.unshift(head)
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${COMMANDS_PROTOCOL}\r\n\r\n`)
    const stream = new CommandStream(socket, (command) => resultOf(this.#options.node(), command, this.#options.logger))
    this.#streams.add(stream)
    socket.on('close', () => this.#streams.delete(stream))
  }

  /** The server has let go of the connection, and none of its timeouts ends it. */
  #refuse(socket: Duplex, status: string): void {
    const cancelCut = this.#options.clock.after(CLOSING_MS_MAX, () => socket.destroy())
    socket.on('close', cancelCut)
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy())
  }
}

class CommandStream {
  readonly #socket: Duplex
  readonly #execute: (command: ShardCommand) => Promise<WireResult>
  #results: NumberedResult[] = []
  #underWay = 0
  #scheduled = false
  #closing = false

  constructor(socket: Duplex, execute: (command: ShardCommand) => Promise<WireResult>) {
    this.#socket = socket
    this.#execute = execute
    socket.on('end', () => socket.end())
    readLines(socket, { bytesMax: BYTES_MAX, take: (message) => this.#take(message as WireCommands) })
  }

  async close(clock: Clock): Promise<void> {
    this.#closing = true // what comes from now on is not done, as the last message says
    const gone = new Promise((resolve) => this.#socket.once('close', resolve))
    const cancelCut = clock.after(CLOSING_MS_MAX, () => this.#socket.destroy())
    this.#endIfDone()
    await gone
    cancelCut()
  }

  #take({ first, commands }: WireCommands): void {
    if (this.#closing) return
    // Whoever sends none wants to know whether this node is alive.
    if (commands.length === 0) this.#write(resultsLine([]).text)
    this.#underWay += commands.length
    for (const [index, command] of commands.entries()) {
      this.#execute(command).then(
        (result) => {
          this.#results.push([first + index, result])
          this.#schedule()
        },
        (error: unknown) => this.#socket.destroy(error as Error), // no command at all
      )
    }
  }

  /** What is done by the same commit is answered together. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#answer()
    })
  }

  #answer(): void {
    const { text, taken } = resultsLine(this.#results)
    this.#results.splice(0, taken)
    this.#underWay -= taken
    this.#write(text)
    if (this.#results.length > 0) this.#schedule()
    else this.#endIfDone()
  }

  /** Who does not read the answers is owed no more than it may have without one. */
  #write(text: string): void {
    if (this.#socket.writable) this.#socket.write(text)
  }

  #endIfDone(): void {
    if (this.#closing && this.#underWay === 0) this.#socket.end(BYE)
  }
}

/** Each command has its own answer: a defect that one meets must not hide from the sender what the others did. */
async function resultOf(owner: Owner, command: ShardCommand, logger: Logger): Promise<WireResult> {
  try {
    return { type: 'executed', executed: await owner.execute(command) }
  } catch (error) {
    if (error instanceof DuetimeError)
      return { type: 'refused', code: error.code, message: error.message, details: error.details }
    logger.error(
      { err: error, type: command.type, namespace: command.namespace, id: command.id },
      'a command from another node failed',
    )
    return {
      type: 'refused',
      code: ErrorCode.internal,
      message: 'internal error at the node that owns the timer',
      details: {},
    }
  }
}
