// Reads pages of a shard, one at a time, while commits go on beside it. A page may or may not have seen what is committed
// meanwhile; so that is noted, and whoever takes the page in lays it over the rows.

import type { Timer, TimerUuid } from '../../core/timer/timer.ts'
import type { DueScan } from '../../store/store.ts'
import { bytesOf } from './shares.ts'
import type { WindowLimits } from './shares.ts'

/** What the shard has, as `due` of the store says it. */
export type PageSource = (scan: Omit<DueScan, 'shard'>) => Promise<readonly Timer[]>

export type Reading = {
  readonly changes: Map<TimerUuid, Timer>
  changesBytes: number
  /** More has changed than there is room to note: the page says nothing any more and is read again. */
  isVoid: boolean
}

export class PageReader {
  readonly #due: PageSource
  readonly #limits: WindowLimits
  #reading: Reading | null = null

  constructor(options: { due: PageSource; limits: WindowLimits }) {
    this.#due = options.due
    this.#limits = options.limits
  }

  /** Changes are noted until `end`, which the caller does in the same turn in which it takes the rows in. */
  async read(scan: Omit<DueScan, 'shard'>): Promise<readonly Timer[]> {
    this.#reading = { changes: new Map(), changesBytes: 0, isVoid: false }
    try {
      return await this.#due(scan)
    } catch (error) {
      this.#reading = null
      throw error
    }
  }

  end(): Reading {
    const reading = this.#reading!
    this.#reading = null
    return reading
  }

  note(timer: Timer): void {
    const reading = this.#reading
    if (reading === null || reading.isVoid) return
    reading.changes.set(timer.uuid, timer)
    reading.changesBytes += bytesOf(timer)
    const { timersMax, bytesMax } = this.#limits
    reading.isVoid = reading.changes.size > timersMax || reading.changesBytes > bytesMax
    if (reading.isVoid) reading.changes.clear()
  }
}
