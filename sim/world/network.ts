// Messages between nodes, each with an answer: they take time, get lost, come twice and overtake each other, and a link can
// be cut in one direction. Whoever waits for an answer gives up after a while. What is said is copied, as on a wire.

import type { SeededRandom } from '../../test/support/seeded-random.ts'
import type { FaultCounts, FaultKind, Faults } from '../faults.ts'
import { neverAnswered } from './incarnation.ts'
import type { Incarnation } from './incarnation.ts'
import type { Scheduler } from './scheduler.ts'

/** Who listens at an address. */
export type Listener = {
  readonly incarnation: Incarnation
  answer(message: Message): Promise<unknown>
}

export type Message = { readonly type: string; readonly body: unknown }

/** `maybeDone`: the other side may have got the message. */
export class PeerError extends Error {
  readonly maybeDone: boolean

  constructor(message: string, { maybeDone }: { readonly maybeDone: boolean }) {
    super(message)
    this.maybeDone = maybeDone
  }
}

const LATENCY_MS = 0.8
const SLOW_CHANCE = 0.15
const SLOW_MS_MAX = 1_200
const LOST_CHANCE = 0.05
const REPEATED_CHANCE = 0.08
const UNSENT_AFTER_MS = 250

export type NetworkParts = {
  readonly scheduler: Scheduler
  readonly random: SeededRandom
  readonly faults: () => Faults
  readonly counts: FaultCounts
  /** A message that somebody may miss is lost or late. */
  readonly onTrouble: (kind: FaultKind, from: string, until: number, about: string) => void
}

export class Network {
  readonly #parts: NetworkParts
  readonly #listeners = new Map<string, Listener>()
  readonly #cuts = new Map<string, number>()
  readonly #processes = new Map<string, Incarnation>()

  constructor(parts: NetworkParts) {
    this.#parts = parts
  }

  listen(listener: Listener): void {
    this.#listeners.set(listener.incarnation.address, listener)
    this.#processes.set(listener.incarnation.name, listener.incarnation)
  }

  /** As `runtime/process-life.ts` tells: only of a process on the machine of the one that asks. */
  hasEnded(name: string, asked: Incarnation): boolean {
    const process = this.#processes.get(name)
    return process !== undefined && process.address === asked.address && !process.isAlive
  }

  close(incarnation: Incarnation): void {
    if (this.#listeners.get(incarnation.address)?.incarnation === incarnation)
      this.#listeners.delete(incarnation.address)
  }

  /** From now until then nothing gets from the one to the other. */
  cut(from: string, to: string, until: number): void {
    this.#cuts.set(`${from}>${to}`, until)
  }

  /** `once`: over a stream that is broken rather than repeat anything. */
  ask(
    from: Incarnation,
    address: string,
    message: Message,
    { timeoutMs, once }: { readonly timeoutMs: number; readonly once: boolean },
  ): Promise<unknown> {
    const { scheduler, random, counts } = this.#parts
    if (!from.mayAct()) return neverAnswered()
    const faults = this.#parts.faults()
    const text = JSON.stringify(message)
    return new Promise((resolve, reject) => {
      let isOver = false
      const end = (tell: () => void): void => {
        if (isOver) return
        isOver = true
        cancelTimeout()
        forget()
        from.enter(tell)
      }
      let forget = (): void => {}
      const fail = (why: string, maybeDone: boolean): void => end(() => reject(new PeerError(why, { maybeDone })))
      const cancelTimeout = scheduler.after(timeoutMs, () => fail('no answer in time', true))
      const isLost = (one: string, other: string): boolean => {
        const isCut = (this.#cuts.get(`${one}>${other}`) ?? 0) > scheduler.now
        if (!isCut && !(faults.has('lostMessages') && random.chance(LOST_CHANCE))) return false
        this.#trouble(isCut ? 'cutLinks' : 'lostMessages', one, 0, message)
        return true
      }
      const arrive = (isFirst: boolean): void => {
        const to = this.#listeners.get(address)
        if (to === undefined || !to.incarnation.isAlive) {
          scheduler.after(this.#latencyMs(from.address, message), () => fail('connection refused', false))
          return
        }
        if (isFirst)
          forget = to.incarnation.onDeath(() => void scheduler.after(LATENCY_MS, () => fail('connection reset', true)))
        to.incarnation.enter(() => {
          to.answer(JSON.parse(text) as Message).then(
            (answer) => isFirst && reply(to, () => resolve(copied(answer))),
            (error: Error) => isFirst && reply(to, () => reject(new PeerError(error.message, { maybeDone: true }))),
          )
        })
      }
      const reply = (to: Listener, tell: () => void): void => {
        if (!to.incarnation.mayAct() || isLost(to.incarnation.address, from.address)) return
        scheduler.after(this.#latencyMs(from.address, message), () => end(tell))
      }
      if (isLost(from.address, address)) {
        // A stream that has been silent before is known to be broken: nothing is sent on it.
        if (once && random.chance(0.5)) scheduler.after(UNSENT_AFTER_MS, () => fail('not sent', false))
        return
      }
      scheduler.after(this.#latencyMs(from.address, message), () => arrive(true))
      if (!once && faults.has('repeatedMessages') && random.chance(REPEATED_CHANCE)) {
        counts.count('repeatedMessages')
        scheduler.after(this.#latencyMs(from.address, message) + random.next() * SLOW_MS_MAX, () => arrive(false))
      }
    })
  }

  #latencyMs(from: string, message: Message): number {
    const { random } = this.#parts
    const base = 0.1 + random.next() * LATENCY_MS
    if (!this.#parts.faults().has('slowMessages') || !random.chance(SLOW_CHANCE)) return base
    const slowMs = random.next() * SLOW_MS_MAX
    this.#trouble('slowMessages', from, slowMs, message)
    return base + slowMs
  }

  #trouble(kind: FaultKind, from: string, forMs: number, { type }: Message): void {
    const { scheduler, counts, onTrouble } = this.#parts
    counts.count(kind)
    if (type === 'moved' || type === 'report')
      onTrouble(kind, from, scheduler.now + forMs, `'${type}' of ${from}: ${kind}`)
  }
}

function copied(answer: unknown): unknown {
  return answer === undefined ? undefined : (JSON.parse(JSON.stringify(answer)) as unknown)
}
