// Calls that are made at the same time share requests: what waits while requests are under way goes with the next one, as
// one batch. Nothing is delayed for it. A call that is alone goes at once, as a request of its own.

import { BATCH_TIMERS_MAX } from '../generated.ts'
import type { BatchAnswer } from '../generated.ts'
import { countedAs, DuetimeError } from '../errors.ts'
import { platform } from '../platform.ts'
import type { AbortSignalLike } from '../platform.ts'
import { itemError, timeoutError } from './answers.ts'
import { msUntil } from './time-limit.ts'
import type { Answer, Budget } from './transport.ts'

const REQUESTS_MAX = 2 // one is answered while the next one is on its way; more would only make the batches smaller
const HALVED_MIN = 16 // so many that wait go in two requests, so that client and service work at the same time; fewer are not worth a second one
const SLOW_MS = 100 // a request that takes longer waits for something that others need not wait for
const SLOW_REQUESTS_MAX = 62
const BATCH_CHARS_MAX = 300_000 // below the 200,000 values and the 8 MiB that the server takes, however short the values and long the characters

/** An attempt of one call. */
export type GatheredAttempt = {
  /** What it is in a batch, as JSON. */
  readonly item: string
  /** Sends it as a request of its own. */
  readonly alone: () => Promise<Answer>
  readonly attempts: number
  readonly budget: Budget
}

/** Sends these items in one request, once. */
export type SendBatch = (items: readonly string[]) => Promise<Answer>

export class Gatherer {
  readonly #sendBatch: SendBatch
  readonly #halves: boolean
  #waiting: Waiting[] = []
  #underWay = 0
  #slow = 0
  #isPlanned = false
  /** The calls that have no answer, and when the first of them has no more time. */
  readonly #open = new Set<Waiting>()
  #firstEndAt = Infinity
  #timer: unknown

  /** `halves`: many that wait go in two requests. */
  constructor(sendBatch: SendBatch, { halves }: { readonly halves: boolean }) {
    this.#sendBatch = sendBatch
    this.#halves = halves
  }

