// Keeps the window of a shard in step with the store, and the driver in step with the window: reads pages while there is
// room, takes in what has become durable, and says when something in it comes due.

import type { Millis, ShardId, Timer, TimerUuid } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { Entry } from './entry.ts'
import type { Window } from './window.ts'

export type KeeperParts = {
  readonly id: ShardId
  readonly window: Window
  readonly clock: Clock
  readonly logger: Logger
  /** The window has something due at this time. */
  readonly wakeBy: (at: Millis) => void
}

const READ_AGAIN_MS = 1_000 // after a failure of the store
const LOADED = Promise.resolve()

export class WindowKeeper {
  readonly #parts: KeeperParts
  readonly #stopped: AbortSignal
  #loading: Promise<void> | null = null
  #repairWanted = false

  /** `stopped` aborts when the shard is not to fire any more. */
  constructor(parts: KeeperParts, stopped: AbortSignal) {
    this.#parts = parts
    this.#stopped = stopped
  }

  get isLoading(): boolean {
    return this.#loading !== null
  }

  /** Resolves when the pages that are being read now are in. */
  async loaded(): Promise<void> {
    await this.#loading
  }

  /** Fills the window as far as it has room. One load at a time; it goes on by itself after a failure of the store. */
  load(now: Millis = this.#parts.clock.now()): Promise<void> {
    if (this.#loading !== null || this.#stopped.aborted || !this.#wantsRead(now)) return this.#loading ?? LOADED
    this.#loading = this.#loadAll().finally(() => (this.#loading = null))
    return this.#loading
  }

  /** Asks the store for due timers that are not known here, as a bug, a hand-made edit or a write of unknown outcome would leave behind. */
  repair(): Promise<void> {
    this.#repairWanted = true
    return this.load()
  }

  /** This is what the store holds now for the timer. */
  apply(timer: Timer): void {
    const now = this.#parts.clock.now()
    this.#parts.window.apply(timer, now)
    this.#parts.wakeBy(timer.wakeAt)
    void this.load(now)
  }

  /** A delivery is over, and this is what the store holds now for its timer; null when it holds nothing. */
  endDelivery(entry: Entry, row: Timer | null): void {
    const now = this.#parts.clock.now()
    this.#parts.window.endDelivery(entry, row, now)
    if (row !== null) this.#parts.wakeBy(row.wakeAt)
    void this.load(now)
  }

  /** It waits for its time again, which may be now. */
  putBack(entry: Entry): void {
    this.#parts.window.putBack(entry)
    this.#parts.wakeBy(entry.wakeAt)
  }

  /** Nothing keeps the timer from firing any more. */
  released(uuid: TimerUuid): void {
    const entry = this.#parts.window.get(uuid)
    if (entry?.state === 'held') this.putBack(entry)
  }

  async #loadAll(): Promise<void> {
    const { id: shard, window, clock, logger, wakeBy } = this.#parts
    try {
      while (!this.#stopped.aborted && this.#wantsRead(clock.now())) {
        if (this.#repairWanted) {
          this.#repairWanted = false
          const found = await window.repair(clock.now())
          if (found > 0) logger.warn({ shard, found }, 'found due timers that were not in memory')
        } else {
          await window.loadPage(clock.now())
        }
        wakeBy(window.nextAt(clock.now()))
      }
    } catch (error) {
      logger.error({ shard, err: error }, 'could not read timers from the store; trying again')
      wakeBy(clock.now() + READ_AGAIN_MS)
    }
  }

  #wantsRead(now: Millis): boolean {
    return this.#repairWanted || this.#parts.window.wantsPage(now)
  }
}
