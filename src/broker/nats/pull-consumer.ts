// Takes messages from a stream through a durable pull consumer: what has arrived goes to the handler as one batch while
// the next is fetched. The broker is told now and then that a message is still being worked on, so that however long the
// handler takes (a store that is down, say) no message is delivered to somebody else meanwhile, or counted as failed.

import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { Consumer, JsMsg } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node'
import type { Millis, StreamPlace } from '../../core/timer/timer.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Cancel, Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { BatchHandler, ConsumerSpec, Delivery, Header, Ongoing } from '../broker.ts'
import type { Connection } from './connection.ts'
import { streamCovering } from './streams.ts'

const FETCH_EXPIRES_MS = 30_000 // an idle fetch is asked for again after so long; messages do not wait for it
const HEARTBEAT_MS = 5_000 // two that are missed end a fetch whose consumer is gone
const AGAIN_FIRST_MS = 100 // a stream that is missing is usually being made
const AGAIN_AFTER_MS = 1_000
const UNSETTLED_MAX = 20_000 // over all nodes; more than they fetch together
const UNSETTLED_AGAIN_MS = 1_000

export type PullConsumerParts = { readonly connection: Connection; readonly clock: Clock; readonly logger: Logger }

export class PullConsumer implements Ongoing {
  readonly #parts: PullConsumerParts
  readonly #spec: ConsumerSpec
  readonly #handle: BatchHandler
  readonly #stopping = new AbortController()
  readonly #unsettled = new Set<NatsDelivery>()
  readonly #forget: () => void
  #waiting: NatsDelivery[] = []
  #streamName = ''
  #handling: Promise<void> | null = null
  #fetching: Promise<void> = Promise.resolve()
  #cancelProlong: Cancel | null = null
  #fault: string | null = null

  constructor(parts: PullConsumerParts, spec: ConsumerSpec, handle: BatchHandler) {
    this.#parts = parts
    this.#spec = spec
    this.#handle = handle
    this.#forget = parts.connection.onSession((connection) => {
      const before = this.#fetching
      this.#fetching = before.then(() => this.#fetchOn(connection))
    })
    this.#prolongLater()
  }

  /** Why nothing comes although there is a connection. */
  get fault(): string | null {
    return this.#fault
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#forget()
    await this.#fetching
    await this.#handling
    this.#cancelProlong?.()
    for (const delivery of this.#unsettled) delivery.nak(0)
  }

  /** As long as the connection lasts. */
  async #fetchOn(connection: NatsConnection): Promise<void> {
    const { clock, logger } = this.#parts
    const { signal } = this.#stopping
    const isOver = () => signal.aborted || connection.isClosed()
    for (let failures = 0; !isOver();) {
      try {
        const consumer = await this.#consumerOn(connection)
        this.#fault = null
        failures = 0
        while (!isOver()) await this.#fetch(consumer)
      } catch (error) {
        if (isOver()) return
        const { name, subject } = this.#spec
        this.#fault = `consumer ${name} on '${subject}': ${(error as Error).message}`
        if (++failures === 2)
          logger.warn({ err: error, consumer: name, subject }, 'cannot take messages from the broker; trying on')
        await sleep(clock, failures === 1 ? AGAIN_FIRST_MS : AGAIN_AFTER_MS, signal).catch(() => {})
      }
    }
  }

  async #consumerOn(connection: NatsConnection): Promise<Consumer> {
    const { name, subject, ackWaitMs } = this.#spec
    const manager = await jetstreamManager(connection, { checkAPI: false })
    const stream = await streamCovering(manager, subject)
    if (stream === null) throw new Error('no stream covers the subject')
    const { created } = await manager.consumers.add(stream, {
      durable_name: name,
      filter_subject: subject,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: UNSETTLED_MAX,
      // The broker's own limit would drop a message without a word; the handler counts, and says what it gives up.
      max_deliver: -1,
    })
    // The consumer is as old as the stream or younger, and goes when the stream does: numbers of two streams of one name, which both
    // begin at 1, are never compared.
    this.#streamName = `${stream}@${Date.parse(created).toString(36)}`
    return jetstream(connection).consumers.get(stream, name)
  }

  async #fetch(consumer: Consumer): Promise<void> {
    const messages = await consumer.fetch({
      max_messages: this.#spec.batchMax,
      expires: FETCH_EXPIRES_MS,
      idle_heartbeat: HEARTBEAT_MS,
    })
    const stop = () => messages.stop()
    this.#stopping.signal.addEventListener('abort', stop, { once: true })
    try {
      for await (const message of messages) this.#take(message)
    } finally {
      this.#stopping.signal.removeEventListener('abort', stop)
    }
    // One batch may wait while another is handled; then no more are fetched.
    while (this.#waiting.length >= this.#spec.batchMax && this.#handling !== null) await this.#handling
  }

  #take(message: JsMsg): void {
    const delivery = new NatsDelivery(message, this.#streamName, (settled) => this.#unsettled.delete(settled))
    this.#unsettled.add(delivery)
    this.#waiting.push(delivery)
    this.#handling ??= this.#handleAll()
  }

  async #handleAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#stopping.signal.aborted) {
      // What is being read from the socket right now joins the batch.
      await new Promise<void>((resolve) => setImmediate(resolve))
      await this.#handleBatch(this.#waiting.splice(0, this.#spec.batchMax))
    }
    this.#handling = null // in the same breath as the last look at what waits, or a message could slip in between
  }

  async #handleBatch(batch: readonly NatsDelivery[]): Promise<void> {
    try {
      await this.#handle(batch)
    } catch (error) {
      this.#parts.logger.error({ err: error, messages: batch.length }, 'a batch of messages could not be handled')
    }
    for (const delivery of batch) delivery.nak(UNSETTLED_AGAIN_MS)
  }

  #prolongLater(): void {
    this.#cancelProlong = this.#parts.clock.after(this.#spec.ackWaitMs / 3, () => {
      for (const delivery of this.#unsettled) delivery.prolong()
      this.#prolongLater()
    })
  }
}

class NatsDelivery implements Delivery {
  readonly subject: string
  readonly data: Uint8Array
  readonly origin: string
  readonly place: StreamPlace
  readonly deliveries: number
  isSettled = false
  readonly #message: JsMsg
  readonly #onSettled: (delivery: NatsDelivery) => void

  constructor(message: JsMsg, streamName: string, onSettled: (delivery: NatsDelivery) => void) {
    const { stream, streamSequence, deliveryCount } = message.info
    this.subject = message.subject
    this.data = message.data
    this.origin = `${stream}:${streamSequence}`
    this.place = { stream: streamName, sequence: streamSequence }
    this.deliveries = deliveryCount
    this.#message = message
    this.#onSettled = onSettled
  }

  get headers(): readonly Header[] {
    return headersOf(this.#message)
  }

  ack(): void {
    this.#settle(() => this.#message.ack())
  }

  nak(delayMs: Millis): void {
    this.#settle(() => this.#message.nak(delayMs))
  }

  prolong(): void {
    ignoringLostConnection(() => this.#message.working())
  }

  #settle(tell: () => void): void {
    if (this.isSettled) return
    this.isSettled = true
    this.#onSettled(this)
    ignoringLostConnection(tell)
  }
}

/** The connection may be gone; then the message comes again. */
function ignoringLostConnection(tell: () => void): void {
  try {
    tell()
  } catch {}
}

export function headersOf({ headers }: { readonly headers?: MsgHdrs | undefined }): Header[] {
  const list: Header[] = []
  for (const [name, values] of headers ?? []) for (const value of values) list.push([name, value])
  return list
}
