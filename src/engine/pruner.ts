// Removes finished timers once their retention is over, in small batches with pauses, so that neither the store's
// writer nor its log is busy with it for long.

import { sleep } from '../runtime/clock.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Store } from '../store/store.ts'

const BATCH = 500
const BETWEEN_BATCHES_MS = 50
const BETWEEN_ROUNDS_MS = 10_000

export class Pruner {
  readonly #store: Store
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null

  constructor(options: { store: Store; clock: Clock; logger: Logger }) {
    this.#store = options.store
    this.#clock = options.clock
    this.#logger = options.logger
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    let waitMs = BETWEEN_ROUNDS_MS
    while (!signal.aborted) {
      try {
        await sleep(this.#clock, waitMs, signal)
        const deleted = await this.#store.prune({ now: this.#clock.now(), limit: BATCH })
        waitMs = deleted === BATCH ? BETWEEN_BATCHES_MS : BETWEEN_ROUNDS_MS
      } catch (error) {
        if (signal.aborted) return
        waitMs = BETWEEN_ROUNDS_MS
        this.#logger.warn({ err: error }, 'could not prune finished timers; trying again later')
      }
    }
  }
}
