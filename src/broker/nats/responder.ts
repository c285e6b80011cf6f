// Answers requests, on one connection after the other. Servers of one queue group share them.

import { headers as emptyHeaders } from '@nats-io/transport-node'
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { Ongoing, Reply, RequestHandler } from '../broker.ts'
import type { Connection } from './connection.ts'
import { headersOf } from './pull-consumer.ts'

export type ResponderSpec = { readonly subject: string; readonly queue: string; readonly answer: RequestHandler }

export class Responder implements Ongoing {
  readonly #spec: ResponderSpec
  readonly #logger: Logger
  readonly #underWay = new Set<Promise<void>>()
  readonly #forget: () => void
  #subscription: Subscription | null = null

  constructor(connection: Connection, logger: Logger, spec: ResponderSpec) {
    this.#spec = spec
    this.#logger = logger
    this.#forget = connection.onSession((session) => this.#listen(session))
  }

  /** No request is taken any more; those under way are answered. */
  async stop(): Promise<void> {
    this.#forget()
    const subscription = this.#subscription
    this.#subscription = null
    if (subscription !== null && !subscription.isClosed()) await subscription.drain().catch(() => {})
    await Promise.all(this.#underWay)
  }

  #listen(session: NatsConnection): void {
    const { subject, queue } = this.#spec
    this.#subscription = session.subscribe(subject, {
      queue,
      callback: (error, message) => {
        if (error !== null)
          return this.#logger.error(
            { err: error, subject },
            'the broker does not allow this service to answer requests',
          )
        const answering = this.#answer(message).finally(() => this.#underWay.delete(answering))
        this.#underWay.add(answering)
      },
    })
  }

  async #answer(message: Msg): Promise<void> {
    if (message.reply === undefined || message.reply === '') return // nobody waits for an answer
    try {
      const { data, headers } = await this.#spec.answer({
        subject: message.subject,
        headers: headersOf(message),
        data: message.data,
      })
      message.respond(data, { headers: encoded(headers) })
    } catch (error) {
      // The connection broke, or the answer is larger than the broker takes.
      this.#logger.warn({ err: error, subject: message.subject }, 'a request could not be answered')
    }
  }
}

function encoded(headers: Reply['headers']): ReturnType<typeof emptyHeaders> {
  const list = emptyHeaders()
  for (const [name, value] of headers) list.append(name, value)
  return list
}
