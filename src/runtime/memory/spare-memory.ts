// Gives back the memory that a load has left behind. V8 lets its heap grow to several times what is live while requests come
// fast, and keeps the pages when they have ended: a service that stored a million timers held 350 MiB, of which 30 were live. A full
// collection takes a tenth of a second, in which nothing else runs, so it is made when the process has had nothing to do for a
// while and nothing is due soon.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Cancel, Clock } from '../clock/clock.ts'

const LOOK_EVERY_MS = 500
const BUSY_SHARE = 0.05 // of the thread's time since the last look
const WORTH_BYTES = 48 * 1_048_576 // grown by since the last collection
const FREE_MS = 500 // several times what a collection takes
const AGAIN_AFTER_MS = 30_000 // pauses of a load that comes in waves are not for this

export type SpareMemoryParts = {
  readonly clock: Clock
  /** When something is due next, by the wall clock. */
  readonly nextDueAt: () => number
  readonly collect?: () => void
  readonly residentBytes?: () => number
  /** How much of its time the thread has been busy since it was last asked. */
  readonly busyShare?: () => number
}

export class SpareMemory {
  readonly #parts: Required<SpareMemoryParts>
  #cancel: Cancel | null = null
  #keptBytes = 0
  #collectedAt = -Infinity

  constructor(parts: SpareMemoryParts) {
    this.#parts = { collect: fullCollection(), residentBytes, busyShare: busyShareOfThread(), ...parts }
  }

  start(): void {
    this.#keptBytes = this.#parts.residentBytes()
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
    const { clock, collect, nextDueAt, residentBytes: resident, busyShare } = this.#parts
    if (busyShare() > BUSY_SHARE || clock.monotonic() - this.#collectedAt < AGAIN_AFTER_MS) return
    if (resident() - this.#keptBytes < WORTH_BYTES || nextDueAt() - clock.now() < FREE_MS) return
    collect()
    this.#keptBytes = resident()
    this.#collectedAt = clock.monotonic()
  }
}

/** The one that V8 makes when memory has run out: it also gives back the space for new objects. */
function fullCollection(): () => void {
  setFlagsFromString('--expose-gc') // for contexts that are made from now on
  const collect = runInNewContext('gc') as (how: object) => void
  setFlagsFromString('--no-expose-gc')
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

function residentBytes(): number {
  return process.memoryUsage.rss()
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
