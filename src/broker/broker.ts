// The broker port: what the service needs of a message broker, and no more. Messages are published with a confirmation,
// taken from a durable stream in batches and settled one by one, and answered when somebody asks. Brokers come and go:
// every adapter connects by itself, for ever, and says in `state` how it is.

import type { Millis, StreamPlace } from '../core/timer/timer.ts'

/** In order; a name may come several times. Names are compared without regard to case. */
export type Header = readonly [name: string, value: string]

export type Message = { readonly subject: string; readonly headers: readonly Header[]; readonly data: Uint8Array }

export type Publication = {
  readonly subject: string
  readonly headers: readonly Header[]
  readonly data: string | Uint8Array
  /** Of the messages with one id a stream keeps the first, as far back as its duplicate window goes. */
  readonly id: string | null
  /** `stream`: only a stream that has stored it will do. `any`: where no stream covers the subject, it is enough that the broker has it. */
  readonly confirmedBy: 'stream' | 'any'
}

export type PublishOptions = { readonly timeoutMs: Millis; readonly signal?: AbortSignal }

/** A stream that has to be there; made, with these properties, when none covers its subject. One that does is taken as it is. */
export type StreamSpec = {
  readonly name: string
  readonly subject: string
  /** `queue`: a message is gone once it is acknowledged. `log`: it stays for `maxAgeMs`. */
  readonly keeps: 'queue' | 'log'
  readonly maxAgeMs: Millis | null
  readonly duplicateWindowMs: Millis
}

export type ConsumerSpec = {
  /** Consumers of one name share the work, over all nodes; their position outlives them. */
  readonly name: string
  readonly subject: string
  /** What is not settled by then is delivered again, to anybody; while the process lives the adapter prolongs it. */
  readonly ackWaitMs: Millis
  readonly batchMax: number
}

/** Settled by the first of these calls; later ones do nothing. None of them waits: one that gets lost means one more delivery. */
export interface Delivery extends Message {
  /** Names the message within the broker, the same on every delivery of it. */
  readonly origin: string
  /** In the order in which messages were stored, over all consumers of a name. A stream that is made anew has another name. */
  readonly place: StreamPlace
  /** From 1. */
  readonly deliveries: number
  readonly isSettled: boolean
  /** Done with, for better or worse: never again. */
  ack(): void
  /** Again, after so long. */
  nak(delayMs: Millis): void
}

/** Called with one batch at a time, in the order of the stream. What it leaves unsettled is delivered again soon. */
export type BatchHandler = (batch: readonly Delivery[]) => Promise<void>

export type Reply = { readonly headers: readonly Header[]; readonly data: string | Uint8Array }

export type RequestHandler = (request: Message) => Promise<Reply>

/** Something under way. `stop` resolves when nothing of it runs any more, and can be called twice. */
export interface Ongoing {
  stop(): Promise<void>
}

export type BrokerState =
  | { readonly type: 'connected'; readonly server: string; /** Headers included. */ readonly messageBytesMax: number }
  | { readonly type: 'disconnected'; readonly reason: string }

export interface Broker {
  readonly state: BrokerState

  /** Begins to connect and resolves soon, connected or not: being without a broker is a state, not a failure. Called once. */
  start(): Promise<void>

  /** Idempotent; consumers and servers are stopped before. What was not confirmed yet is rejected. */
  stop(): Promise<void>

  /** Resolves when the broker has it for good. Rejects with a BrokerError; at once while disconnected: nothing is kept for later. */
  publish(publication: Publication, options: PublishOptions): Promise<void>

  /** Makes sure of the streams, now and after every reconnection; until it succeeds, `faults` says why it does not. */
  declare(streams: readonly StreamSpec[]): void

  /** Starts when there is a connection and a stream that covers the subject, goes on after every reconnection. */
  consume(consumer: ConsumerSpec, handle: BatchHandler): Ongoing

  /** Answers requests on the subject, which may have wildcards; servers of one queue share them. */
  serve(subject: string, queue: string, answer: RequestHandler): Ongoing

  /** What does not work although there is a connection, one sentence each. */
  faults(): readonly string[]
}

/** `refused`: the broker answered, and will answer the same until somebody changes something. */
export type BrokerErrorReason = 'disconnected' | 'timeout' | 'refused'

export class BrokerError extends Error {
  override readonly name = 'BrokerError'
  readonly reason: BrokerErrorReason
  /** The broker's own code, if it gave one. */
  readonly code: number | null

  constructor(
    reason: BrokerErrorReason,
    message: string,
    { code = null, cause }: { code?: number | null; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
    this.code = code
  }
}

/** Everything that does not work, the connection included; one sentence each. */
export function brokerFaults(broker: Broker): readonly string[] {
  const { state } = broker
  return state.type === 'disconnected' ? [`disconnected: ${state.reason}`] : broker.faults()
}

/** The first value. */
export function headerOf({ headers }: { readonly headers: readonly Header[] }, name: string): string | undefined {
  const wanted = name.toLowerCase()
  return headers.find(([one]) => one.toLowerCase() === wanted)?.[1]
}
