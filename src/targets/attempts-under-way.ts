// The attempts that end when a signal aborts. The engine gives all deliveries one signal, so there is one listener
// for all of them: adding and removing one per delivery costs more than the delivery's own bookkeeping.

import { UnorderedList } from '../core/unordered-list.ts'
import type { ListItem } from '../core/unordered-list.ts'

export interface CancelableAttempt extends ListItem {
  cancel(reason: unknown): void
}

export class AttemptsUnderWay {
  static readonly #bySignal = new WeakMap<AbortSignal, AttemptsUnderWay>()
  readonly #attempts = new UnorderedList<CancelableAttempt>()

  static until(signal: AbortSignal): AttemptsUnderWay {
    const known = AttemptsUnderWay.#bySignal.get(signal)
    if (known) return known
    const underWay = new AttemptsUnderWay(signal)
    AttemptsUnderWay.#bySignal.set(signal, underWay)
    return underWay
  }

  private constructor(signal: AbortSignal) {
    const cancelAll = () => {
      // Each one removes itself when it ends.
      for (const attempt of this.#attempts) attempt.cancel(signal.reason)
    }
    signal.addEventListener('abort', cancelAll, { once: true })
  }

  add(attempt: CancelableAttempt): void {
    this.#attempts.add(attempt)
  }

  remove(attempt: CancelableAttempt): void {
    this.#attempts.remove(attempt)
  }
}
