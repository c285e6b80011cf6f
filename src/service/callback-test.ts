// One delivery to a callback, now, to see whether it works: through the same targets as a timer's, with the same rules
// about addresses, the same signature and the same judgement of the answer. Nothing is stored and nothing is repeated.

import type { DeliveryOutcome, Firing } from '../core/timer/delivery.ts'
import { unavailable } from '../core/errors.ts'
import { deliveryId, timerIdentity } from '../core/timer/ids.ts'
import { emptyTimer } from '../core/rules/empty-timer.ts'
import { Status } from '../core/timer/timer.ts'
import type { Target } from '../core/targets/target.ts'
import type { JsonText, Millis, Namespace, Timer, TimerId } from '../core/timer/timer.ts'
import { targetFinder } from '../engine/delivery/target-finder.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import { randomUuidV7 } from '../runtime/uuid-v7.ts'
import type { TargetAdapter } from '../targets/target.ts'

/** Names the way of delivering that tests follow. No timer is ever stored with it. */
export const TEST_PROTOCOL = 'v1.test'
export const TEST_TIMEOUT_MAX_MS = 10_000 // somebody waits for the answer
const AT_ONCE_MAX = 20 // a test takes no slot from timers, so there are few
const RETRY_AFTER_MS = 1_000

export type CallbackTest = {
  readonly namespace: Namespace
  readonly target: Target
  readonly payload: JsonText | null
  readonly metadata: JsonText | null
  readonly timeoutMs: Millis
}

export type TestedCallback = {
  readonly outcome: DeliveryOutcome
  readonly durationMs: Millis
  readonly deliveryId: string
  readonly firedAt: Millis
  /** Null when there was none, or none that can be shown. */
  readonly answer: TestAnswer | null
}
export type TestAnswer = { readonly body: string; readonly truncated: boolean }

export type CallbackTestsOptions = {
  readonly targets: readonly TargetAdapter[]
  readonly clock: Clock
  /** What the receiver answered to this firing, for targets that can tell. */
  readonly answerTo: (firing: Firing) => TestAnswer | null
}

export class CallbackTests {
  readonly #options: CallbackTestsOptions
  readonly #stop = new AbortController()
  #underWay = 0
  readonly #underWayOf = new Map<string, number>()

  constructor(options: CallbackTestsOptions) {
    this.#options = options
  }

  /** `asker`: the name of the key. It may have as many under way as are left for others, as with the slots of deliveries. */
  async run(test: CallbackTest, asker: string): Promise<TestedCallback> {
    const own = this.#underWayOf.get(asker) ?? 0
    if (own >= AT_ONCE_MAX - this.#underWay)
      throw unavailable(`${own} callbacks are being tested with this key already`, RETRY_AFTER_MS)
    this.#count(asker, 1)
    try {
      return await this.#deliver(test)
    } finally {
      this.#count(asker, -1)
    }
  }

  #count(asker: string, change: 1 | -1): void {
    const own = (this.#underWayOf.get(asker) ?? 0) + change
    if (own === 0) this.#underWayOf.delete(asker)
    else this.#underWayOf.set(asker, own)
    this.#underWay += change
  }

  /** Idempotent. Tests under way end with an error. */
  async close(): Promise<void> {
    this.#stop.abort(unavailable('the service is stopping', RETRY_AFTER_MS))
    await Promise.all(this.#options.targets.map((target) => target.close()))
  }

  async #deliver(test: CallbackTest): Promise<TestedCallback> {
    const { targets, clock, answerTo } = this.#options
    const firedAt = clock.now()
    const timer = timerFor(test, firedAt)
    const firing: Firing = { timer, deliveryId: deliveryId(timer), attempt: 1, firedAt }
    const startedMonoMs = clock.monotonic()
    const outcome = await targetFinder(targets)(test.target).deliver(firing, this.#stop.signal)
    const durationMs = Math.round(clock.monotonic() - startedMonoMs)
    return { outcome, durationMs, deliveryId: firing.deliveryId, firedAt, answer: answerTo(firing) }
  }
}

/** As if it had been created for this very moment. */
function timerFor({ namespace, target, payload, metadata, timeoutMs }: CallbackTest, now: Millis): Timer {
  const id = `callback-test-${randomUuidV7()}` as TimerId
  return {
    ...emptyTimer(timerIdentity(namespace, id), now),
    status: Status.executing,
    target,
    protocol: TEST_PROTOCOL,
    payload,
    metadata,
    timeoutMs: Math.min(timeoutMs, TEST_TIMEOUT_MAX_MS),
  }
}
