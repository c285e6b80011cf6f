// What was sent and not confirmed yet. Slots in an array, with one timer and one abort listener for all of them: a
// promise per message is all that a confirmation costs, at tens of thousands a second.

import type { Millis } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { BrokerError } from '../broker.ts'
import type { PublishOptions } from '../broker.ts'

type Waiting = {
  readonly serial: number
  readonly subject: string
  readonly deadline: Millis
  readonly signal: AbortSignal | undefined
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

const SWEEP_MS = 50

export class Confirmations {
  readonly #clock: Clock
  readonly #slots: (Waiting | null)[] = []
  readonly #free: number[] = []
  readonly #signals = new WeakSet<AbortSignal>()
  #serial = 0
  #isSweeping = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The ticket is one word and names this confirmation only. */
  open(
    subject: string,
    { timeoutMs, signal }: PublishOptions,
    resolve: () => void,
    reject: (reason: unknown) => void,
  ): string {
    const serial = this.#serial++
    const slot = this.#free.pop() ?? this.#slots.length
    this.#slots[slot] = { serial, subject, deadline: this.#clock.monotonic() + timeoutMs, signal, resolve, reject }
    if (signal !== undefined && !this.#signals.has(signal)) this.#watch(signal)
    if (!this.#isSweeping) this.#sweepLater()
    return `${slot}-${serial}`
  }

  /** Nobody waits for a ticket that was settled, timed out or never given. */
  confirm(ticket: string): void {
    this.#take(ticket)?.resolve()
  }

  reject(ticket: string, reason: unknown): void {
    this.#take(ticket)?.reject(reason)
  }

  /** All of them, or those sent to one subject. */
  rejectAll(reason: unknown, subject?: string): void {
    this.#rejectThose(
      (waiting) => subject === undefined || waiting.subject === subject,
      () => reason,
    )
  }

  #take(ticket: string): Waiting | null {
    const dash = ticket.indexOf('-')
    const slot = Number(ticket.slice(0, dash))
    const waiting = this.#slots[slot] ?? null
    if (waiting === null || waiting.serial !== Number(ticket.slice(dash + 1))) return null
    this.#slots[slot] = null
    this.#free.push(slot)
    return waiting
  }

  #rejectThose(isMeant: (waiting: Waiting) => boolean, reasonFor: (waiting: Waiting) => unknown): void {
    for (const [slot, waiting] of this.#slots.entries()) {
      if (waiting === null || !isMeant(waiting)) continue
      this.#slots[slot] = null
      this.#free.push(slot)
      waiting.reject(reasonFor(waiting))
    }
  }

  #watch(signal: AbortSignal): void {
    this.#signals.add(signal)
    signal.addEventListener(
      'abort',
      () =>
        this.#rejectThose(
          (waiting) => waiting.signal === signal,
          () => signal.reason,
        ),
      { once: true },
    )
  }

  /** A little early rather than late: whoever waits has promised somebody to be done by then. */
  #sweep(): void {
    const until = this.#clock.monotonic() + SWEEP_MS
    this.#rejectThose(({ deadline }) => deadline <= until, notConfirmed)
    this.#isSweeping = false
    if (this.#free.length < this.#slots.length) this.#sweepLater()
  }

  #sweepLater(): void {
    this.#isSweeping = true
    this.#clock.after(SWEEP_MS, () => this.#sweep())
  }
}

function notConfirmed({ subject }: Waiting): BrokerError {
  return new BrokerError('timeout', `the broker did not confirm the message on '${subject}' in time`)
}
