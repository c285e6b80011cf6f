// NATS, with JetStream where there are streams. The parts live as long as a connection does and are made anew for the
// next one; what outlives connections is only the wish to consume, to serve and to have streams.

import type { NatsConnection } from '@nats-io/transport-node'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { BrokerSettings } from '../../runtime/config/broker.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { BrokerError } from '../broker.ts'
import type {
  BatchHandler,
  Broker,
  BrokerState,
  ConsumerSpec,
  Ongoing,
  Publication,
  PublishOptions,
  RequestHandler,
  StreamSpec,
} from '../broker.ts'
import { Connection } from './connection.ts'
import { Publisher } from './publisher.ts'
import { PullConsumer } from './pull-consumer.ts'
import { Responder } from './responder.ts'
import { ensureStreams } from './streams.ts'

const AGAIN_AFTER_MS = 1_000

export type NatsBrokerOptions = { readonly settings: BrokerSettings; readonly clock: Clock; readonly logger: Logger }

export class NatsBroker implements Broker {
  readonly #options: NatsBrokerOptions
  readonly #connection: Connection
  readonly #stopping = new AbortController()
  readonly #consumers = new Set<PullConsumer>()
  #publisher: Publisher | null = null
  #streamFault: string | null = null

  constructor(options: NatsBrokerOptions) {
    this.#options = options
    this.#connection = new Connection(options)
    this.#connection.onSession((session) => this.#publishOn(session))
  }

  get state(): BrokerState {
    return this.#connection.state
  }

  start(): Promise<void> {
    return this.#connection.start()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#connection.stop()
  }

  publish(publication: Publication, options: PublishOptions): Promise<void> {
    if (options.signal?.aborted) return Promise.reject(options.signal.reason)
    if (this.#publisher !== null) return this.#publisher.publish(publication, options)
    const why = this.state.type === 'disconnected' ? `: ${this.state.reason}` : ''
    return Promise.reject(new BrokerError('disconnected', `no connection to the broker${why}`))
  }

  declare(streams: readonly StreamSpec[]): void {
    this.#connection.onSession((session) => void this.#ensure(session, streams))
  }

  consume(consumer: ConsumerSpec, handle: BatchHandler): Ongoing {
    const { clock, logger } = this.#options
    const pulling = new PullConsumer({ connection: this.#connection, clock, logger }, consumer, handle)
    this.#consumers.add(pulling)
    return {
      stop: () => {
        this.#consumers.delete(pulling)
        return pulling.stop()
      },
    }
  }

  serve(subject: string, queue: string, answer: RequestHandler): Ongoing {
    return new Responder(this.#connection, this.#options.logger, { subject, queue, answer })
  }

  faults(): readonly string[] {
    if (this.state.type === 'disconnected') return []
    return [this.#streamFault, ...Array.from(this.#consumers, ({ fault }) => fault)].filter((fault) => fault !== null)
  }

  #publishOn(session: NatsConnection): void {
    const publisher = new Publisher(session, this.#options.clock)
    this.#publisher = publisher
    void session.closed().then(() => {
      if (this.#publisher === publisher) this.#publisher = null
      publisher.close()
    })
  }

  /** Until it succeeds or the connection is over; the next one tries again. */
  async #ensure(session: NatsConnection, streams: readonly StreamSpec[]): Promise<void> {
    const { clock, logger } = this.#options
    while (!session.isClosed() && !this.#stopping.signal.aborted) {
      try {
        const names = await ensureStreams(session, streams)
        this.#streamFault = null
        logger.debug({ streams: names }, 'streams are there')
        return
      } catch (error) {
        if (session.isClosed()) return
        this.#streamFault = `the streams could not be made: ${(error as Error).message}`
        logger.warn({ err: error }, 'the streams could not be made; trying on')
        await sleep(clock, AGAIN_AFTER_MS, this.#stopping.signal).catch(() => {})
      }
    }
  }
}
