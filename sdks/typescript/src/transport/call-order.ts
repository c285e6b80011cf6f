// The calls of one client on one timer are carried out in the order in which they were made, whether or not the program
// waits for each: an update and the cancel after it mean that order. Calls on different timers do not wait for each other.

import { timeoutError } from './answers.ts'
import type { Budget } from './transport.ts'
import { TimeLimit } from './time-limit.ts'

export class CallOrder {
  /** By timer; settles when all calls so far have ended. Only timers with a call under way are in here. */
  readonly #last = new Map<string, Promise<unknown>>()

  run<T>(timer: string, budget: Budget, call: () => Promise<T>): Promise<T> {
    const before = this.#last.get(timer)
    const running = before === undefined ? call() : afterOthers(before, budget).then(call)
    const ended = before === undefined ? running : Promise.allSettled([before, running])
    const forget = () => {
      if (this.#last.get(timer) === ended) this.#last.delete(timer)
    }
    this.#last.set(timer, ended)
    ended.then(forget, forget)
    return running
  }
}

/** Rejects when the time of the waiting call is over first, or its signal aborts. */
function afterOthers(before: Promise<unknown>, { deadlineAt, signal }: Budget): Promise<void> {
  return new Promise((resolve, reject) => {
    const limit = new TimeLimit(deadlineAt, signal)
    const go = () => {
      limit.clear()
      resolve()
    }
    limit.onEnd = () =>
      reject(limit.isOver ? timeoutError(undefined, { requestId: '', attempts: 0 }) : (signal!.reason as Error))
    before.then(go, go)
  })
}
