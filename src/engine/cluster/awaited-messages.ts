// A node may see in the store that a shard was handed over to it before it has heard so from the node that had it. That
// message says which deliveries are under way, so the shard is not opened without it at once. A message can get lost,
// so it is not waited for without end either.

import type { Epoch, Millis, ShardId } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'

type Awaited = { readonly epoch: Epoch; readonly untilMono: number }

const TOLD_WITHIN_MS = 500 // after it was seen in the store; a message that takes longer is lost, or its sender is in trouble

export class AwaitedMessages {
  readonly #clock: Clock
  readonly #awaited = new Map<ShardId, Awaited>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether to wait for the message about the handover that made this epoch; the wait begins when that is first asked. */
  mayCome(shard: ShardId, epoch: Epoch): boolean {
    const now = this.#clock.monotonic()
    let awaited = this.#awaited.get(shard)
    if (awaited?.epoch !== epoch) this.#awaited.set(shard, (awaited = { epoch, untilMono: now + TOLD_WITHIN_MS }))
    return now < awaited.untilMono
  }

  /** Nothing more is expected. */
  forget(shard: ShardId): void {
    this.#awaited.delete(shard)
  }

  /** When all have come or are late; null when none is waited for. */
  get waitMs(): Millis | null {
    const lastAt = Math.max(...Array.from(this.#awaited.values(), ({ untilMono }) => untilMono))
    const waitMs = lastAt - this.#clock.monotonic()
    return waitMs > 0 ? waitMs : null
  }
}
