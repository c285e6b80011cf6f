// The store as one process has it: calls travel to the database and their answers back. On the way they can be slow, be
// refused, or get lost, so that the caller does not know whether they were done. The contract of the port is kept: commits of
// a node are done in the order of the calls, so one that is done late holds up those behind it.

import type { SeededRandom } from '../../test/support/seeded-random.ts'
import { StoreError } from '../../src/store/store.ts'
import type { RowMove, Store } from '../../src/store/store.ts'
import type { Database, SimulatedMove, StoreMethod } from './database.ts'
import type { FaultCounts, FaultKind, Faults } from '../faults.ts'
import { neverAnswered } from './incarnation.ts'
import type { Incarnation } from './incarnation.ts'
import type { Scheduler } from './scheduler.ts'

type Pending = {
  readonly method: StoreMethod
  isDone: boolean
  isDropped: boolean
  fail: (error: StoreError) => void
}

type Commit = { readonly perform: () => void; hasArrived: boolean }

/** Troubles that the world makes for all connections, or for those of a machine. */
export type DatabaseTroubles = {
  /** Nothing is done before this time. */
  stalledUntil(address: string): number
  isCut(address: string): boolean
}

const LATENCY_MS = { fast: [0.1, 1.2], slow: [3, 40] } as const
const DEADLINE_MS = 10_000 // then the caller gives up, and the call may be done later all the same
const VERY_SLOW_CHANCE = 0.12 // an answer that is overtaken by much else
const VERY_SLOW_MS_MAX = 700
const LOST_CHANCE = 0.05
const REFUSED_CHANCE = 0.05
const LATER_MS_MAX = 3_000
const LAGGING_CHANCE = 0.5 // troubles seldom come alone: after a lost answer others of the same node are late for a while
const LAGGING_MS = 2_000
const LATE_READ_MS_MAX = 1_500
const CUT_CHANCE = 0.5 // of a move whose answer is lost: only its first step is done
const REFUSED_AFTER_MS = 2
const LATE_CLAIM_MS = 300 // with a message and a beat on top, the next owner has waited long enough for the message
const READS: ReadonlySet<StoreMethod> = new Set([
  'getMany',
  'due',
  'dueShards',
  'expired',
  'shards',
  'readEvents',
  'countEvents',
])

export type ConnectionParts = {
  readonly database: Database
  readonly incarnation: Incarnation
  readonly scheduler: Scheduler
  readonly random: SeededRandom
  readonly faults: () => Faults
  readonly counts: FaultCounts
  readonly troubles: DatabaseTroubles
  /** The node does not know who owns a shard, for as long or for good: it cannot tell the next owner what is in flight. */
  readonly onUnansweredClaim: (kind: FaultKind, node: string, forMs: number) => void
}

export class Connection {
  readonly #parts: ConnectionParts
  readonly #pending = new Set<Pending>()
  /** In the order of the calls: one that has arrived waits for those before it. */
  readonly #commits: Commit[] = []
  /** Until then the answers to reads are late. */
  #laggingUntil = 0

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    // What a dead process has sent may still be done, up to some point.
    parts.incarnation.onDeath(() => this.#drop())
  }

  asStore(): Store {
    const { database } = this.#parts
    return new Proxy({} as Store, {
      get: (_, property) => {
        if (property === 'capabilities') return database.capabilities
        if (property === 'close') return () => Promise.resolve()
        if (typeof property === 'symbol' || property === 'then') return undefined
        return (argument: unknown) => this.#call(property as StoreMethod, argument)
      },
    })
  }

  /** All connections of this node break. */
  break(): void {
    this.#drop()
    const lost = new StoreError('the connection was lost', { outcomeUnknown: true })
    for (const pending of this.#pending) pending.fail(lost)
  }

  /** Of what is not done yet, the later part never will be. */
  #drop(): void {
    const undone = Array.from(this.#pending).filter(({ isDone }) => !isDone)
    const from = this.#parts.random.between(0, undone.length)
    for (const pending of undone.slice(from)) pending.isDropped = true
  }

  #call(method: StoreMethod, argument: unknown): Promise<unknown> {
    const { incarnation, random, counts, troubles } = this.#parts
    if (!incarnation.mayAct()) return neverAnswered()
    const faults = this.#parts.faults()
    if (troubles.isCut(incarnation.address)) return this.#refuse()
    if (faults.has('refusedCalls') && random.chance(REFUSED_CHANCE)) {
      counts.count('refusedCalls')
      return this.#refuse()
    }
    if (faults.has('lostAnswers') && random.chance(LOST_CHANCE)) {
      counts.count('lostAnswers')
      if (method === 'claim') this.#parts.onUnansweredClaim('lostAnswers', incarnation.name, 0)
      return this.#lose(method, argument)
    }
    return this.#send(method, argument, 0, DEADLINE_MS)
  }

