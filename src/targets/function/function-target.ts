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
import type { Cancel, Clock } from '../../runtime/clock/clock.ts'
import { AttemptsUnderWay } from '../attempts-under-way.ts'
import type { CancelableAttempt } from '../attempts-under-way.ts'
import type { TargetAdapter } from '../target.ts'

/** Resolves with what came of it, or rejects with why it failed. */
export type TimerFunction = (firing: Firing, call: OngoingCall) => Promise<DeliveryOutcome>

/** `signal` aborts when nobody waits any more. It is made when it is asked for: most functions never do. */
export type OngoingCall = { readonly signal: AbortSignal }

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

  deliver(firing: Firing, stopping: AbortSignal): Promise<DeliveryOutcome> {
    return new Promise((resolve, reject) => {
      if (stopping.aborted) return reject(stopping.reason)
      const registered = this.#functions.get(firing.timer.namespace)
      // The engine asks isOpen in the same turn.
      if (registered === undefined)
        throw new TypeError(`no function is registered for namespace '${firing.timer.namespace}'`)
      const settlement = { resolve, reject, underWay: AttemptsUnderWay.until(stopping) }
      const call = new FunctionCall(firing, registered, this.#clock, settlement)
      // A program does not find its functions called inside a call of its own, such as a create.
      queueMicrotask(() => call.start())
    })
  }

  async close(): Promise<void> {}
}

type Settlement = {
  readonly resolve: (outcome: DeliveryOutcome) => void
  readonly reject: (reason: unknown) => void
  readonly underWay: AttemptsUnderWay
}

/** It ends once: by what the function does, by its time limit, or by `cancel`. */
class FunctionCall implements CancelableAttempt, OngoingCall {
  place = -1
  readonly #firing: Firing
  readonly #registered: Registered
  readonly #settlement: Settlement
  readonly #cancelTimeout: Cancel
  #controller: AbortController | null = null
  /** Why nobody waits any more; null while somebody does, or when the function has ended. */
  #givenUp: { readonly reason: unknown } | null = null
  #isOver = false

  constructor(firing: Firing, registered: Registered, clock: Clock, settlement: Settlement) {
    this.#firing = firing
    this.#registered = registered
    this.#settlement = settlement
    this.#cancelTimeout = clock.after(firing.timer.timeoutMs, () => this.#onTimeout())
    registered.running++
    settlement.underWay.add(this)
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController()
      if (this.#givenUp !== null) this.#controller.abort(this.#givenUp.reason)
    }
    return this.#controller.signal
  }

  start(): void {
    if (this.#isOver) return
    this.#registered.call(this.#firing, this).then(
      (outcome) => this.#end() && this.#settlement.resolve(outcome),
      (error: unknown) => this.#end() && this.#settlement.resolve(failureOf(error)),
    )
  }

  cancel(reason: unknown): void {
    if (!this.#end()) return
    this.#settlement.reject(reason)
    this.#tell(reason)
  }

  #onTimeout(): void {
    if (!this.#end()) return
    const error = `timed out after ${formatInterval(this.#firing.timer.timeoutMs)}`
    this.#settlement.resolve(failedDelivery(error))
    this.#tell(new DOMException(error, 'TimeoutError'))
  }

  /** A function cannot be stopped from outside; it is told. */
  #tell(reason: unknown): void {
    this.#givenUp = { reason }
    this.#controller?.abort(reason)
  }

  /** True for the first caller only. */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#cancelTimeout()
    this.#registered.running--
    this.#settlement.underWay.remove(this)
    return true
  }
}

function failureOf(error: unknown): DeliveryOutcome {
  return failedDelivery(describe(error), { final: error instanceof FinalFailure })
}

const LANE_PREFIX = 'function:'

/** What is kept of an error is for people: its kind and its words. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `the function threw ${String(error)}`
  return error.message === '' ? error.name : `${error.name}: ${error.message}`
}
