// A firing is delivered at least once: again when the answer to it was lost, or when the service was killed before it had stored
// the answer. The delivery id is the same each time, and this remembers what was answered to it.

import { fail } from './handler.ts'
import type { Firing, FiringAnswer, FiringFunction } from './handler.ts'

/** What is known of a delivery: nothing, and from now on it is the caller's; that it is being processed; or how it was answered. */
export type DeliveryClaim = 'new' | 'busy' | { readonly answer: FiringAnswer }

/** Where answers are remembered. Receivers of several processes share one, in a database for example. */
export type DeliveryMemory = {
  claim(deliveryId: string): DeliveryClaim | Promise<DeliveryClaim>
  /** It has been processed, and this is the answer to it from now on. */
  keep(deliveryId: string, answer: FiringAnswer): void | Promise<void>
  /** It failed: the next attempt is to process it. */
  release(deliveryId: string): void | Promise<void>
}

/** `handler(deduplicated(async (firing) => { … }), { secret })`: each firing is processed once, however often it is delivered. */
export function deduplicated<Payload = unknown>(
  run: FiringFunction<Payload>,
  memory: DeliveryMemory = new RecentDeliveries(),
): FiringFunction<Payload> {
  return async (firing: Firing<Payload>) => {
    const { deliveryId } = firing
    const claim = await memory.claim(deliveryId)
    if (claim === 'busy') return fail('this delivery is being processed already', { retryAfterSeconds: 1 })
    if (claim !== 'new') return claim.answer
    let answer: FiringAnswer
    try {
      answer = await run(firing)
    } catch (error) {
      await memory.release(deliveryId)
      throw error
    }
    await (isFinal(answer) ? memory.keep(deliveryId, answer) : memory.release(deliveryId))
    return answer
  }
}

/** Done, again at another time, or gone; all else is a failure, after which the same delivery is to be processed. */
function isFinal(answer: FiringAnswer): boolean {
  return !answer || answer.status === 410 || (answer.body !== null && 'nextExecuteAt' in answer.body)
}

const DELIVERIES_MAX = 10_000 // about 2 MB; a delivery comes again within seconds or minutes, not after so many others

/** In memory only, and only so many: the oldest ones are forgotten first. */
export class RecentDeliveries implements DeliveryMemory {
  readonly #claims = new Map<string, Exclude<DeliveryClaim, 'new'>>()
  readonly #max: number

  constructor(max = DELIVERIES_MAX) {
    this.#max = max
  }

  claim(deliveryId: string): DeliveryClaim {
    const known = this.#claims.get(deliveryId)
    if (known !== undefined) return known
    this.#claims.set(deliveryId, 'busy')
    if (this.#claims.size > this.#max) this.#claims.delete(this.#claims.keys().next().value!)
    return 'new'
  }

  keep(deliveryId: string, answer: FiringAnswer): void {
    this.#claims.set(deliveryId, { answer })
  }

  release(deliveryId: string): void {
    this.#claims.delete(deliveryId)
  }
}
