// The way of commands to one other node: a stream that is opened with the first of them and kept. Commands of one turn
// of the event loop travel together, and so do their answers; none waits for the answers of others, unless there are
// too many or the other node says nothing. The other side is command-streams.ts.

import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { Agent } from 'undici'
import type { ShardCommand } from '../../core/rules/command.ts'
import { DuetimeError, unavailable } from '../../core/errors.ts'
import { notOwner } from '../../engine/commit/owned-rows.ts'
import type { Executed } from '../../engine/shard-commands.ts'
import type { Cancel, Clock } from '../../runtime/clock/clock.ts'
import { COMMANDS_PATH, COMMANDS_PROTOCOL, commandsLine, readLines } from './wire.ts'
import type { WireAnswer, WireResult } from './wire.ts'
import { upgrade } from '../../runtime/undici.ts'

const UNANSWERED_MAX = 500 // commands; what is beyond waits here, where it surely was not done
const CHARS_MAX = 2 * 2 ** 20 // of payloads in one message
const ANSWER_BYTES_MAX = 256 * 2 ** 20
const SILENT_MS_MAX = 100 // then nothing more is sent until there is a sign of life
const UNSENT_MS_MAX = 250 // then the command goes back, to be sent to whoever owns its timer by then
const ANSWER_MS_MAX = 10_000
const SWEEP_MS = 50

type Waiting = {
  readonly command: ShardCommand
  /** When it came, or when it was sent. */
  since: number
  readonly resolve: (executed: Executed) => void
  readonly reject: (error: unknown) => void
}

export type CommandLinkOptions = {
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly agent: Agent
  readonly clock: Clock
  readonly onOpen: () => void
  /** It takes no more commands. */
  readonly onClosed: (reason: ClosedBy) => void
}

/** `undone`: nothing of what has no answer was done. */
export type ClosedBy = { readonly cause: unknown; readonly undone: boolean; readonly wasOpen: boolean }

export class CommandLink {
  readonly #options: CommandLinkOptions
  readonly #clock: Clock
  #state: 'new' | 'opening' | 'open' | 'closed' = 'new'
  #socket: Duplex | null = null
  #waiting: Waiting[] = []
  readonly #sent = new Map<number, Waiting>()
  #nextNumber = 0
  #heardAt = 0
  #pinged = false
  #scheduled = false
  #cancelSweep: Cancel | null = null

  constructor(options: CommandLinkOptions) {
    this.#options = options
    this.#clock = options.clock
  }

