// Whether a stream stores what is published on a subject. The broker does not say so by itself, so it is asked, and the
// answer remembered for a while. A wrong memory does no harm: a publish that finds no stream reports it and forgets, and
// a stream that came since stores the message all the same, only without telling us.

import { errors } from '@nats-io/transport-node'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Millis } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { BrokerError } from '../broker.ts'

const COVERED_FOR_MS = 300_000 // every publish checks it anyway
const UNCOVERED_FOR_MS = 10_000 // so soon is a new stream noticed
const SUBJECTS_MAX = 10_000 // about 200 bytes each; beyond that the oldest are asked about again
const ANSWER_WITHIN_MS = 1_000 // the shortest time limit that a delivery can have

type Known = { readonly covered: Promise<boolean>; until: Millis }

export class StreamCoverage {
  readonly #connection: NatsConnection
  readonly #clock: Clock
  readonly #known = new Map<string, Known>()

  constructor(connection: NatsConnection, clock: Clock) {
    this.#connection = connection
    this.#clock = clock
  }

  /** Rejects when the broker does not answer: then nothing is known, and a guess could lose the message. */
  isCovered(subject: string): Promise<boolean> {
    const known = this.#known.get(subject)
    if (known !== undefined && known.until > this.#clock.monotonic()) return known.covered
    const asked: Known = { covered: this.#ask(subject), until: Infinity }
    this.#remember(subject, asked)
    asked.covered.then(
      (covered) => (asked.until = this.#clock.monotonic() + (covered ? COVERED_FOR_MS : UNCOVERED_FOR_MS)),
      () => this.forget(subject),
    )
    return asked.covered
  }

  forget(subject: string): void {
    this.#known.delete(subject)
  }

  #remember(subject: string, known: Known): void {
    this.#known.delete(subject)
    this.#known.set(subject, known)
    if (this.#known.size > SUBJECTS_MAX) this.#known.delete(this.#known.keys().next().value!)
  }

  async #ask(subject: string): Promise<boolean> {
    try {
      const answer = await this.#connection.request('$JS.API.STREAM.NAMES', JSON.stringify({ subject }), {
        timeout: ANSWER_WITHIN_MS,
      })
      return namesAStream(answer.json<unknown>(), subject)
    } catch (error) {
      if (error instanceof BrokerError) throw error
      // JetStream is switched off, or this user may not use it: then no stream is ours to wait for.
      if (error instanceof errors.RequestError && error.isNoResponders()) return false
      if (error instanceof errors.PermissionViolationError) return false
      throw new BrokerError('timeout', `the broker did not say whether a stream covers '${subject}'`, { cause: error })
    }
  }
}

function namesAStream(answer: unknown, subject: string): boolean {
  const { streams, error } = answer as {
    streams?: readonly string[] | null
    error?: { code: number; description: string }
  }
  if (error === undefined) return (streams?.length ?? 0) > 0
  // 503: JetStream is not enabled for the account.
  if (error.code === 503 && /not enabled/i.test(error.description)) return false
  const message = `the broker could not say whether a stream covers '${subject}': ${error.description}`
  throw new BrokerError('refused', message, { code: error.code })
}
