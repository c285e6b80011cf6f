// Publishes the outbox of one shard, from its beginning, and removes what was confirmed. It walks from page to page; within
// a page all timers go side by side, but of one timer an event is sent only when the one before it was confirmed. So
// nothing that is refused, lost or late can let a later event of a timer overtake an earlier one. After a crash, or when the
// shard has moved, some are sent again, in the same order and with the same ids.

import { BrokerError } from '../../broker/broker.ts'
import type { ShardId, TimerUuid } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { OutboxEvent, Store } from '../../store/store.ts'
import { Removals } from './removals.ts'
import type { Semaphore } from '../../runtime/semaphore.ts'

export type ShardPublisherParts = {
  readonly shard: ShardId
  readonly store: Pick<Store, 'readEvents' | 'removeEvents'>
  /** Rejects with a BrokerError when the broker does not have it for good. */
  readonly publish: (event: OutboxEvent) => Promise<void>
  readonly isConnected: () => boolean
  readonly clock: Clock
  /** A page at a time, as many as the node can bear. */
  readonly turns: Semaphore
  /** It got to the end of the outbox, or did not. */
  readonly onWalk: (failure: Error | null) => void
}

const PAGE = 500 // some 400 KB; a confirmation costs a promise, not more
const HELD_UP_TIMERS_MAX = 10_000 // beyond that a walk goes no further; each is a uuid in a set
const AGAIN_FIRST_MS = 100 // a broker that restarts is back in a moment
const AGAIN_MAX_MS = 1_000

export class ShardPublisher {
  readonly #parts: ShardPublisherParts
  readonly #removals: Removals
  readonly #running: Promise<void>
  /** Everything up to here is published, and removed or about to be. */
  #after = 0
  #isWoken = false
  #isClosing = false
  #isStopped = false
  #isIdle = false
  #resume: (() => void) | null = null

  constructor(parts: ShardPublisherParts) {
    this.#parts = parts
    const remove = (numbers: readonly number[]) => parts.store.removeEvents({ shard: parts.shard, numbers })
    this.#removals = new Removals(remove, () => this.#beginAnew())
    this.#running = this.#run()
  }

  /** Nothing waits, as far as is known. */
  get isIdle(): boolean {
    return this.#isIdle
  }

  /** Events were written. */
  wake(): void {
    this.#isWoken = true
    if (this.#isIdle) this.#resume?.()
  }

  /** Something may be there that nobody told it about, also before what it has published. */
  lookAgain(): void {
    if (this.#isIdle) this.#beginAnew()
  }

  /** Ends at the end of the outbox, or when something fails. */
  close(): Promise<void> {
    this.#isClosing = true
    this.#resume?.()
    return this.#running
  }

  /** Sends nothing more; resolves when nothing is under way. */
  stop(): Promise<void> {
    this.#isStopped = true
    return this.close()
  }

  async #run(): Promise<void> {
    let againMs = AGAIN_FIRST_MS
    for (;;) {
      this.#isWoken = false
      const failure = await this.#walk()
      this.#parts.onWalk(failure)
      if (failure === null) {
        againMs = AGAIN_FIRST_MS
        this.#isIdle = true
        if (!this.#isWoken && !this.#isEnding) await this.#pause(Infinity)
        this.#isIdle = false
      } else {
        this.#after = 0
        if (!this.#isEnding) await this.#pause(againMs)
        againMs = Math.min(againMs * 2, AGAIN_MAX_MS)
      }
      if (this.#isStopped || (this.#isClosing && (failure !== null || !this.#isWoken))) break
    }
    await this.#removals.settled().catch(this.#parts.onWalk)
  }

  get #isEnding(): boolean {
    return this.#isClosing || this.#isStopped
  }

  /** Null when it got to the end and everything was published. */
  async #walk(): Promise<Error | null> {
    const { turns, isConnected } = this.#parts
    const heldUp = new Map<TimerUuid, Error>()
    try {
      // What is about to be removed must not be met again.
      if (this.#after === 0) await this.#removals.settled()
      for (let isLast = false; !isLast && !this.#isStopped;) {
        if (!isConnected()) return new BrokerError('disconnected', 'no connection to the broker')
        isLast = await turns.take(() => this.#publishPage(heldUp))
        if (heldUp.size > HELD_UP_TIMERS_MAX) break
      }
    } catch (error) {
      return error as Error
    }
    return heldUp.values().next().value ?? null
  }

  /** True for the last page. Rejects when it makes no sense to go on. */
  async #publishPage(heldUp: Map<TimerUuid, Error>): Promise<boolean> {
    const { store, shard } = this.#parts
    const page = await store.readEvents({ shard, after: this.#after, limit: PAGE })
    if (page.length === 0 || this.#isStopped) return true
    const published: number[] = []
    const timers = Map.groupBy(page, ({ uuid }) => uuid)
    await Promise.all(timers.values().map((events) => this.#publishInOrder(events, heldUp, published)))
    // Before the removal, whose failure sets it back.
    this.#after = page.at(-1)!.number
    await this.#removals.add(published)
    const stopped = heldUp.values().find(isHopeless)
    if (stopped !== undefined) throw stopped
    return page.length < PAGE
  }

  /** Up to the first that is not confirmed: those behind it wait for it. */
  async #publishInOrder(
    events: readonly OutboxEvent[],
    heldUp: Map<TimerUuid, Error>,
    published: number[],
  ): Promise<void> {
    const { uuid } = events[0]!
    for (const event of events) {
      if (heldUp.has(uuid) || this.#isStopped) return
      try {
        await this.#parts.publish(event)
        published.push(event.number)
      } catch (error) {
        heldUp.set(uuid, error as Error)
      }
    }
  }

  /** What could not be removed is met again, and the walk says why. */
  #beginAnew(): void {
    this.#after = 0
    this.wake()
  }

  /** Infinity: until it is woken. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = ms === Infinity ? null : this.#parts.clock.after(ms, () => this.#resume!())
      this.#resume = () => {
        cancel?.()
        this.#resume = null
        resolve()
      }
    })
  }
}

/** A refusal may be about one namespace; everything else will happen to the next event as well. */
function isHopeless(error: Error): boolean {
  return !(error instanceof BrokerError) || error.reason !== 'refused'
}
