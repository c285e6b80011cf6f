// Single gets come one per request of a busy API, and a trip to another thread or server costs more than the lookup
// itself. While one is on its way the next ones gather, so that the load makes the batches.

import type { Timer } from '../core/timer/timer.ts'
import type { TimerKey, TimerStore } from './store.ts'

const BATCH_KEYS_MAX = 200 // decoding so many takes well under a millisecond of the main thread

type Waiting = {
  readonly key: TimerKey
  readonly resolve: (timer: Timer | null) => void
  readonly reject: (error: unknown) => void
}

export class GatheredGets {
  readonly #store: Pick<TimerStore, 'getMany'>
  #waiting: Waiting[] = []
  #isAsking = false

  constructor(store: Pick<TimerStore, 'getMany'>) {
    this.#store = store
  }

  get(key: TimerKey): Promise<Timer | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject })
      if (!this.#isAsking) void this.#askAll()
    })
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_KEYS_MAX)
      try {
        const timers = await this.#store.getMany(batch.map(({ key }) => key))
        for (const [index, { resolve }] of batch.entries()) resolve(timers[index]!)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isAsking = false
  }
}
