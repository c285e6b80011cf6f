// Publishing on one connection, each message confirmed: by the stream that stored it, or, where there is none, by the
// server, which has read everything that came before a ping when it answers it. One ping serves all messages of a turn.

import { createInbox, errors, headers as emptyHeaders } from '@nats-io/transport-node'
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node'
import type { Clock } from '../../runtime/clock/clock.ts'
import { BrokerError } from '../broker.ts'
import type { Publication, PublishOptions } from '../broker.ts'
import { Confirmations } from './confirmations.ts'
import { StreamCoverage } from './stream-coverage.ts'

const MESSAGE_ID = 'Nats-Msg-Id'
const NO_RESPONDERS = 503
const MAX_PAYLOAD_DEFAULT = 1_048_576

export class Publisher {
  readonly #connection: NatsConnection
  readonly #clock: Clock
  readonly #confirmations: Confirmations
  readonly #coverage: StreamCoverage
  readonly #inbox = `${createInbox()}.`
  /** Sent in this turn, waiting for the ping that follows them. */
  #unflushed: string[] = []

  constructor(connection: NatsConnection, clock: Clock) {
    this.#connection = connection
    this.#clock = clock
    this.#confirmations = new Confirmations(clock)
    this.#coverage = new StreamCoverage(connection, clock)
    connection.subscribe(`${this.#inbox}*`, { callback: (error, message) => this.#onAnswer(error, message) })
    void this.#watchErrors()
  }

  publish(publication: Publication, options: PublishOptions): Promise<void> {
    return publication.confirmedBy === 'stream'
      ? this.#acknowledged(publication, options)
      : this.#confirmed(publication, options)
  }

  /** The connection is over. Whether the last messages arrived will never be known. */
  close(): void {
    this.#confirmations.rejectAll(
      new BrokerError('disconnected', 'the connection to the broker was lost before the message was confirmed'),
    )
  }

  async #confirmed(publication: Publication, options: PublishOptions): Promise<void> {
    const startedAt = this.#clock.monotonic()
    const left = () => ({ ...options, timeoutMs: startedAt + options.timeoutMs - this.#clock.monotonic() })
    const isCovered = await this.#coverage.isCovered(publication.subject)
    options.signal?.throwIfAborted()
    if (isCovered) {
      try {
        return await this.#acknowledged(publication, left())
      } catch (error) {
        if (!(error instanceof NoStreamError)) throw error
        this.#coverage.forget(publication.subject)
      }
    }
    return this.#flushed(publication, left())
  }

  #acknowledged(publication: Publication, options: PublishOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const ticket = this.#confirmations.open(publication.subject, options, resolve, reject)
      this.#send(publication, ticket, this.#inbox + ticket)
    })
  }

  #flushed(publication: Publication, options: PublishOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const ticket = this.#confirmations.open(publication.subject, options, resolve, reject)
      if (!this.#send(publication, ticket)) return
      if (this.#unflushed.push(ticket) === 1) setImmediate(() => void this.#flush())
    })
  }

  #send(publication: Publication, ticket: string, reply?: string): boolean {
    try {
      const { subject, data } = publication
      this.#connection.publish(subject, data, {
        headers: encodable(publication),
        ...(reply !== undefined && { reply }),
      })
      return true
    } catch (error) {
      this.#confirmations.reject(ticket, this.#cannotSend(publication, error))
      return false
    }
  }

  async #flush(): Promise<void> {
    const tickets = this.#unflushed
    this.#unflushed = []
    try {
      await this.#connection.flush()
    } catch {
      return // the connection broke, and `close` rejects what is left
    }
    // What the server refused it said before it answered the ping; that has one turn to arrive here.
    setImmediate(() => {
      for (const ticket of tickets) this.#confirmations.confirm(ticket)
    })
  }

  #onAnswer(error: Error | null, message: Msg): void {
    if (error !== null) return // the inbox is not allowed; the messages time out, and the log has the reason
    const ticket = message.subject.slice(this.#inbox.length)
    if (message.headers?.code === NO_RESPONDERS) return this.#confirmations.reject(ticket, new NoStreamError())
    const refusal = refusalIn(message)
    if (refusal === null) this.#confirmations.confirm(ticket)
    else this.#confirmations.reject(ticket, refusal)
  }

  async #watchErrors(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type !== 'error' || !(status.error instanceof errors.PermissionViolationError)) continue
      if (status.error.operation !== 'publish') continue
      const { subject } = status.error
      const refusal = new BrokerError('refused', `the broker does not allow this service to publish on '${subject}'`)
      this.#confirmations.rejectAll(refusal, subject)
    }
  }

  #cannotSend({ data, subject }: Publication, error: unknown): BrokerError {
    const bytes = typeof data === 'string' ? Buffer.byteLength(data) : data.length
    const maxBytes = this.#connection.info?.max_payload ?? MAX_PAYLOAD_DEFAULT
    if (this.#connection.isClosed())
      return new BrokerError('disconnected', 'the connection to the broker was lost', { cause: error })
    if (bytes >= maxBytes || /max_payload/.test((error as Error).message)) {
      const limit = `the message has ${bytes} bytes and its headers; the broker takes ${maxBytes} (max_payload)`
      return new BrokerError('refused', limit, { cause: error })
    }
    return new BrokerError('refused', `the message for '${subject}' cannot be sent: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

class NoStreamError extends BrokerError {
  constructor() {
    super('refused', 'no stream covers the subject', { code: NO_RESPONDERS })
  }
}

function encodable({ headers, id }: Publication): MsgHdrs {
  const encoded = emptyHeaders()
  for (const [name, value] of headers) encoded.append(name, value)
  if (id !== null) encoded.set(MESSAGE_ID, id)
  return encoded
}

/** Null when the stream has stored the message, or had it already. */
function refusalIn(message: Msg): BrokerError | null {
  let answer: { stream?: string; error?: { code: number; description: string } }
  try {
    answer = message.json()
  } catch {
    answer = {}
  }
  const { stream, error } = answer
  if (error !== undefined)
    return new BrokerError('refused', `the stream refused the message: ${error.description}`, { code: error.code })
  return stream === undefined ? new BrokerError('refused', 'something that is no stream answered the message') : null
}
