// A thread that is there again soon after it has died: its work is lost, that of the others is not. One that dies again
// and again is started less and less often.

import type { Worker } from 'node:worker_threads'
import type { Cancel, Clock } from '../runtime/clock/clock.ts'
import type { Logger } from '../runtime/telemetry/logger.ts'
import { BatchedPort } from './channel/batched-port.ts'
import type { Port } from './channel/batched-port.ts'

/** The first message of a thread, when it works. */
export type ReadyMessage = { readonly type: 'ready' }

/** Of a Worker: what is needed of it. */
export type Thread = Port &
  Pick<Worker, 'terminate'> & { on(event: 'error' | 'exit', listener: (cause: unknown) => void): unknown }

/** What the owner of a thread has to say about it. */
export type ThreadPlan<Out, In> = {
  readonly start: () => Thread
  /** Called for each life of the thread, before any message. */
  readonly begun: (port: BatchedPort<Out, In | ReadyMessage>) => void
  readonly take: (message: In) => void
  /** It works, for the first time or again. */
  readonly ready: () => void
  /** Not called when it was stopped. */
  readonly died: () => void
}

type Surroundings = { readonly clock: Clock; readonly logger: Logger }

const RESTART_MS = 100
const RESTART_MAX_MS = 10_000
const WELL_AFTER_MS = 60_000 // a thread that lived so long did not die of its start

export class KeptThread<Out, In> {
  readonly #plan: ThreadPlan<Out, In>
  readonly #surroundings: Surroundings
  readonly #fields: Readonly<Record<string, unknown>>
  #worker: Thread | null = null
  #isReady = false
  #hasWorked = false
  #isStopped = false
  #waitMs = RESTART_MS
  #cancelRestart: Cancel = () => {}
  #firstStart = Promise.withResolvers<void>()

  constructor(plan: ThreadPlan<Out, In>, surroundings: Surroundings, fields: Readonly<Record<string, unknown>>) {
    this.#plan = plan
    this.#surroundings = surroundings
    this.#fields = fields
    this.#firstStart.promise.catch(() => {}) // a thread that fails before anybody waits for it
  }

  get isReady(): boolean {
    return this.#isReady
  }

  /** Resolves when it works. Rejects when it dies before: what is wrong then is so at every start. */
  start(): Promise<void> {
    this.#begin()
    return this.#firstStart.promise
  }

  /** Resolves when it is gone. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#isReady = false
    this.#cancelRestart()
    this.#firstStart.reject(new Error('stopped'))
    await this.#worker?.terminate()
  }

  #begin(): void {
    const worker = this.#plan.start()
    const begunAt = this.#surroundings.clock.monotonic()
    let cause: unknown
    this.#worker = worker
    this.#plan.begun(
      new BatchedPort<Out, In | ReadyMessage>(worker, (message) => {
        if (isReadyMessage(message)) this.#readyNow()
        else this.#plan.take(message)
      }),
    )
    worker.on('error', (error) => (cause = error))
    worker.on('exit', () => this.#ended(cause, begunAt))
  }

  #readyNow(): void {
    this.#isReady = true
    this.#hasWorked = true
    this.#plan.ready()
    this.#firstStart.resolve()
  }

  #ended(cause: unknown, begunAt: number): void {
    this.#isReady = false
    if (this.#isStopped) return
    if (!this.#hasWorked) return this.#firstStart.reject(cause ?? new Error('a thread ended before it worked'))
    const { clock, logger } = this.#surroundings
    if (clock.monotonic() - begunAt >= WELL_AFTER_MS) this.#waitMs = RESTART_MS
    logger.error({ ...this.#fields, err: cause, restartInMs: this.#waitMs }, 'a thread ended and is started again')
    this.#plan.died()
    this.#cancelRestart = clock.after(this.#waitMs, () => this.#begin())
    this.#waitMs = Math.min(2 * this.#waitMs, RESTART_MAX_MS)
  }
}

function isReadyMessage(message: unknown): message is ReadyMessage {
  return (message as ReadyMessage).type === 'ready'
}