  execute(command: ShardCommand): Promise<Executed> {
    if (this.#state === 'closed') return Promise.reject(notOwner())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ command, since: this.#clock.monotonic(), resolve, reject })
      this.#cancelSweep ??= this.#clock.after(SWEEP_MS, () => this.#sweep())
      this.#schedule()
    })
  }

  close(): void {
    this.#end(new Error('this node stops'))
  }

  /** One turn of the event loop is given to the other requests that are being read right now, to travel together. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      if (this.#state === 'new') void this.#open()
      this.#send()
    })
  }

  async #open(): Promise<void> {
    const { agent, address, headers } = this.#options
    this.#state = 'opening'
    try {
      const answer = await upgrade(address + COMMANDS_PATH, { dispatcher: agent, protocol: COMMANDS_PROTOCOL, headers })
      if (answer.headers['upgrade'] === COMMANDS_PROTOCOL) return this.#opened(answer.socket)
      answer.socket.destroy()
      throw new Error('what answers there is no node of this cluster')
    } catch (error) {
      this.#end(error)
    }
  }

  #opened(socket: Duplex): void {
    let failure: unknown = new Error('the connection was closed')
    socket.on('error', (error) => (failure = error))
    if (this.#state === 'closed') {
      socket.destroy()
      return
    }
    this.#state = 'open'
    this.#socket = socket
    socket.on('close', () => this.#end(failure))
    socket.on('drain', () => this.#send())
    socket.on('data', () => this.#hearSomething())
    readLines(socket, { bytesMax: ANSWER_BYTES_MAX, take: (message) => this.#hear(message as WireAnswer) })
    this.#options.onOpen()
    this.#schedule()
  }

  #send(): void {
    const socket = this.#socket
    if (socket === null || this.#state !== 'open') return
    while (this.#waiting.length > 0 && this.#sent.size < UNANSWERED_MAX && !socket.writableNeedDrain) {
      if (this.#isSilent(SILENT_MS_MAX)) return this.#ping(socket)
      const batch = this.#waiting.splice(0, batchLength(this.#waiting, UNANSWERED_MAX - this.#sent.size))
      const first = this.#nextNumber
      const now = this.#clock.monotonic()
      for (const waiting of batch) {
        waiting.since = now
        this.#sent.set(this.#nextNumber++, waiting)
      }
      socket.write(commandsLine({ first, commands: batch.map(({ command }) => command) }))
    }
  }

  /** No commands at all, which is answered at once: does the node hang, or is only its store slow? */
  #ping(socket: Duplex): void {
    if (this.#pinged) return
    this.#pinged = true
    socket.write(commandsLine({ first: this.#nextNumber, commands: [] }))
  }

  #hearSomething(): void {
    this.#heardAt = this.#clock.monotonic()
    this.#pinged = false
  }

  #hear(answer: WireAnswer): void {
    if ('type' in answer) return this.#hearBye(answer)
    for (const [number, result] of answer.results) {
      const sent = this.#sent.get(number)
      if (sent === undefined) continue // it came too late
      settle(sent, result)
      this.#sent.delete(number)
    }
    this.#send()
  }

  #hearBye({ type }: { readonly type: string }): void {
    if (type !== 'bye') throw new Error(`it said '${type}', which means nothing here`)
    this.#end(new Error('it stops'), { undone: true })
  }

  /** True when the other node has owed an answer for this long and has said nothing at all since. */
  #isSilent(forMs: number): boolean {
    const oldest = this.#sent.values().next().value
    return oldest !== undefined && this.#clock.monotonic() - Math.max(oldest.since, this.#heardAt) > forMs
  }

  #sweep(): void {
    const now = this.#clock.monotonic()
    if (this.#isSilent(ANSWER_MS_MAX)) return this.#giveUp(new Error(`no answer for ${ANSWER_MS_MAX} ms`))
    for (const [number, sent] of this.#sent) {
      if (now - sent.since <= ANSWER_MS_MAX) break
      this.#sent.delete(number)
      sent.reject(this.#answerLost(new Error(`no answer for ${ANSWER_MS_MAX} ms`)))
    }
    // They come in order, so those that have waited too long are the first ones.
    const fresh = this.#waiting.findIndex(({ since }) => now - since <= UNSENT_MS_MAX)
    const unsent = this.#waiting.splice(0, fresh < 0 ? this.#waiting.length : fresh)
    for (const waiting of unsent)
      waiting.reject(notOwner(new Error(`the node at ${this.#options.address} takes no more now`)))
    const idle = this.#waiting.length === 0 && this.#sent.size === 0
    this.#cancelSweep = idle ? null : this.#clock.after(SWEEP_MS, () => this.#sweep())
  }

  /** What the system has not sent yet must not arrive later, when its clients have looked and done it anew. */
  #giveUp(cause: Error): void {
    const socket = this.#socket
    if (socket instanceof Socket && !(socket instanceof TLSSocket)) socket.resetAndDestroy()
    this.#end(cause)
  }

  #end(cause: unknown, { undone = false } = {}): void {
    if (this.#state === 'closed') return
    const wasOpen = this.#state === 'open'
    this.#state = 'closed'
    this.#cancelSweep?.()
    this.#socket?.destroy()
    for (const sent of this.#sent.values()) sent.reject(undone ? notOwner(cause) : this.#answerLost(cause))
    for (const unsent of this.#waiting) unsent.reject(notOwner(cause))
    this.#sent.clear()
    this.#waiting = []
    this.#options.onClosed({ cause, undone, wasOpen })
  }

  #answerLost(cause: unknown): DuetimeError {
    const { address } = this.#options
    return unavailable(
      `the node at ${address} did not answer: the change may have been stored or not; look before you repeat it`,
      1_000,
      cause,
    )
  }
}

function batchLength(waiting: readonly Waiting[], room: number): number {
  let chars = 0
  const end = waiting.findIndex(({ command }, index) => (chars += payloadChars(command)) > CHARS_MAX || index === room)
  return end < 0 ? waiting.length : Math.max(end, 1)
}

function payloadChars(command: ShardCommand): number {
  if (command.type === 'create') return command.spec.payload?.length ?? 0
  return command.type === 'update' ? (command.changes.payload?.length ?? 0) : 0
}

function settle(waiting: Waiting, result: WireResult): void {
  if (result.type === 'executed') waiting.resolve(result.executed)
  else waiting.reject(new DuetimeError(result.code, result.message, result.details))
}
