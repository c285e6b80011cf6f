// A durable consumer of the broker in memory: what was not acknowledged is delivered again.

import type { Millis } from '../../core/timer/timer.ts'
import type { Cancel, Clock } from '../../runtime/clock/clock.ts'
import type { BatchHandler, ConsumerSpec, Delivery, Ongoing } from '../broker.ts'
import type { StoredMessage } from './memory-broker.ts'

/** What outlives the consumer: how often each message was delivered, and which are done with. */
type Position = { readonly deliveries: Map<number, number>; readonly done: Set<number> }

export type MemoryConsumerParts = {
  readonly spec: ConsumerSpec
  readonly handle: BatchHandler
  readonly clock: Clock
  readonly isConnected: () => boolean
  readonly stored: () => readonly StoredMessage[]
  readonly onAcked: (sequence: number) => void
  readonly position: Position | undefined
}

const UNSETTLED_AGAIN_MS = 1_000

export class MemoryConsumer implements Ongoing {
  readonly position: Position
  readonly #parts: MemoryConsumerParts
  readonly #waiting = new Map<number, Cancel>()
  #handling: Promise<void> | null = null
  #stopped = false

  constructor(parts: MemoryConsumerParts) {
    this.#parts = parts
    this.position = parts.position ?? { deliveries: new Map(), done: new Set() }
  }

  /** There may be something to deliver. */
  wake(): void {
    this.#handling ??= this.#handleAll()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    for (const cancel of this.#waiting.values()) cancel()
    await this.#handling
  }

  async #handleAll(): Promise<void> {
    // As from a network: never within the call that brought the message.
    await new Promise<void>((resolve) => setImmediate(resolve))
    for (let batch = this.#nextBatch(); batch.length > 0; batch = this.#nextBatch()) {
      try {
        await this.#parts.handle(batch)
      } catch {
        // As with a real one: what is not settled comes again.
      }
      for (const delivery of batch) delivery.nak(UNSETTLED_AGAIN_MS)
    }
    this.#handling = null
  }

  #nextBatch(): Delivery[] {
    const { isConnected, stored, spec } = this.#parts
    if (this.#stopped || !isConnected()) return []
    const ready = stored().filter(({ sequence }) => !this.position.done.has(sequence) && !this.#waiting.has(sequence))
    return ready.slice(0, spec.batchMax).map((message) => this.#deliver(message))
  }

  #deliver(message: StoredMessage): Delivery {
    const { sequence } = message
    const deliveries = (this.position.deliveries.get(sequence) ?? 0) + 1
    this.position.deliveries.set(sequence, deliveries)
    this.#waiting.set(sequence, () => {})
    let isSettled = false
    const settle = (how: () => void) => {
      if (isSettled) return
      isSettled = true
      how()
    }
    const done = () => {
      this.#waiting.delete(sequence)
      this.position.done.add(sequence)
      this.#parts.onAcked(sequence)
    }
    return {
      ...message,
      origin: `memory:${sequence}`,
      place: { stream: 'memory', sequence },
      deliveries,
      get isSettled() {
        return isSettled
      },
      ack: () => settle(done),
      nak: (delayMs) => settle(() => this.#again(sequence, delayMs)),
    }
  }

  #again(sequence: number, delayMs: Millis): void {
    if (this.#stopped) return
    const cancel = this.#parts.clock.after(delayMs, () => {
      this.#waiting.delete(sequence)
      this.wake()
    })
    this.#waiting.set(sequence, cancel)
  }
}
