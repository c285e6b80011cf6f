// A broker in memory, for tests of what stands on the port. It keeps the contract of broker.ts and nothing more: no
// network, one process, gone when the process is. `disconnect` and `connect` play the outage, `fallSilent` a server that
// confirms nothing.

import type { Millis } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { BrokerError, headerOf } from '../broker.ts'
import type {
  BatchHandler,
  Broker,
  BrokerState,
  ConsumerSpec,
  Header,
  Message,
  Ongoing,
  Publication,
  PublishOptions,
  Reply,
  RequestHandler,
  StreamSpec,
} from '../broker.ts'
import { subjectMatches } from '../../core/timer/subject.ts'
import { MemoryConsumer } from './memory-consumer.ts'

export type StoredMessage = Message & { readonly sequence: number }
type Stream = {
  readonly spec: StreamSpec
  readonly messages: StoredMessage[]
  readonly ids: Map<string, Millis>
  sequence: number
}

const MESSAGE_BYTES_MAX = 1_048_576 // as servers have it by default

export class MemoryBroker implements Broker {
  readonly #clock: Clock
  readonly #streams: Stream[] = []
  readonly #consumers = new Map<string, MemoryConsumer>()
  readonly #servers: { readonly subject: string; readonly answer: RequestHandler }[] = []
  #state: BrokerState = { type: 'disconnected', reason: 'not started' }
  #onLost: (() => void) | null = null
  /** Plain publishes that no stream covers, in order. */
  readonly uncovered: Message[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get state(): BrokerState {
    return this.#state
  }

  async start(): Promise<void> {
    this.connect()
  }

  async stop(): Promise<void> {
    this.disconnect('stopped')
  }

  connect(): void {
    this.#state = { type: 'connected', server: 'memory', messageBytesMax: MESSAGE_BYTES_MAX }
    for (const consumer of this.#consumers.values()) consumer.wake()
  }

  disconnect(reason = 'unplugged'): void {
    this.#state = { type: 'disconnected', reason }
  }

  /** Messages get lost from now on. Resolves when one was. */
  fallSilent(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onLost = resolve
    return promise
  }

  async publish(publication: Publication, options: PublishOptions): Promise<void> {
    options.signal?.throwIfAborted()
    if (this.#onLost !== null) return this.#lost(publication, options)
    if (this.#state.type === 'disconnected')
      throw new BrokerError('disconnected', `no connection to the broker: ${this.#state.reason}`)
    const stream = this.#streamFor(publication.subject)
    if (stream === undefined && publication.confirmedBy === 'stream') {
      throw new BrokerError('refused', 'no stream covers the subject', { code: 503 })
    }
    const { subject, id } = publication
    const headers: Header[] = [...publication.headers, ...(id === null ? [] : ([['Nats-Msg-Id', id]] as const))]
    const data = typeof publication.data === 'string' ? Buffer.from(publication.data) : publication.data
    if (stream === undefined) this.uncovered.push({ subject, headers, data })
    else this.#store(stream, { subject, headers, data })
  }

  #lost({ subject }: Publication, { timeoutMs, signal }: PublishOptions): Promise<void> {
    this.#onLost?.()
    return new Promise((_, reject) => {
      const onTimeout = () =>
        reject(new BrokerError('timeout', `the message on '${subject}' was not confirmed in time`))
      const cancelTimeout = this.#clock.after(timeoutMs, onTimeout)
      const onAbort = () => {
        cancelTimeout()
        reject(signal!.reason as Error)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  declare(streams: readonly StreamSpec[]): void {
    for (const spec of streams) {
      if (this.#streamFor(spec.subject) === undefined)
        this.#streams.push({ spec, messages: [], ids: new Map(), sequence: 0 })
    }
  }

  consume(spec: ConsumerSpec, handle: BatchHandler): Ongoing {
    const known = this.#consumers.get(spec.name)
    const consumer = new MemoryConsumer({
      spec,
      handle,
      clock: this.#clock,
      isConnected: () => this.#state.type === 'connected',
      stored: () => this.stored(spec.subject),
      onAcked: (sequence) => this.#acked(spec.subject, sequence),
      position: known?.position,
    })
    this.#consumers.set(spec.name, consumer)
    consumer.wake()
    return consumer
  }

  serve(subject: string, _queue: string, answer: RequestHandler): Ongoing {
    const server = { subject, answer }
    this.#servers.push(server)
    return {
      stop: async () => {
        const at = this.#servers.indexOf(server)
        if (at >= 0) this.#servers.splice(at, 1)
      },
    }
  }

  faults(): readonly string[] {
    return []
  }

  /** What a client of the broker would ask. */
  async request(message: Message): Promise<Reply> {
    const server = this.#servers.find(({ subject }) => subjectMatches(subject, message.subject))
    if (server === undefined) throw new BrokerError('refused', 'nobody answers on the subject', { code: 503 })
    return server.answer(message)
  }

  /** What the stream that covers the subject holds. */
  stored(subject: string): readonly StoredMessage[] {
    return this.#streamFor(subject)?.messages ?? []
  }

  #streamFor(subject: string): Stream | undefined {
    return this.#streams.find(({ spec }) => spec.subject === subject || subjectMatches(spec.subject, subject))
  }

  #store(stream: Stream, message: Message): void {
    const id = headerOf(message, 'Nats-Msg-Id')
    const now = this.#clock.monotonic()
    const seenAt = id === undefined ? undefined : stream.ids.get(id)
    if (seenAt !== undefined && now - seenAt < stream.spec.duplicateWindowMs) return
    if (id !== undefined) stream.ids.set(id, now)
    stream.messages.push({ ...message, sequence: ++stream.sequence })
    for (const consumer of this.#consumers.values()) consumer.wake()
  }

  #acked(subject: string, sequence: number): void {
    const stream = this.#streamFor(subject)
    if (stream?.spec.keeps !== 'queue') return
    const at = stream.messages.findIndex((message) => message.sequence === sequence)
    if (at >= 0) stream.messages.splice(at, 1)
  }
}
