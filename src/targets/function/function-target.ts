// Calls functions of the program this library is part of: one for each namespace. A function that returns has been
// delivered to; one that throws is tried again by the timer's policy, as a receiver that answers with an error would be.
//
// A program opens its timers before it has said what is to be called, and some may be overdue by then. So a namespace
// without a function is a closed destination: its timers wait where they are. Failing them instead would use up their attempts.

import { failedDelivery } from '../../core/timer/delivery.ts'
import type { DeliveryOutcome, Firing } from '../../core/timer/delivery.ts'
import { formatInterval } from '../../core/time/interval.ts'
import type { FunctionTarget as Target } from '../../core/targets/function.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { TargetAdapter } from '../target.ts'

/** Resolves with what came of it, or rejects with why it failed. `signal` aborts when nobody waits any more. */
export type TimerFunction = (firing: Firing, signal: AbortSignal) => Promise<DeliveryOutcome>

type Registered = { readonly call: TimerFunction; readonly concurrency: number; running: number }

/** Thrown by a function that wants no further attempt. */
export class FinalFailure extends Error {
  override readonly name = 'FinalFailure'
}

export class FunctionTarget implements TargetAdapter<Target> {
  readonly type = 'function'
  readonly isLocal = true
  readonly #clock: Clock
  /** A destination was opened, or has room again. */
  readonly #onOpen: () => void
  readonly #functions = new Map<string, Registered>()

  constructor(options: { clock: Clock; onOpen: () => void }) {
    this.#clock = options.clock
    this.#onOpen = options.onOpen
  }

  has(namespace: Namespace): boolean {
    return this.#functions.has(namespace)
  }

  /** `concurrency`: so many calls at once at most. Gives the way to take it back, after which timers wait again. */
  register(namespace: Namespace, call: TimerFunction, concurrency = Infinity): () => void {
    const registered: Registered = { call, concurrency, running: 0 }
    this.#functions.set(namespace, registered)
    this.#onOpen()
    return () => {
      if (this.#functions.get(namespace) === registered) this.#functions.delete(namespace)
    }
  }

  destinationOf(_target: Target, namespace: Namespace): string {
    return `${LANE_PREFIX}${namespace}`
  }

  isOpen(destination: string): boolean {
    const registered = this.#functions.get(destination.slice(LANE_PREFIX.length))
    return registered !== undefined && registered.running < registered.concurrency
  }

  async deliver(firing: Firing, signal: AbortSignal): Promise<DeliveryOutcome> {
    const registered = this.#functions.get(firing.timer.namespace)
    // The engine asks isOpen in the same turn.
    if (registered === undefined)
      throw new TypeError(`no function is registered for namespace '${firing.timer.namespace}'`)
    registered.running++
    try {
      await Promise.resolve() // a program does not find its functions called inside a call of its own, such as a create
      return await this.#call(registered, firing, signal)
    } finally {
      registered.running--
    }
  }

  async close(): Promise<void> {}

  #call({ call }: Registered, firing: Firing, stopping: AbortSignal): Promise<DeliveryOutcome> {
    return new Promise((resolve, reject) => {
      const own = new AbortController()
      const { timeoutMs } = firing.timer
      // A function cannot be stopped from outside; it is told, and nobody waits for it any more.
      const cancelTimeout = this.#clock.after(timeoutMs, () => {
        const error = `timed out after ${formatInterval(timeoutMs)}`
        end(() => resolve(failedDelivery(error)))
        own.abort(new DOMException(error, 'TimeoutError'))
      })
      const onStop = () => {
        end(() => reject(stopping.reason as Error))
        own.abort(stopping.reason)
      }
      const end = (settle: () => void) => {
        cancelTimeout()
        stopping.removeEventListener('abort', onStop)
        settle()
      }
      if (stopping.aborted) return onStop()
      stopping.addEventListener('abort', onStop, { once: true })
      call(firing, own.signal).then(
        (outcome) => end(() => resolve(outcome)),
        (error: unknown) =>
          end(() => resolve(failedDelivery(describe(error), { final: error instanceof FinalFailure }))),
      )
    })
  }
}

const LANE_PREFIX = 'function:'

/** What is kept of an error is for people: its kind and its words. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `the function threw ${String(error)}`
  return error.message === '' ? error.name : `${error.name}: ${error.message}`
}
