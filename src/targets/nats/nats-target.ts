// Delivers firings by publishing them. The message id is the delivery id, the same on every attempt, so that a stream
// removes what was published before a crash and again after it.

import { BrokerError } from '../../broker/broker.ts'
import type { Broker, Header } from '../../broker/broker.ts'
import { failedDelivery } from '../../core/timer/delivery.ts'
import type { DeliveryOutcome, Firing } from '../../core/timer/delivery.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import type { NatsTarget as NatsAddress } from '../../core/targets/nats.ts'
import type { Callback, TargetAdapter } from '../target.ts'
import { subjectOf } from '../../core/targets/nats.ts'
import { isReservedHeader, natsAddressFault, natsTargetFault } from './nats-address.ts'
import type { AddressRules } from './nats-address.ts'
import type { NatsProtocol } from './protocol.ts'

const DELIVERED: DeliveryOutcome = Object.freeze({ type: 'delivered', statusCode: null })
const ANSWERED = 500 // for a refusal without a code of its own: the broker is there, so the others need not wait

const REFUSED = 403 // by the service itself, without asking the broker

export type NatsTargetOptions = {
  readonly broker: Broker
  readonly protocols: readonly NatsProtocol[]
  readonly rules: AddressRules
}

export class NatsTarget implements TargetAdapter<NatsAddress> {
  readonly type = 'nats'
  readonly #broker: Broker
  readonly #protocols: ReadonlyMap<string, NatsProtocol>
  readonly #rules: AddressRules

  constructor({ broker, protocols, rules }: NatsTargetOptions) {
    this.#broker = broker
    this.#rules = rules
    this.#protocols = new Map(protocols.map((protocol) => [protocol.name, protocol]))
  }

  refuse({ target, protocol }: Callback<NatsAddress>, namespace: Namespace): string | null {
    const isJudged = this.#protocols.get(protocol)?.subjectFor === undefined
    return isJudged ? natsTargetFault(target, namespace, this.#rules) : null
  }

  /** A topic is usually one stream: one that does not answer leaves the others their slots. */
  destinationOf(target: NatsAddress): string {
    return `nats:${target.topic}`
  }

  async deliver(firing: Firing, signal: AbortSignal): Promise<DeliveryOutcome> {
    const { timer, deliveryId } = firing
    const { target } = timer
    if (target.type !== 'nats') throw new TypeError(`the NATS target was given a ${target.type} timer`)
    const protocol = this.#protocols.get(timer.protocol)
    // Stored by a newer version, or edited by hand: it may well be right at the next attempt.
    if (protocol === undefined)
      return failedDelivery(`this node does not know the protocol '${timer.protocol}' for NATS`)
    const subject = protocol.subjectFor?.(timer) ?? subjectOf(target)
    // Stored before the settings were what they are, or imported. No further attempt makes it right.
    const fault = protocol.subjectFor === undefined ? natsAddressFault(target, timer.namespace, this.#rules) : null
    if (fault !== null) return failedDelivery(fault, { statusCode: REFUSED, final: true })
    try {
      const publication = {
        subject,
        headers: headersFor(firing, target),
        data: protocol.message(firing),
        id: deliveryId,
        confirmedBy: protocol.confirmedBy,
      }
      await this.#broker.publish(publication, { timeoutMs: timer.timeoutMs, signal })
      return DELIVERED
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error
      return failedDelivery(error.message, error.reason === 'refused' ? { statusCode: error.code ?? ANSWERED } : {})
    }
  }

  /** The broker is shared, and closed by whoever opened it. */
  async close(): Promise<void> {}
}

function headersFor({ timer }: Firing, { headers }: NatsAddress): Header[] {
  const list: Header[] = []
  if (timer.traceparent !== null) list.push(['traceparent', timer.traceparent])
  for (const name in headers) if (!isReservedHeader(name)) list.push([name, headers[name]!])
  return list
}