  /** What the attempt came to, as if it had been sent alone. */
  send(attempt: GatheredAttempt): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const waiting = new Waiting(attempt, resolve, reject, this)
      if (waiting.isOver) return
      this.#waiting.push(waiting)
      this.#watch(waiting)
      if (this.#isPlanned) return
      this.#isPlanned = true
      // After the calls that are made in this turn.
      void Promise.resolve().then(() => {
        this.#isPlanned = false
        this.#flush()
      })
    })
  }

  /** Called for each as it is settled. */
  ended(waiting: Waiting): void {
    this.#open.delete(waiting)
    if (this.#open.size > 0) return
    platform.clearTimeout(this.#timer)
    this.#firstEndAt = Infinity
  }

  /** One timer for all: it costs as much as the rest of a call to start one for each, and hardly any comes to its end. */
  #watch(waiting: Waiting): void {
    this.#open.add(waiting)
    if (waiting.endAt >= this.#firstEndAt) return
    platform.clearTimeout(this.#timer)
    this.#firstEndAt = waiting.endAt
    this.#timer = platform.setTimeout(() => this.#endThoseInTime(), msUntil(waiting.endAt))
  }

  #endThoseInTime(): void {
    const now = platform.performance.now()
    this.#firstEndAt = Infinity
    for (const waiting of [...this.#open]) if (waiting.endAt <= now) waiting.timeOut()
    for (const waiting of this.#open) this.#watch(waiting)
  }

  #flush(): void {
    while (this.#waiting.length > 0 && this.#underWay < REQUESTS_MAX && this.#slow < SLOW_REQUESTS_MAX) {
      const isHalved = this.#halves && this.#underWay === 0 && this.#waiting.length >= HALVED_MIN
      const items = this.#next(isHalved ? Math.ceil(this.#waiting.length / 2) : Infinity)
      if (items.length > 0) void this.#request(items)
    }
  }

  /** The first of those that wait, as many as a request takes. */
  #next(max: number): Waiting[] {
    let [count, chars] = [0, 0]
    for (const { item } of this.#waiting) {
      chars += item.length
      if (count === max || count === BATCH_TIMERS_MAX || (count > 0 && chars > BATCH_CHARS_MAX)) break
      count++
    }
    const isAll = count === this.#waiting.length
    const items = isAll ? this.#waiting : this.#waiting.splice(0, count)
    if (isAll) this.#waiting = []
    return items.filter(({ isOver }) => !isOver)
  }

  async #request(items: readonly Waiting[]): Promise<void> {
    let isSlow = false
    this.#underWay++
    const timer = platform.setTimeout(() => {
      isSlow = true
      this.#underWay--
      this.#slow++
      this.#flush()
    }, SLOW_MS)
    await this.#send(items)
    platform.clearTimeout(timer)
    if (isSlow) this.#slow--
    else this.#underWay--
    this.#flush()
  }

  /** Never rejects: each of the items hears what became of it. */
  async #send(given: readonly Waiting[]): Promise<void> {
    const items = given.filter(({ isOver }) => !isOver) // a call may end while the first half is under way
    if (items.length === 0) return
    try {
      if (items.length === 1) return items[0]!.resolve(await items[0]!.alone())
      const { body, ...about } = await this.#sendBatch(items.map(({ item }) => item))
      const { results, plainTimer } = body as BatchAnswer
      for (let index = 0; index < items.length; index++) {
        const item = items[index]!
        const result = results[index]!
        if (result.error !== undefined) item.reject(itemError(result, { ...about, attempts: item.attempts }))
        else if (result.made === undefined) item.resolve({ body: result.timer ?? null, ...about })
        else item.resolve({ body: result.made, short: { sent: item.item, plainTimer }, ...about })
      }
    } catch (error) {
      if (items.length === 1 || !isUnreadable(error)) {
        for (const item of items) item.reject(error instanceof DuetimeError ? countedAs(item.attempts, error) : error)
        return
      }
      // One of them makes the whole request one that the service does not read. The others are not to suffer from it.
      const half = Math.ceil(items.length / 2)
      await this.#send(items.slice(0, half))
      await this.#send(items.slice(half))
    }
  }
}

/** A call that waits for its answer. Its own time limit and signal end it, and not the request that it shares with others. */
class Waiting {
  readonly item: string
  readonly alone: () => Promise<Answer>
  readonly attempts: number
  readonly endAt: number
  isOver = false
  readonly #signal: AbortSignalLike | undefined
  readonly #onAbort: (() => void) | null
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (error: unknown) => void
  readonly #gatherer: Gatherer

  constructor(
    { item, alone, attempts, budget: { deadlineAt, signal } }: GatheredAttempt,
    resolve: (answer: Answer) => void,
    reject: (error: unknown) => void,
    gatherer: Gatherer,
  ) {
    this.item = item
    this.alone = alone
    this.attempts = attempts
    this.endAt = deadlineAt
    this.#resolve = resolve
    this.#reject = reject
    this.#gatherer = gatherer
    this.#signal = signal
    this.#onAbort = signal === undefined ? null : () => this.reject(signal.reason)
    if (this.#onAbort !== null) signal!.addEventListener('abort', this.#onAbort)
    if (signal?.aborted === true) this.reject(signal.reason)
  }

  resolve(answer: Answer): void {
    this.#end()
    this.#resolve(answer)
  }

  reject(error: unknown): void {
    this.#end()
    this.#reject(error)
  }

  timeOut(): void {
    this.reject(timeoutError(undefined, { requestId: '', attempts: this.attempts }))
  }

  #end(): void {
    this.isOver = true
    if (this.#onAbort !== null) this.#signal!.removeEventListener('abort', this.#onAbort)
    this.#gatherer.ended(this)
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof DuetimeError && (error.status === 400 || error.status === 413)
}
