// Gives back the memory that a load has left behind. V8 lets its heap grow to several times what is live while requests come
// fast, and keeps the pages when they have ended: a service that stored a million timers held 350 MiB, of which 30 were live. A full
// collection takes a tenth of a second for that, in which nothing else runs, so it is made when the thread has had nothing to do
// for a while and is free for long enough. It takes longer the more is live, so a heap that may be full of it is left alone.
// What comes after it is slower at first, as after a start: the next 4,000 calls cost half as much again.
// So a pause between two loads is not enough, and it is rare.

import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Cancel, Clock } from '../clock/clock.ts'

const MIB = 1_048_576
const LOOK_EVERY_MS = 10_000
const BUSY_SHARE = 0.02 // of the thread's time since the last look
const QUIET_LOOKS = 3 // one after the other: a pause between two loads is not the end of them
const WORTH_BYTES = 48 * MIB // grown by since the last collection
const HEAP_BYTES_MAX = 512 * MIB
const MS_PER_MIB = 3 // where all of it is live, on a machine with other load
const FREE_MS_MIN = 500
const AGAIN_AFTER_MS = 300_000 // a load that comes every minute is slowed down by it once in five minutes

export type SpareMemoryParts = {
  readonly clock: Clock
  /** Until when there is nothing to do, by the wall clock; not in the future while something is under way. */
  readonly freeUntil: () => number
  /** Others would notice a longer pause. */
  readonly pauseMaxMs: number
  readonly collect?: () => void
  /** What the thread's heap has taken from the machine. */
  readonly heapBytes?: () => number
  /** How much of its time the thread has been busy since it was last asked. */
  readonly busyShare?: () => number
}

export class SpareMemory {
  readonly #parts: Required<SpareMemoryParts>
  #cancel: Cancel | null = null
  #keptBytes = 0
  #collectedAt = -Infinity
  #quietLooks = 0

  constructor(parts: SpareMemoryParts) {
    const collect = parts.collect ?? fullCollection()
    this.#parts = { heapBytes, busyShare: busyShareOfThread(), ...parts, collect }
  }

  start(): void {
    this.#keptBytes = this.#parts.heapBytes()
    this.#parts.busyShare()
    this.#lookLater()
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = null
  }

  #lookLater(): void {
    this.#cancel = this.#parts.clock.after(LOOK_EVERY_MS, () => {
      this.#look()
      this.#lookLater()
    })
  }

  #look(): void {
    const { clock, collect, busyShare } = this.#parts
    this.#quietLooks = busyShare() > BUSY_SHARE ? 0 : this.#quietLooks + 1
    const bytes = this.#parts.heapBytes()
    this.#keptBytes = Math.min(this.#keptBytes, bytes)
    if (this.#quietLooks < QUIET_LOOKS || clock.monotonic() - this.#collectedAt < AGAIN_AFTER_MS) return
    if (bytes - this.#keptBytes < WORTH_BYTES || !this.#isFreeFor(bytes)) return
    collect()
    this.#keptBytes = this.#parts.heapBytes()
    this.#collectedAt = clock.monotonic()
  }

  /** Long enough for a collection of so much. */
  #isFreeFor(bytes: number): boolean {
    const { clock, freeUntil, pauseMaxMs } = this.#parts
    const mayTakeMs = (bytes / MIB) * MS_PER_MIB
    if (bytes > HEAP_BYTES_MAX || mayTakeMs > pauseMaxMs) return false
    return freeUntil() - clock.now() >= Math.max(FREE_MS_MIN, mayTakeMs)
  }
}

/** The one that V8 makes when memory has run out: it also gives back the space for new objects. */
function fullCollection(): () => void {
  setFlagsFromString('--expose-gc') // for contexts that are made from now on
  const collect = runInNewContext('gc') as (how: object) => void
  setFlagsFromString('--no-expose-gc')
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

function heapBytes(): number {
  return getHeapStatistics().total_physical_size
}

function busyShareOfThread(): () => number {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}
