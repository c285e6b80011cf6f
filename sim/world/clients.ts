// The clients. A request goes to one of the nodes; when nobody answers it is sent again, to the next one, as clients do. What
// they were told, and when, is what the checkers judge by.

import { DuetimeError, ErrorCode } from '../../src/core/errors.ts'
import type { Status } from '../../src/core/timer/timer.ts'
import { SeededRandom } from '../../test/support/seeded-random.ts'
import type { FaultCounts, Faults } from '../faults.ts'
import type { Answer, Operation, Wish } from '../history.ts'
import type { PlannedRequest } from '../plan/plan.ts'
import { answerOf, commandOf, identityOf, nameOf, wishAt } from './client-requests.ts'
import type { SimulatedNode } from './node.ts'
import type { Scheduler } from './scheduler.ts'

const LATENCY_MS = 1.5
const LOOKS_CHANCE = 0.7 // a client that does not know what became of its request has a look
const RELIES_CHANCE = 0.7 // and goes on by what it has seen
const LOST_CHANCE = 0.06
const GIVES_UP_AFTER_MS = 20_000
const ANSWER_LOST_AFTER_MS = 2_000
const RECONNECTS_MAX = 6
const NOT_STORED = /nothing was (?:stored|done)/

export type ClientParts = {
  readonly seed: number
  readonly scheduler: Scheduler
  readonly machines: number
  readonly nodeAt: (machine: number) => SimulatedNode | null
  readonly faults: () => Faults
  readonly counts: FaultCounts
  /** Something was answered that must not be. */
  readonly onFatal: (what: string) => void
}

/** `next`: what the client does when it has the answer. */
type Tries = { readonly repeats: number; readonly reconnects: number; readonly next?: PlannedRequest }

const FIRST_TRY: Tries = { repeats: 0, reconnects: 0 }

export class Clients {
  readonly operations: Operation[] = []
  readonly #parts: ClientParts
  readonly #versions = new Map<string, number>()

  constructor(parts: ClientParts) {
    this.#parts = parts
  }

  /** None waits for an answer any more. */
  get areDone(): boolean {
    return this.operations.every(({ endedAt }) => endedAt !== null)
  }

  send(request: PlannedRequest): void {
    const { scheduler, seed } = this.#parts
    const wish = request.wish === null ? null : wishAt(request.wish, scheduler.now)
    this.#try(request, wish, new SeededRandom(seed * 1_000_003 + request.number), FIRST_TRY)
  }

  #try(request: PlannedRequest, wish: Wish | null, random: SeededRandom, tries: Tries): void {
    const { scheduler, machines, nodeAt, counts } = this.#parts
    const node = nodeAt((request.node + tries.repeats + tries.reconnects) % machines)
    if (node === null || !node.isOpen) {
      // Nobody listens: the client knows that nothing was done.
      if (tries.reconnects >= RECONNECTS_MAX) return
      scheduler.after(100 + random.next() * 900, () =>
        this.#try(request, wish, random, { ...tries, reconnects: tries.reconnects + 1 }),
      )
      return
    }
    const operation = this.#note(request, wish, node)
    const faults = this.#parts.faults()
    const isLost = faults.has('lostRequests') && random.chance(LOST_CHANCE)
    const isAnswerLost = faults.has('lostRequests') && random.chance(LOST_CHANCE)
    if (isLost || isAnswerLost) counts.count('lostRequests')
    const end = (outcome: Partial<Operation>): void => {
      if (operation.endedAt !== null) return
      cancelPatience()
      forget()
      Object.assign(operation, outcome, { endedAt: scheduler.now })
      if (operation.answer !== null) this.#saw(operation.timer, operation.answer)
      const { next } = tries
      if (operation.outcome === 'done' && next !== undefined)
        scheduler.after(random.next() * 20, () => this.#try(next, null, random, FIRST_TRY))
      if (operation.outcome !== 'unknown') return
      if (request.type !== 'get' && random.chance(LOOKS_CHANCE)) this.#look(request, random)
      if (tries.repeats >= request.repeats) return
      scheduler.after(50 + random.next() * 1_000, () =>
        this.#try(request, wish, random, { ...tries, repeats: tries.repeats + 1 }),
      )
    }
    const unknown = { outcome: 'unknown' } as const
    const patienceMs = isLost || isAnswerLost ? ANSWER_LOST_AFTER_MS : GIVES_UP_AFTER_MS
    const cancelPatience = scheduler.after(patienceMs, () => end(unknown))
    const forget = node.incarnation.onDeath(() => void scheduler.after(LATENCY_MS, () => end(unknown)))
    if (isLost) return
    scheduler.after(random.next() * LATENCY_MS, () =>
      node.incarnation.enter(() => {
        const reply = (outcome: Partial<Operation>): void => {
          if (!node.incarnation.mayAct() || isAnswerLost) return
          scheduler.after(random.next() * LATENCY_MS, () => end(outcome))
        }
        this.#perform(request, wish, node, operation.ifVersion).then(
          (answer) => reply({ outcome: 'done', answer }),
          (error: unknown) => reply(this.#failure(error, operation)),
        )
      }),
    )
  }