  #refuse(): Promise<never> {
    return new Promise((_, reject) => {
      const { scheduler, incarnation } = this.#parts
      scheduler.after(REFUSED_AFTER_MS, () =>
        incarnation.enter(() => reject(new StoreError('the connection was refused'))),
      )
    })
  }

  #lose(method: StoreMethod, argument: unknown): Promise<unknown> {
    const { random, scheduler, database } = this.#parts
    if (random.chance(LAGGING_CHANCE)) this.#laggingUntil = scheduler.now + LAGGING_MS
    const fate = random.weighted({ done: 3, undone: 2, later: READS.has(method) ? 0 : 2 })
    if (fate === 'undone') return this.#send(method, argument, Infinity, random.next() * 20)
    const isCut = method === 'move' && database.isPartitioned && random.chance(CUT_CHANCE)
    const laterMs = fate === 'done' ? 0 : random.next() * LATER_MS_MAX
    const sent = isCut ? ({ ...(argument as RowMove), isCut } satisfies SimulatedMove) : argument
    return this.#send(method, sent, laterMs, random.next() * (fate === 'done' ? 60 : 5))
  }

  /** It reaches the server `laterMs` later than it would; the caller gives up after `patienceMs`. */
  #send(method: StoreMethod, argument: unknown, laterMs: number, patienceMs: number): Promise<unknown> {
    const { scheduler, incarnation } = this.#parts
    return new Promise((resolve, reject) => {
      let isOver = false
      const end = (tell: () => void): void => {
        if (isOver) return
        isOver = true
        this.#pending.delete(pending)
        cancelDeadline()
        incarnation.enter(tell)
      }
      const pending: Pending = {
        method,
        isDone: false,
        isDropped: laterMs === Infinity,
        fail: (error) => end(() => reject(error)),
      }
      this.#pending.add(pending)
      const lost = new StoreError('the answer was lost', { outcomeUnknown: true })
      const cancelDeadline = scheduler.after(patienceMs, () => pending.fail(lost))
      if (pending.isDropped) return
      const answer = (tell: () => void): void => {
        const afterMs = this.#latencyMs() + this.#lateMs(method)
        if (method === 'claim' && afterMs > LATE_CLAIM_MS)
          this.#parts.onUnansweredClaim('slowDatabase', incarnation.name, afterMs)
        scheduler.after(afterMs, () => end(tell))
      }
      const perform = (): void => {
        if (pending.isDropped) return
        pending.isDone = true
        this.#parts.database.apply(method, argument).then(
          (result) => answer(() => resolve(result)),
          (error: Error) => answer(() => reject(error)),
        )
      }
      const commit: Commit = { perform, hasArrived: false }
      if (method === 'commit') this.#commits.push(commit)
      const arrive = (): void => {
        // A stall may have begun while it was on its way.
        if (this.#stalledMs > 0) {
          scheduler.after(this.#stalledMs, arrive)
        } else if (method === 'commit') {
          commit.hasArrived = true
          while (this.#commits[0]?.hasArrived === true) this.#commits.shift()!.perform()
        } else {
          perform()
        }
      }
      scheduler.after(this.#latencyMs() + laterMs, arrive)
    })
  }

  get #stalledMs(): number {
    const { troubles, incarnation, scheduler } = this.#parts
    return troubles.stalledUntil(incarnation.address) - scheduler.now
  }

  #lateMs(method: StoreMethod): number {
    const { scheduler, random } = this.#parts
    const isLate = scheduler.now < this.#laggingUntil && READS.has(method) && this.#parts.faults().has('lostAnswers')
    return isLate ? random.next() * LATE_READ_MS_MAX : 0
  }

  #latencyMs(): number {
    const { random } = this.#parts
    const isSlow = this.#parts.faults().has('slowDatabase')
    if (isSlow && random.chance(VERY_SLOW_CHANCE)) return random.next() * VERY_SLOW_MS_MAX
    const [low, high] = LATENCY_MS[isSlow ? 'slow' : 'fast']
    return low + random.next() * (high - low)
  }
}
