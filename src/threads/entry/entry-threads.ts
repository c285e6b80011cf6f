// The main thread's end of the threads of HTTP: starts them, lets them listen together, executes what they ask for, and
// takes the requests that they cannot answer into its own HTTP application.

import type { FastifyInstance } from 'fastify'
import type { Principal } from '../../core/access/access.ts'
import type { RequestLimits } from '../../http/access/access.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Config } from '../../runtime/config/config.ts'
import { writeLine } from '../../runtime/telemetry/logger.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { JudgedParts } from '../../service/timer-service.ts'
import type { KeyRing } from '../../service/keys/key-ring.ts'
import type { BatchedPort } from '../channel/batched-port.ts'
import { answerCalls, Caller } from '../channel/calls.ts'
import { Tunnels } from '../channel/tunnel.ts'
import { KeptThread } from '../kept-thread.ts'
import type { ReadyMessage, Thread } from '../kept-thread.ts'
import { startThread } from '../start-thread.ts'
import { freePort } from './listening-port.ts'
import { JudgedTimers } from './judged-timers.ts'
import type { DecidingCalls, EntryCalls, EntryData, FromEntry, ToEntry } from './messages.ts'
import { plainKey } from './plain-keys.ts'

export type EntryThreadsOptions = {
  readonly count: number
  readonly config: Config
  readonly clock: Clock
  readonly logger: Logger
  readonly keys: KeyRing | null
  readonly isInCluster: boolean
  /** A real thread, unless a test needs its clock in there. */
  readonly startThread?: (data: EntryData) => Thread
}

/** What the threads ask; it is there when they are told to listen. */
export type DecidingParts = {
  readonly judged: JudgedParts
  readonly limits: RequestLimits
  /** For the requests that threads cannot answer. It does not listen itself. */
  readonly app: FastifyInstance
}

export class EntryThreads {
  readonly #options: EntryThreadsOptions
  readonly #threads: readonly EntryThread[]
  readonly #started: Promise<unknown>
  #at: { readonly host: string; readonly port: number } | null = null
  #parts: DecidingParts | null = null
  #timers: JudgedTimers | null = null

