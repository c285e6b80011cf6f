// Ends an attempt, or a wait, after a time or when the caller's signal does. Most attempts are over long before, so what
// only an end needs is made when it is asked for.

import { platform } from '../platform.ts'
import type { AbortSignalLike } from '../platform.ts'
import type { Ending } from './exchange.ts'

const TIMEOUT_MAX_MS = 2 ** 31 - 1 // 25 days; what is longer would be over at once

/** What a timer of the platform takes. */
export function msUntil(endAt: number): number {
  return Math.min(Math.max(0, endAt - platform.performance.now()), TIMEOUT_MAX_MS)
}

export class TimeLimit implements Ending {
  /** The time is over; false when the caller's signal came first. */
  isOver = false
  onEnd: (() => void) | null = null
  #controller: InstanceType<typeof platform.AbortController> | null = null
  #isEnded = false
  readonly #timer: unknown
  readonly #outer: AbortSignalLike | undefined

  /** `endAt`: by `performance.now()`. */
  constructor(endAt: number, outer: AbortSignalLike | undefined) {
    this.#outer = outer
    this.#timer = platform.setTimeout(() => {
      this.isOver = true
      this.#end(undefined)
    }, msUntil(endAt))
    outer?.addEventListener('abort', this.#onAbort)
  }

  get signal(): AbortSignalLike {
    if (this.#controller === null) {
      this.#controller = new platform.AbortController()
      if (this.#isEnded || this.#outer?.aborted === true) this.#controller.abort(this.#outer?.reason)
    }
    return this.#controller.signal
  }

  clear(): void {
    platform.clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = () => this.#end(this.#outer?.reason)

  #end(reason: unknown): void {
    this.#isEnded = true
    this.#controller?.abort(reason)
    this.onEnd?.()
  }
}