  /** A `resume` of a timer that is awake changes nothing, so nothing but its answer shows by what it was judged. */
  #look(request: PlannedRequest, random: SeededRandom): void {
    const quiet = { ...request, wish: null, repeats: 0, ifVersion: false }
    const look: PlannedRequest = { ...quiet, type: 'get', node: random.between(0, 3) }
    const next: PlannedRequest = { ...quiet, type: 'resume', node: random.between(0, 3) }
    const relies = request.timer.contract !== 'platform' && random.chance(RELIES_CHANCE)
    const waitMs = random.next() * (random.chance(0.5) ? 20 : 400)
    this.#parts.scheduler.after(waitMs, () =>
      this.#try(look, null, random, relies ? { ...FIRST_TRY, next } : FIRST_TRY),
    )
  }

  async #perform(
    request: PlannedRequest,
    wish: Wish | null,
    node: SimulatedNode,
    ifVersion: number | null,
  ): Promise<Answer> {
    const timers = node.timersFor(request.timer.namespace).arrived()
    const command = commandOf(request, wish, timers, ifVersion)
    if (command === null) return answerOf(await timers.get(identityOf(request.timer)), false)
    const { timer, changed } = await timers.execute(command)
    return answerOf(timer, changed)
  }

  #failure(error: unknown, { type, timer }: Operation): Partial<Operation> {
    if (!(error instanceof DuetimeError)) {
      this.#parts.onFatal(
        `a ${type} of ${timer} was answered with a defect: ${String((error as Error).stack ?? error)}`,
      )
      return { outcome: 'unknown' }
    }
    const { code, message, details } = error
    if (code === ErrorCode.unavailable && !NOT_STORED.test(message)) return { outcome: 'unknown', code }
    const refusedStatus = (details['status'] as Status | undefined) ?? null
    const refusedVersion = (details['version'] as number | undefined) ?? null
    return { outcome: 'refused', code, refusedStatus, refusedVersion }
  }

  #note(request: PlannedRequest, wish: Wish | null, node: SimulatedNode): Operation {
    const version = this.#versions.get(nameOf(request.timer)) ?? null
    const isWrite = request.type === 'create' || request.type === 'update'
    const operation: Operation = {
      number: this.operations.length + 1,
      timer: nameOf(request.timer),
      type: request.type,
      contract: request.timer.contract,
      revision: isWrite ? request.number : null,
      wish,
      retry: isWrite ? request.retry : null,
      timeoutMs: request.timeoutMs,
      ifVersion: request.ifVersion && request.timer.contract === 'v1' ? version : null,
      node: node.incarnation.name,
      sentAt: this.#parts.scheduler.now,
      endedAt: null,
      outcome: 'unknown',
      code: null,
      refusedStatus: null,
      refusedVersion: null,
      answer: null,
    }
    this.operations.push(operation)
    return operation
  }

  #saw(timer: string, { version }: Answer): void {
    this.#versions.set(timer, version)
  }
}
