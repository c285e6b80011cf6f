// Single gets come one per request of a busy API, and a trip to another thread or server costs more than the lookup
// itself. While one is on its way the next ones gather, so that the load makes the batches.

import type { Timer, TimerUuid } from '../core/timer.ts'
import type { TimerKey } from './store.ts'
import { timersOf } from './timer-row.ts'
import type { Cell } from './timer-row.ts'

const BATCH_KEYS_MAX = 200 // decoding so many takes well under a millisecond of the main thread

type Ask = (uuids: readonly string[]) => Promise<readonly Cell[]>
type Waiting = { readonly key: TimerKey; readonly resolve: (timer: Timer | null) => void; readonly reject: (error: unknown) => void }

export class GatheredGets {
  readonly #ask: Ask
  #waiting: Waiting[] = []
  #underWay: Promise<void> | null = null

  constructor(ask: Ask) {
    this.#ask = ask
  }

  get(key: TimerKey): Promise<Timer | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject })
      this.#underWay ??= this.#askAll()
    })
  }

  async getMany(keys: readonly TimerKey[]): Promise<readonly (Timer | null)[]> {
    const timers: (Timer | null)[] = []
    for (let at = 0; at < keys.length; at += BATCH_KEYS_MAX) timers.push(...(await this.#lookUp(keys.slice(at, at + BATCH_KEYS_MAX))))
    return timers
  }

  /** Resolves when every get made so far has its answer. */
  async settled(): Promise<void> {
    await this.#underWay
  }

  async #askAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_KEYS_MAX)
      try {
        const timers = await this.#lookUp(batch.map(({ key }) => key))
        for (const [index, { resolve }] of batch.entries()) resolve(timers[index]!)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#underWay = null
  }

  async #lookUp(keys: readonly TimerKey[]): Promise<(Timer | null)[]> {
    const cells = await this.#ask(keys.map(({ uuid }) => uuid))
    const found = new Map<TimerUuid, Timer>(timersOf(cells).map((timer) => [timer.uuid, timer]))
    return keys.map(({ uuid, namespace, id }) => {
      const timer = found.get(uuid)
      return timer !== undefined && timer.id === id && timer.namespace === namespace ? timer : null
    })
  }
}
