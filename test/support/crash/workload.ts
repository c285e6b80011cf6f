// Clients that go on working whatever happens to the service: they create timers, and later update, replace, cancel,
// pause and resume some of them. Each timer belongs to one client, which waits for every answer, so that its
// operations have an order; the clients work side by side. What they decide comes from one seed.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Client, TimerJson } from '../client.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { Behaviour, Cycle, Operation, OperationType, Payload, Refusal } from './history.ts'

export type WorkTimer = { readonly id: string; readonly operations: Operation[]; revision: number }

export type WorkerOptions = {
  readonly name: string
  readonly random: SeededRandom
  readonly client: Client
  readonly callbackUrl: string
  /** Resolves at once while the service takes requests, else when it does again. */
  readonly serviceUp: () => Promise<void>
}

type Step = { readonly at: number; readonly timer: WorkTimer; readonly type: OperationType }

const DUE_MIN_MS = 200
const DUE_MAX_MS = 5_000
const PAUSE_BETWEEN_MS = 10 // at most: keeps a client from drowning the two cores this has to run on
const INTERVAL_MS = 1_000 // the shortest that a cycle can have
const AFTER_DUE_MS = 400 // some changes come too late on purpose

/** Quick retries, and enough of them: what fails in this test fails a few times only. */
const RETRY_POLICY = { maxRetries: 20, initialInterval: '150ms', maxInterval: '400ms', multiplier: 1.5 }

export class Worker {
  readonly timers: WorkTimer[] = []
  readonly #options: WorkerOptions
  #steps: Step[] = []
  #creating = true

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  /** Until `finish` is called and everything that was planned has been done. */
  async run(): Promise<void> {
    const { random } = this.#options
    while (this.#creating || this.#steps.length > 0) {
      const step = this.#takeStep()
      if (step !== undefined) await this.#take(step)
      else if (this.#creating) await this.#begin()
      await sleep(random.between(0, PAUSE_BETWEEN_MS))
    }
  }

  /** No new timers; changes of those that exist are still made. */
  finish(): void {
    this.#creating = false
  }

  #takeStep(): Step | undefined {
    const step = this.#steps.find(({ at }) => at <= Date.now())
    if (step !== undefined) this.#steps = this.#steps.filter((other) => other !== step)
    return step
  }

  async #begin(): Promise<void> {
    const { name, random } = this.#options
    const timer: WorkTimer = { id: `${name}-${this.timers.length + 1}`, operations: [], revision: 0 }
    this.timers.push(timer)
    const isCycle = random.chance(0.08)
    const leadMs = random.between(DUE_MIN_MS, DUE_MAX_MS)
    await this.#create(timer, isCycle ? { repetitions: random.between(2, 4), intervalMs: INTERVAL_MS } : null, leadMs)
    this.#plan(
      timer,
      isCycle ? { none: 8, cancel: 2 } : { none: 45, update: 20, replace: 7, cancel: 18, pause: 10 },
      leadMs,
    )
  }

  #plan(timer: WorkTimer, weights: Readonly<Record<string, number>>, leadMs: number): void {
    const { random } = this.#options
    const later = () =>
      Date.now() + random.between(0, random.chance(0.2) ? leadMs + AFTER_DUE_MS : Math.round(leadMs / 2))
    const add = (type: OperationType, at = later()) => this.#steps.push({ at, timer, type })
    switch (random.weighted(weights)) {
      case 'update':
        for (let n = random.between(1, 3); n > 0; n--) add('update')
        if (random.chance(0.2)) add('cancel')
        break
      case 'replace':
        add('create')
        break
      case 'cancel':
        add('cancel')
        break
      case 'pause': {
        const at = later()
        add('pause', at)
        if (random.chance(0.7)) add('resume', at + random.between(0, 2_000))
        break
      }
      default:
    }
  }

  async #take({ timer, type }: Step): Promise<void> {
    const { client, random } = this.#options
    const name = { timerId: timer.id }
    const leadMs = random.between(DUE_MIN_MS, DUE_MAX_MS)
    switch (type) {
      case 'create':
        return this.#create(timer, null, leadMs)
      case 'update': {
        const payload = this.#payload(timer)
        return this.#perform(timer, { type, revision: payload.revision, leadMs }, (dueAt) =>
          client.update(name, { executeAt: isoText(dueAt), payload }),
        )
      }
      case 'cancel':
        return this.#perform(timer, { type }, () => client.cancel(name))
      case 'pause':
        return this.#perform(timer, { type }, () => client.pause(name))
      case 'resume':
        return this.#perform(timer, { type }, () => client.resume(name))
    }
  }

  #create(timer: WorkTimer, cycle: Cycle | null, leadMs: number): Promise<void> {
    const { client, callbackUrl } = this.#options
    const payload = this.#payload(timer, cycle)
    const rest = { id: timer.id, callbackUrl, payload, retryPolicy: RETRY_POLICY }
    return this.#perform(timer, { type: 'create', revision: payload.revision, leadMs, cycle }, (dueAt) =>
      client.create(
        cycle === null ? { ...rest, executeAt: isoText(dueAt) } : { ...rest, schedule: `R${cycle.repetitions}/PT1S` },
      ),
    )
  }

  #payload(timer: WorkTimer, cycle: Cycle | null = null): Payload {
    timer.revision++
    return { revision: timer.revision, behaviour: chooseBehaviour(this.#options.random, cycle) }
  }

  async #perform(
    timer: WorkTimer,
    what: Attempted,
    ask: (dueAt: number) => Promise<Answer<TimerJson | null>>,
  ): Promise<void> {
    await this.#options.serviceUp()
    const sentAt = Date.now()
    const dueAt = sentAt + (what.leadMs ?? 0)
    const answer = await ask(dueAt)
    timer.operations.push({
      type: what.type,
      revision: what.revision ?? null,
      dueAt: what.revision === undefined ? null : what.cycle ? firstIterationOf(answer) : dueAt,
      cycle: what.cycle ?? null,
      sentAt,
      endedAt: Date.now(),
      outcome: answer.type === 'ok' ? 'acknowledged' : answer.type,
      refusal: answer.type === 'refused' ? refusalOf(answer) : null,
    })
  }
}

type Attempted = {
  readonly type: OperationType
  readonly revision?: number
  readonly leadMs?: number
  readonly cycle?: Cycle | null
}

function chooseBehaviour(random: SeededRandom, cycle: Cycle | null): Behaviour {
  if (cycle !== null) return { type: 'answer', afterMs: random.chance(0.2) ? 300 : 0 }
  switch (random.weighted({ prompt: 70, slow: 5, failing: 15, rescheduling: 10 })) {
    case 'prompt':
      return { type: 'answer', afterMs: 0 }
    case 'slow':
      return { type: 'answer', afterMs: random.between(300, 2_000) }
    case 'failing':
      return { type: 'fail', attempts: random.between(1, 3) }
    case 'rescheduling':
      return { type: 'reschedule', byMs: random.between(300, 1_500) }
  }
}

function firstIterationOf(answer: Answer<TimerJson | null>): number | null {
  return answer.type === 'ok' && answer.body !== null ? Date.parse(answer.body.executeAt) : null
}

function refusalOf({ status, body }: Extract<Answer<unknown>, { type: 'refused' }>): Refusal {
  const timerStatus = body.details?.['status']
  return { status, code: body.error, timerStatus: typeof timerStatus === 'string' ? timerStatus : null }
}

function isoText(at: number): string {
  return new Date(at).toISOString()
}
