// While a call is on its way the next ones gather and go together, so that the load makes the batches. Single gets come one per
// request of a busy API, and a trip to another thread or server costs more than the lookup itself.

import type { Timer } from '../core/timer/timer.ts'
import type { TimerKey, TimerStore } from './store.ts'

const BATCH_KEYS_MAX = 200 // decoding so many takes well under a millisecond of the main thread

export class GatheredGets {
  readonly #calls: GatheredCalls<TimerKey, Timer | null>

  constructor(store: Pick<TimerStore, 'getMany'>) {
    this.#calls = new GatheredCalls((keys) => store.getMany(keys), BATCH_KEYS_MAX)
  }

  get(key: TimerKey): Promise<Timer | null> {
    return this.#calls.call(key)
  }
}

type Waiting<Request, Answer> = {
  readonly request: Request
  readonly resolve: (answer: Answer | Promise<Answer>) => void
  readonly reject: (error: unknown) => void
}

export class GatheredCalls<Request, Answer> {
  readonly #ask: (requests: readonly Request[]) => Promise<readonly (Answer | Promise<Answer>)[]>
  readonly #batchMax: number
  #waiting: Waiting<Request, Answer>[] = []
  #isAsking = false

  /** `ask` answers in the order of the requests. */
  constructor(ask: (requests: readonly Request[]) => Promise<readonly (Answer | Promise<Answer>)[]>, batchMax: number) {
    this.#ask = ask
    this.#batchMax = batchMax
  }

  call(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      if (!this.#isAsking) void this.#askAll()
    })
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#batchMax)
      try {
        const answers = await this.#ask(batch.map(({ request }) => request))
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isAsking = false
  }
}
