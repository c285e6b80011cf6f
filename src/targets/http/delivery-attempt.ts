// One request under way and what becomes of it. It is undici's low-level handler: a delivery costs this object, a
// promise and a timer, and no streams, which at tens of thousands of deliveries a second is most of the cost.
//
// It ends exactly once: by an answer, a failure, its time limit, or `cancel`. Whatever undici reports afterwards
// is about a connection that nobody waits for any more, and is ignored.
//
// An answer begins with its status. From then on it is the protocol that judges it, whatever becomes of the body: a
// receiver that said 200 has done its work, though its connection broke afterwards.

import type { Dispatcher } from 'undici'
import { failedDelivery } from '../../core/timer/delivery.ts'
import type { DeliveryOutcome, Firing } from '../../core/timer/delivery.ts'
import type { Cancel, Clock } from '../../runtime/clock/clock.ts'
import type { AttemptsUnderWay, CancelableAttempt } from '../attempts-under-way.ts'
import { describeFailure, describeWait } from './failure-text.ts'
import type { OriginPool } from './origin-pools.ts'
import type { HttpProtocol, HttpResponse } from './protocol.ts'
import { STALE_WITHIN_MS } from './stale-connection.ts'
import type { ConnectionHistory } from './stale-connection.ts'

/** What all attempts of a target share. */
export type AttemptSurroundings = {
  readonly clock: Clock
  readonly history: ConnectionHistory
  readonly responseBytesMax: number
}

export type AttemptParts = {
  readonly firing: Firing
  readonly protocol: HttpProtocol
  readonly hostname: string
  readonly origin: OriginPool
  readonly request: Dispatcher.DispatchOptions
}

export type AttemptSettlement = {
  readonly resolve: (outcome: DeliveryOutcome) => void
  readonly reject: (reason: unknown) => void
  /** Has the attempt from its beginning to its end. */
  readonly underWay: AttemptsUnderWay
}

type ResponseHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

export class DeliveryAttempt implements Dispatcher.DispatchHandler, CancelableAttempt {
  place = -1
  readonly #surroundings: AttemptSurroundings
  readonly #parts: AttemptParts
  readonly #settlement: AttemptSettlement
  readonly #cancelTimeout: Cancel
  #controller: Dispatcher.DispatchController | null = null
  #isOver = false
  #isSecondTry = false
  #sentAt = 0
  #status = 0
  #responseStarted = false
  #headers: ResponseHeaders = {}
  #body: Buffer | null = null
  #more: Buffer[] | null = null
  #bodyBytes = 0

  constructor(surroundings: AttemptSurroundings, parts: AttemptParts, settlement: AttemptSettlement) {
    this.#surroundings = surroundings
    this.#parts = parts
    this.#settlement = settlement
    this.#cancelTimeout = surroundings.clock.after(parts.firing.timer.timeoutMs, () => this.#onTimeout())
    parts.origin.inFlight++
    settlement.underWay.add(this)
  }

  send(): void {
    this.#parts.origin.pool.dispatch(this.#parts.request, this)
  }

  cancel(reason: unknown): void {
    if (!this.#end()) return
    this.#hangUp()
    this.#settlement.reject(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it waited for a connection. Throwing drops the request and keeps the connection for another.
    if (this.#isOver) throw new Error('given up before it was sent')
    this.#controller = controller
    this.#sentAt = this.#surroundings.clock.monotonic()
  }

  onResponseStarted(): void {
    this.#responseStarted = true
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    // Informational responses (103 Early Hints) come before the real one.
    if (status < 200) return
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    if (this.#body === null) this.#body = chunk
    else (this.#more ??= [this.#body]).push(chunk)
    this.#bodyBytes += chunk.length
    if (this.#bodyBytes <= this.#surroundings.responseBytesMax) return
    this.#answered('with more than is read')
    this.#hangUp()
  }

  onResponseEnd(): void {
    this.#answered(null)
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#isOver) return
    if (this.#isStaleConnection(error)) {
      this.#isSecondTry = true
      this.#controller = null
      // Not from within undici's own clean-up of the connection that broke.
      queueMicrotask(() => this.#isOver || this.send())
      return
    }
    this.#brokeOff(describeFailure(error, { hostname: this.#parts.hostname, responseStarted: this.#responseStarted }))
  }

  #isStaleConnection(error: Error): boolean {
    const { clock, history } = this.#surroundings
    return (
      !this.#isSecondTry &&
      !this.#responseStarted &&
      history.brokeAfterReuse(error) &&
      clock.monotonic() - this.#sentAt < STALE_WITHIN_MS
    )
  }

  #onTimeout(): void {
    const waitedFor =
      this.#controller === null
        ? 'waiting for a connection'
        : this.#status === 0
          ? 'waiting for a response'
          : 'reading the response'
    this.#brokeOff(`timed out after ${describeWait(this.#parts.firing.timer.timeoutMs)} ${waitedFor}`)
    this.#hangUp()
  }

  #brokeOff(why: string): void {
    if (this.#status !== 0) this.#answered(`in part (${why})`)
    else if (this.#end()) this.#settlement.resolve(failedDelivery(why))
  }

  #answered(truncated: string | null): void {
    if (!this.#end()) return
    const bytes = this.#more === null ? this.#body : Buffer.concat(this.#more)
    const body = bytes === null ? '' : bytes.toString('utf8', 0, this.#surroundings.responseBytesMax)
    try {
      const { protocol, firing } = this.#parts
      const response = new ReceivedResponse(this.#status, this.#headers, body, truncated)
      this.#settlement.resolve(protocol.judge(response, firing, this.#surroundings.clock.now()))
    } catch (defect) {
      this.#settlement.reject(defect)
    }
  }

  /** True for the first caller only. */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#cancelTimeout()
    this.#parts.origin.inFlight--
    this.#settlement.underWay.remove(this)
    return true
  }

  /** The connection is in the middle of an exchange and of no use to anybody else. */
  #hangUp(): void {
    this.#controller?.abort(new Error('given up'))
  }
}

class ReceivedResponse implements HttpResponse {
  readonly status: number
  readonly body: string
  readonly truncated: string | null
  readonly #headers: ResponseHeaders

  constructor(status: number, headers: ResponseHeaders, body: string, truncated: string | null) {
    this.status = status
    this.#headers = headers
    this.body = body
    this.truncated = truncated
  }

  header(name: string): string | undefined {
    const value = this.#headers[name]
    return Array.isArray(value) ? value[0] : value
  }
}
