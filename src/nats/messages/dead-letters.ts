// Where messages go that cannot be carried out: unchanged, with the reason in a header, for a person to look at and
// perhaps to send again.

import { headerOf } from '../../broker/broker.ts'
import type { Broker, Delivery, Header } from '../../broker/broker.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'

const TIMEOUT_MS = 10_000
const REASON_CHARS_MAX = 500
const MESSAGE_ID = 'Nats-Msg-Id'

export class DeadLetters {
  readonly #broker: Broker
  readonly #subject: string
  readonly #logger: Logger

  constructor(options: { readonly broker: Broker; readonly subject: string; readonly logger: Logger }) {
    this.#broker = options.broker
    this.#subject = options.subject
    this.#logger = options.logger
  }

  /** Resolves when it is stored. */
  async add(delivery: Delivery, reason: string): Promise<void> {
    const line = reason.replaceAll(/\s+/g, ' ').slice(0, REASON_CHARS_MAX).toWellFormed()
    const headers: Header[] = [
      ...inertHeaders(delivery),
      ['Duetime-Reason', line],
      ['Duetime-Subject', delivery.subject],
    ]
    const id = headerOf(delivery, MESSAGE_ID) ?? delivery.origin
    const letter = { subject: this.#subject, headers, data: delivery.data, id, confirmedBy: 'stream' } as const
    await this.#broker.publish(letter, { timeoutMs: TIMEOUT_MS })
    this.#logger.warn(
      { origin: delivery.origin, subject: delivery.subject, reason: line },
      'a message went to the dead letters',
    )
  }
}

/** The sender's instructions to its own stream would be followed by the one for dead letters: they go along under another name. */
function inertHeaders({ headers }: Delivery): Header[] {
  return headers
    .filter(([name]) => name.toLowerCase() !== MESSAGE_ID.toLowerCase())
    .map(([name, value]) => [name.toLowerCase().startsWith('nats-') ? `Duetime-Original-${name}` : name, value])
}
