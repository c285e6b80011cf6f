// Timers that have to wait, each for as long as one reason for it is left: a change on its way to the store, say, or a
// delivery that another node makes.

import type { TimerUuid } from '../../core/timer/timer.ts'

export class Holds {
  readonly #reasons = new Map<TimerUuid, number>()
  readonly #onFree: (uuid: TimerUuid) => void

  /** `onFree` is called when the last reason is gone. */
  constructor(onFree: (uuid: TimerUuid) => void = () => {}) {
    this.#onFree = onFree
  }

  has(uuid: TimerUuid): boolean {
    return this.#reasons.has(uuid)
  }

  hold(uuid: TimerUuid): void {
    this.#reasons.set(uuid, (this.#reasons.get(uuid) ?? 0) + 1)
  }

  release(uuid: TimerUuid): void {
    const others = this.#reasons.get(uuid)! - 1
    if (others > 0) {
      this.#reasons.set(uuid, others)
      return
    }
    this.#reasons.delete(uuid)
    this.#onFree(uuid)
  }
}
