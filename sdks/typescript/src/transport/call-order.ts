// The calls of one client on one timer are carried out in the order in which they were made, whether or not the program
// waits for each: an update and the cancel after it mean that order. Calls on different timers do not wait for each other.

import { timeoutError } from './answers.ts'
import type { Budget } from './transport.ts'
import { TimeLimit } from './time-limit.ts'

type Turn = () => void

/** Of nearly all timers there is one call at a time. */
const NOBODY: readonly Turn[] = []

export class CallOrder {
  /** By timer, the calls that wait behind the one under way. Only timers with a call under way are in here. */
  readonly #waiting = new Map<string, readonly Turn[]>()

  async run<T>(timer: string, budget: Budget, call: () => Promise<T>): Promise<T> {
    const others = this.#waiting.get(timer)
    if (others === undefined) this.#waiting.set(timer, NOBODY)
    else await this.#turn(timer, others, budget)
    try {
      return await call()
    } finally {
      this.#next(timer)
    }
  }

  /** Rejects when the time of the waiting call is over first, or its signal aborts. */
  #turn(timer: string, others: readonly Turn[], { deadlineAt, signal }: Budget): Promise<void> {
    return new Promise((resolve, reject) => {
      const limit = new TimeLimit(deadlineAt, signal)
      const turn = () => {
        limit.clear()
        resolve()
      }
      limit.onEnd = () => {
        this.#waiting.set(
          timer,
          this.#waiting.get(timer)!.filter((other) => other !== turn),
        )
        limit.clear()
        reject(limit.isOver ? timeoutError(undefined, { requestId: '', attempts: 0 }) : (signal!.reason as Error))
      }
      this.#waiting.set(timer, [...others, turn])
    })
  }

  #next(timer: string): void {
    const [turn, ...others] = this.#waiting.get(timer)!
    if (turn === undefined) this.#waiting.delete(timer)
    else {
      this.#waiting.set(timer, others)
      turn()
    }
  }
}
