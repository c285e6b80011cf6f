// The message broker as one process has it. It confirms what is published; sometimes it refuses, or its confirmation gets
// lost and the message is there all the same.

import { BrokerError } from '../../src/broker/broker.ts'
import type { Broker, BrokerState, Ongoing, Publication } from '../../src/broker/broker.ts'
import type { SeededRandom } from '../../test/support/seeded-random.ts'
import type { FaultCounts, Faults } from '../faults.ts'
import type { PublishedEvent } from '../history.ts'
import { neverAnswered } from './incarnation.ts'
import type { Incarnation } from './incarnation.ts'
import type { Scheduler } from './scheduler.ts'

const LATENCY_MS = 2
const FAILS_CHANCE = 0.1

type CloudEvent = {
  readonly id: string
  readonly type: string
  readonly subject: string
  readonly data: { readonly namespace: string; readonly version: number }
}

export type BrokerParts = {
  readonly incarnation: Incarnation
  readonly scheduler: Scheduler
  readonly random: SeededRandom
  readonly faults: () => Faults
  readonly counts: FaultCounts
  /** What is there for good, in the order in which it came. */
  readonly stream: PublishedEvent[]
}

export class SimulatedBroker implements Broker {
  readonly state: BrokerState = { type: 'connected', server: 'simulated', messageBytesMax: 2 ** 20 }
  readonly #parts: BrokerParts

  constructor(parts: BrokerParts) {
    this.#parts = parts
  }

  publish({ data }: Publication): Promise<void> {
    const { incarnation, scheduler, random, counts, stream } = this.#parts
    if (!incarnation.mayAct()) return neverAnswered()
    const fails = this.#parts.faults().has('failingBroker') && random.chance(FAILS_CHANCE)
    const isStored = !fails || random.chance(0.5)
    if (fails) counts.count('failingBroker')
    return new Promise((resolve, reject) => {
      scheduler.after(random.next() * LATENCY_MS, () => {
        if (isStored) stream.push(publishedEvent(data as string, scheduler.now))
        scheduler.after(random.next() * LATENCY_MS, () =>
          incarnation.enter(() => (fails ? reject(new BrokerError('timeout', 'no confirmation')) : resolve())),
        )
      })
    })
  }

  start(): Promise<void> {
    return Promise.resolve()
  }

  stop(): Promise<void> {
    return Promise.resolve()
  }

  declare(): void {}

  consume(): Ongoing {
    throw new Error('nothing is consumed in simulations')
  }

  serve(): Ongoing {
    throw new Error('nothing is served in simulations')
  }

  faults(): readonly string[] {
    return []
  }
}

function publishedEvent(data: string, at: number): PublishedEvent {
  const { id, type, subject, data: about } = JSON.parse(data) as CloudEvent
  return { at, id, type: type.split('.').at(-1)!, timer: `${about.namespace}/${subject}`, version: about.version }
}
