// Wakes the shards of this node: when something of theirs is due, and now and then in case something was missed. While
// others may have claimed the shards, it lets them sleep.

import type { Millis } from '../core/timer/timer.ts'
import { sleep } from '../runtime/clock/clock.ts'
import type { Cancel, Clock } from '../runtime/clock/clock.ts'
import type { Logger } from '../runtime/telemetry/logger.ts'
import type { Store } from '../store/store.ts'
import type { CommitQueue } from './commit/commit-queue.ts'
import type { Dispatcher } from './delivery/dispatcher.ts'
import { Driver } from './wake/driver.ts'
import type { OpenShards } from './open-shards.ts'

export type WakerParts = {
  readonly clock: Clock
  readonly store: Pick<Store, 'dueShards'>
  readonly logger: Logger
  readonly shards: OpenShards
  readonly dispatcher: Dispatcher
  readonly commits: CommitQueue
  readonly pollIntervalMs: Millis
  /** False while this node cannot be sure that its shards are still its own. */
  readonly isCertain: () => boolean
  /** Asks the store whether they are. */
  readonly lookNow: () => Promise<void>
}

const UNCERTAIN_RETRY_MS = 50

export class Waker {
  readonly #parts: WakerParts
  readonly #driver: Driver
  #cancelPoll: Cancel | null = null
  #wasCertain = true

  constructor(parts: WakerParts) {
    this.#parts = parts
    this.#driver = new Driver(parts.clock, (now) => this.#wake(now))
  }

  start(): void {
    this.#driver.start()
    this.#pollLater()
  }

  stop(): void {
    this.#driver.stop()
    this.#cancelPoll?.()
  }

  /** What is due by now starts at once, whatever else this turn of the event loop still has to do. */
  lookMeanwhile(): void {
    this.#driver.lookMeanwhile()
  }

  /** When it wakes next; Infinity for not at all. */
  get nextAt(): Millis {
    return this.#driver.nextAt
  }

  /** Something is due at `at`: wake then, if not before. */
  wakeBy(at: Millis): void {
    this.#driver.wakeBy(at)
  }

  /**
   * For a clock that is moved by hand. Does what is due by now and waits until none of it is under way any more: no
   * delivery, no write, no page being read. Answers when something is due next; Infinity for never.
   */
  async quiet(): Promise<Millis> {
    const { clock, shards, commits, dispatcher, isCertain } = this.#parts
    for (;;) {
      this.#driver.lookNow()
      // What has just ended may go on in the same turn: an outcome into a commit, a commit into the window.
      await new Promise<void>((resolve) => setImmediate(resolve))
      const busy = [...shards].filter((shard) => shard.isBusy)
      const isIdle = busy.length === 0 && commits.length === 0 && !dispatcher.isPausing
      const isQuiet = isIdle && this.#driver.nextAt > clock.now()
      if (isQuiet && isCertain()) return this.#driver.nextAt
      await Promise.all([commits.idle(), ...busy.map((shard) => shard.ended())])
      if (!isCertain()) await sleep(clock, UNCERTAIN_RETRY_MS)
    }
  }

  #wake(now: Millis): Millis {
    const { shards, dispatcher } = this.#parts
    if (!this.#askIfUncertain()) return now + UNCERTAIN_RETRY_MS
    let nextAt = Infinity
    for (const shard of shards) nextAt = Math.min(nextAt, shard.wake(now))
    dispatcher.run()
    return nextAt
  }

  /** Who wakes up on a machine that was suspended need not wait for the next beat to know what is still its own. */
  #askIfUncertain(): boolean {
    const isCertain = this.#parts.isCertain()
    if (this.#wasCertain && !isCertain) this.#parts.lookNow().catch(() => {})
    this.#wasCertain = isCertain
    return isCertain
  }

  #pollLater(): void {
    const { clock, pollIntervalMs } = this.#parts
    this.#cancelPoll = clock.after(pollIntervalMs, () => {
      void this.#poll()
      this.#pollLater()
    })
  }

  /**
   * The safety net: nothing in the product depends on it. The store is asked once for all shards, and only those that have
   * something due are looked through. While timers wait for a slot, what is due is known anyway.
   */
  async #poll(): Promise<void> {
    const { clock, store, logger, shards, dispatcher } = this.#parts
    const open = new Map([...shards].flatMap((one) => [one.id, ...(one.split?.parts ?? [])].map((id) => [id, one])))
    if (open.size === 0 || dispatcher.isBehind) return
    try {
      const due = await store.dueShards({ shards: [...open.keys()], until: clock.now() })
      for (const shard of new Set(due.map((id) => open.get(id)!))) void shard.repair()
    } catch (error) {
      logger.warn({ err: error }, 'could not ask the store for due timers; trying again at the next look')
    }
  }
}