  /** They load their code while the rest of the service starts. */
  constructor(options: EntryThreadsOptions) {
    this.#options = options
    const connections = new Int32Array(new SharedArrayBuffer(options.count * Int32Array.BYTES_PER_ELEMENT))
    this.#threads = Array.from(
      { length: options.count },
      (_, place) =>
        new EntryThread(
          options,
          { place, connections },
          { parts: () => this.#parts!, timers: () => this.#timers!, at: () => this.#at },
        ),
    )
    this.#started = Promise.all(this.#threads.map((thread) => thread.start()))
    this.#started.catch(() => {}) // `listen` throws it
    options.keys?.onReplaced(() => {
      for (const thread of this.#threads) thread.replaceKeys()
    })
  }

  /** Resolves with the URL when all of them listen. One that has died meanwhile listens when it is there again. */
  async listen(parts: DecidingParts): Promise<string> {
    this.#parts = parts
    this.#timers = new JudgedTimers(parts.judged)
    const { host, port } = this.#options.config
    await this.#started
    const at = { host, port: await freePort({ host, port }) }
    this.#at = at
    const urls = await Promise.all(this.#threads.map((thread) => thread.listen(at)))
    const url = urls.find((one) => one !== null)
    if (url === undefined) throw new Error('no thread for HTTP lived long enough to listen')
    return url
  }

  /** Throws when some of them do not answer requests: the others do. */
  check(): void {
    const missing = this.#threads.filter(({ isReady }) => !isReady).length
    if (missing > 0) throw new Error(`${missing} of ${this.#threads.length} threads for HTTP are being started again`)
  }

  /** Requests under way are answered, for the grace at most. Resolves when the threads are gone. */
  async stop(graceMs: number): Promise<void> {
    this.#at = null
    await Promise.all(this.#threads.map((thread) => thread.stop(graceMs)))
  }
}

type Place = Pick<EntryData, 'place' | 'connections'>
/** `at`: null while nobody is to listen. */
type Surroundings = {
  readonly timers: () => JudgedTimers
  readonly parts: () => DecidingParts
  readonly at: () => { host: string; port: number } | null
}

class EntryThread {
  readonly #options: EntryThreadsOptions
  readonly #surroundings: Surroundings
  readonly #thread: KeptThread<ToEntry, FromEntry>
  #life: Life | null = null

  constructor(options: EntryThreadsOptions, { place, connections }: Place, surroundings: Surroundings) {
    this.#options = options
    this.#surroundings = surroundings
    const { config, isInCluster, clock, logger, startThread: begin = (data) => startThread('entry', data) } = options
    this.#thread = new KeptThread<ToEntry, FromEntry>(
      {
        start: () => begin({ config, isInCluster, place, connections, keys: this.#keys() }),
        begun: (port) => (this.#life = this.#begin(port)),
        take: (message) => this.#take(message),
        ready: () => {
          this.replaceKeys() // they may have changed since it was started
          this.#listenAgain()
        },
        died: () => {
          Atomics.store(connections, place, 0)
          this.#life!.tunnels.closeAll()
          this.#life!.entry.end(new Error('the thread ended'))
        },
      },
      { clock, logger },
      { thread: 'http', number: place + 1 },
    )
  }

  get isReady(): boolean {
    return this.#thread.isReady
  }

  start(): Promise<void> {
    return this.#thread.start()
  }

  /** Null when it has died: it listens when it is there again. */
  async listen(at: { readonly host: string; readonly port: number }): Promise<string | null> {
    return this.isReady ? this.#unlessItDies(this.#life!.entry.call('listen', at)) : null
  }

  replaceKeys(): void {
    const keys = this.#keys()
    if (this.isReady && keys !== null) void this.#unlessItDies(this.#life!.entry.call('replaceKeys', keys))
  }

  async stop(graceMs: number): Promise<void> {
    const { clock } = this.#options
    if (this.isReady) {
      const over = Promise.withResolvers<void>()
      const cancel = clock.after(graceMs + CLOSED_AFTER_GRACE_MS, over.resolve)
      await Promise.race([this.#unlessItDies(this.#life!.entry.call('close', { graceMs })), over.promise])
      cancel()
    }
    await this.#thread.stop()
  }

  #begin(port: BatchedPort<ToEntry, FromEntry | ReadyMessage>): Life {
    const send = (message: ToEntry) => port.send(message)
    return {
      entry: new Caller<EntryCalls>(send),
      tunnels: new Tunnels(
        (message, transfer) => port.send(message, transfer),
        (tunnel) => this.#surroundings.parts().app.server.emit('connection', tunnel),
      ),
      answer: answerCalls<DecidingCalls>(
        {
          execute: (sent) => this.#surroundings.timers().execute(sent),
          executeNew: (sent) => this.#surroundings.timers().executeNew(sent),
          find: (identity) => this.#surroundings.timers().find(identity),
          takeRequest: async (key) => this.#surroundings.parts().limits.take(key as Principal),
        },
        send,
      ),
    }
  }

  #take(message: FromEntry): void {
    const life = this.#life!
    if ('call' in message) life.answer(message)
    else if ('answered' in message) life.entry.take(message)
    else if ('tunnel' in message) life.tunnels.take(message)
    else writeLine(this.#options.logger, message.log)
  }

  /** Null when it died before it answered. */
  async #unlessItDies<T>(answer: Promise<T>): Promise<T | null> {
    try {
      return await answer
    } catch (error) {
      if (this.isReady) throw error
      return null
    }
  }

  /** A thread that takes the place of one that died. */
  #listenAgain(): void {
    const at = this.#surroundings.at()
    if (at === null) return
    this.listen(at).catch((error: unknown) =>
      this.#options.logger.error({ err: error, ...at }, 'a thread cannot listen; the others do'),
    )
  }

  #keys(): EntryData['keys'] {
    return this.#options.keys?.entries.map(plainKey) ?? null
  }
}

type Life = {
  readonly entry: Caller<EntryCalls>
  readonly tunnels: Tunnels
  readonly answer: ReturnType<typeof answerCalls>
}

const CLOSED_AFTER_GRACE_MS = 1_000 // a thread that has not closed by then has nobody to answer
