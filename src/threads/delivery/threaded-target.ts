// The HTTP target whose requests are made by other threads. What timers may have as a target is judged here; an attempt
// goes to the thread with the fewest under way, the first of them when there is little to do, so that connections are used
// again. While no thread works, attempts are made on this one.

import { failedDelivery } from '../../core/timer/delivery.ts'
import type { DeliveryOutcome, Firing } from '../../core/timer/delivery.ts'
import type { HttpTarget as HttpAddress } from '../../core/targets/http.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { AttemptsUnderWay } from '../../targets/attempts-under-way.ts'
import type { CancelableAttempt } from '../../targets/attempts-under-way.ts'
import type { Callback, TargetAdapter } from '../../targets/target.ts'
import type { BatchedPort } from '../channel/batched-port.ts'
import { errorOf } from '../channel/failure.ts'
import { KeptThread } from '../kept-thread.ts'
import type { ReadyMessage, Thread } from '../kept-thread.ts'
import { startThread } from '../start-thread.ts'
import type { DeliveryData, FromDelivery, ToDelivery } from './messages.ts'

export type ThreadedTargetOptions = {
  readonly count: number
  readonly config: Config
  readonly clock: Clock
  readonly logger: Logger
  /** The same on this thread. */
  readonly here: TargetAdapter<HttpAddress>
  /** A real thread, unless a test needs its clock in there. */
  readonly startThread?: (data: DeliveryData) => Thread
}

export class ThreadedTarget implements TargetAdapter<HttpAddress> {
  readonly type = 'http'
  readonly #here: TargetAdapter<HttpAddress>
  readonly #threads: readonly DeliveryThread[]
  readonly #groups = new WeakMap<AbortSignal, number>()
  #lastGroup = 0
  #closed: Promise<void> | null = null

  constructor(options: ThreadedTargetOptions) {
    this.#here = options.here
    this.#threads = Array.from({ length: options.count }, (_, index) => new DeliveryThread(options, index + 1))
  }

  /** Resolves when all threads work. */
  async start(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.start()))
  }

  /** Throws when some of them do not work: the others do. */
  check(): void {
    const missing = this.#threads.filter(({ isReady }) => !isReady).length
    if (missing > 0)
      throw new Error(`${missing} of ${this.#threads.length} threads for deliveries are being started again`)
  }

  refuse(callback: Callback<HttpAddress>, namespace: Namespace): string | null {
    return this.#here.refuse!(callback, namespace)
  }

  destinationOf(target: HttpAddress, namespace: Namespace): string {
    return this.#here.destinationOf(target, namespace)
  }

  deliver(firing: Firing, signal: AbortSignal): Promise<DeliveryOutcome> {
    const thread = this.#leastBusy()
    if (thread === null) return this.#here.deliver(firing, signal)
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      thread.deliver(firing, {
        group: this.#groupOf(signal),
        underWay: AttemptsUnderWay.until(signal),
        resolve,
        reject,
      })
    })
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    await Promise.all([this.#here.close(), ...this.#threads.map((thread) => thread.close())])
  }

  #leastBusy(): DeliveryThread | null {
    let least: DeliveryThread | null = null
    for (const thread of this.#threads)
      if (thread.isReady && (least === null || thread.attempts < least.attempts)) least = thread
    return least
  }

  #groupOf(signal: AbortSignal): number {
    const known = this.#groups.get(signal)
    if (known !== undefined) return known
    const group = ++this.#lastGroup
    this.#groups.set(signal, group)
    const abort = () => {
      for (const thread of this.#threads) thread.abortGroup(group)
    }
    signal.addEventListener('abort', abort, { once: true })
    return group
  }
}

type Settlement = {
  readonly group: number
  readonly underWay: AttemptsUnderWay
  readonly resolve: (outcome: DeliveryOutcome) => void
  readonly reject: (reason: unknown) => void
}

class DeliveryThread {
  readonly #thread: KeptThread<ToDelivery, FromDelivery>
  readonly #attempts = new Map<number, ThreadAttempt>()
  #port: BatchedPort<ToDelivery, FromDelivery | ReadyMessage> | null = null
  #last = 0
  #onIdle: () => void = () => {}

  constructor(options: ThreadedTargetOptions, number: number) {
    const { config, clock, logger, startThread: begin = (data) => startThread('delivery', data) } = options
    this.#thread = new KeptThread<ToDelivery, FromDelivery>(
      {
        start: () => begin({ config }),
        begun: (port) => (this.#port = port),
        take: (message) => this.#ended(message),
        ready: () => {},
        died: () => this.#died(),
      },
      { clock, logger },
      { thread: 'delivery', number },
    )
  }

  get isReady(): boolean {
    return this.#thread.isReady
  }

  /** Under way. */
  get attempts(): number {
    return this.#attempts.size
  }

  start(): Promise<void> {
    return this.#thread.start()
  }

  deliver(firing: Firing, settlement: Settlement): void {
    const number = ++this.#last
    const attempt = new ThreadAttempt(settlement, () => this.#forget(number))
    this.#attempts.set(number, attempt)
    this.#port!.send({ deliver: number, group: settlement.group, firing })
  }

  abortGroup(group: number): void {
    if (this.isReady) this.#port!.send({ abortGroup: group })
  }

  /** Resolves when what is under way has ended and the thread is gone. */
  async close(): Promise<void> {
    if (this.#attempts.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
    await this.#thread.stop()
  }

  #ended(message: FromDelivery): void {
    const attempt = this.#attempts.get(message.delivered)
    if (attempt === undefined) return // given up here before
    if ('failure' in message) attempt.cancel(errorOf(message.failure))
    else attempt.end(message.outcome)
  }

  /** The receivers may have got what was under way, or not, as after a connection that broke. */
  #died(): void {
    for (const attempt of [...this.#attempts.values()])
      attempt.end(failedDelivery('the thread that made the request ended'))
  }

  #forget(number: number): void {
    this.#attempts.delete(number)
    if (this.#attempts.size === 0) this.#onIdle()
  }
}

/** Ends once: by its outcome, or by its signal. */
class ThreadAttempt implements CancelableAttempt {
  place = -1
  readonly #settlement: Settlement
  readonly #onEnded: () => void

  constructor(settlement: Settlement, onEnded: () => void) {
    this.#settlement = settlement
    this.#onEnded = onEnded
    settlement.underWay.add(this)
  }

  end(outcome: DeliveryOutcome): void {
    this.#over()
    this.#settlement.resolve(outcome)
  }

  cancel(reason: unknown): void {
    this.#over()
    this.#settlement.reject(reason)
  }

  #over(): void {
    this.#settlement.underWay.remove(this)
    this.#onEnded()
  }
}
