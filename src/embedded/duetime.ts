// The timers of a program: what `openDuetime` gives. Every method resolves when what it asks for is durable, and
// rejects with a DuetimeError whose `code` is one of the catalogue's.

import { unrestricted } from '../core/access/access.ts'
import type { Command } from '../core/rules/command.ts'
import { DuetimeError, invalidInput } from '../core/errors.ts'
import { PAGE_TIMERS_DEFAULT, PAGE_TIMERS_MAX, PREVIEW_FIRINGS_DEFAULT, PREVIEW_FIRINGS_MAX } from '../core/limits.ts'
import { cursorText, readCursor } from '../language/cursor.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import type { TimerService } from '../service/timer-service.ts'
import type { Timers } from '../service/timers.ts'
import type { FunctionTarget } from '../targets/function/function-target.ts'
import { identityOf, namespaceOf } from './input/names.ts'
import { Calendars } from './calendars.ts'
import { createCommand, scheduleOf, updateCommand } from './commands.ts'
import { createAll, createMany } from './create-many.ts'
import type { CreateManyOptions, CreateManyProgress } from './create-many.ts'
import { checkList, checkPreview } from './input/fields.ts'
import type { CreateFields, ListFields, TimerRef, UpdateFields } from './input/fields.ts'
import { timerFunction } from './handler.ts'
import type { Handler } from './handler.ts'
import { listFilter } from './input/list-filter.ts'
import { shownTimer } from './shown-timer.ts'
import type { Timer } from './shown-timer.ts'
import { durationMs, instantAt } from './input/when.ts'
import type { DurationLike, InstantLike, When } from './input/when.ts'

export type DuetimeParts = {
  readonly service: TimerService
  readonly functions: FunctionTarget
  readonly clock: Clock
  readonly payloadMaxBytes: number
  readonly close: (graceMs?: number) => Promise<void>
}

/** One of a batch: stored, or refused for its own reason. */
export type BatchResult<Payload = unknown> =
  | { readonly ok: true; readonly timer: Timer<Payload> }
  | { readonly ok: false; readonly error: DuetimeError }

/** `nextCursor`: null on the last page. */
export type TimerPage<Payload = unknown> = {
  readonly timers: readonly Timer<Payload>[]
  readonly nextCursor: string | null
}

export class Duetime implements AsyncDisposable {
  readonly #parts: DuetimeParts
  readonly #timers: Timers
  readonly #creating: { readonly timers: Timers; readonly payloadMaxBytes: number }
  /** Named lists of days and times when nothing fires. */
  readonly calendars: Calendars

  constructor(parts: DuetimeParts) {
    this.#parts = parts
    this.#timers = parts.service.as(unrestricted('program'))
    this.#creating = { timers: this.#timers, payloadMaxBytes: parts.payloadMaxBytes }
    this.calendars = new Calendars(this.#timers.calendars)
  }

  /**
   * Says what the timers of a namespace call. Those that came due before wait for this. Gives the way to take it back.
   * `concurrency`: how many calls may be under way at once; 256 if left out.
   */
  handle<Payload = unknown>(
    namespace: string,
    handler: Handler<Payload>,
    options: { readonly concurrency?: number } = {},
  ): () => void {
    const { concurrency } = options
    const name = namespaceOf(namespace)
    const { functions, clock } = this.#parts
    if (typeof handler !== 'function') throw invalidInput('handler', 'the handler must be a function')
    if (functions.has(name))
      throw invalidInput('namespace', `namespace '${name}' has a handler already; take that back first`)
    if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency >= 1)) {
      throw invalidInput('concurrency', 'concurrency must be a whole number from 1')
    }
    return functions.register(name, timerFunction(handler, clock), concurrency)
  }

  async create<Payload = unknown>(fields: CreateFields<Payload>): Promise<Timer<Payload>> {
    const { timer } = await this.#timers.execute(createCommand(fields, this.#creating))
    return shownTimer(timer)
  }

  /** Many at once, sharing commits. Each has its own answer, in the order given: one that is refused does not stop the others. */
  async batch<Payload = unknown>(all: readonly CreateFields<Payload>[]): Promise<BatchResult<Payload>[]> {
    const made = await createAll(this.#creating, all)
    return made.map((one) =>
      one instanceof DuetimeError ? { ok: false, error: one } : { ok: true, timer: shownTimer<Payload>(one) },
    )
  }

  /**
   * Any number, from an iterable or a stream, some at a time. Resolves when all are stored. With `onRefused`, timers that are
   * refused are passed over; without it the first refusal ends it, and those stored by then stay.
   */
  async createMany<Payload = unknown>(
    all: Iterable<CreateFields<Payload>> | AsyncIterable<CreateFields<Payload>>,
    options: CreateManyOptions<Payload> = {},
  ): Promise<CreateManyProgress> {
    return createMany(this.#creating, all, options)
  }

  async get<Payload = unknown>(ref: TimerRef): Promise<Timer<Payload>> {
    return shownTimer(await this.#timers.get(identityOf(ref), { secrets: true }))
  }

  /** Timers of one namespace, live ones first by their time. */
  async list<Payload = unknown>(fields: ListFields = {}): Promise<TimerPage<Payload>> {
    const { limit = PAGE_TIMERS_DEFAULT, cursor, ...filter } = checkList(fields)
    const { timers, next } = await this.#timers.list({
      filter: listFilter(filter),
      after: cursor === undefined ? null : readCursor(cursor),
      limit: Math.min(limit, PAGE_TIMERS_MAX),
    })
    return {
      timers: timers.map((timer) => shownTimer<Payload>(timer)),
      nextCursor: next === null ? null : cursorText(next),
    }
  }

  /** Only what is given changes. Once it resolves, the timer never fires by its old version. */
  async update<Payload = unknown>(ref: TimerRef, changes: UpdateFields<Payload>): Promise<Timer<Payload>> {
    return this.#execute(updateCommand(ref, changes, this.#parts.payloadMaxBytes))
  }

  /** Once it resolves, the timer's handler is never called. Too late for one that is being handled: TIMER_NOT_PENDING. */
  async cancel(ref: TimerRef, { ifVersion }: { readonly ifVersion?: number } = {}): Promise<Timer> {
    return this.#execute({ type: 'cancel', ...identityOf(ref), ifVersion: ifVersion ?? null })
  }

  /** Fires it now. */
  async trigger(ref: TimerRef): Promise<Timer> {
    return this.#execute({ type: 'trigger', ...identityOf(ref) })
  }

  /** `until`: the pause ends then by itself. */
  async pause(ref: TimerRef, { until }: { readonly until?: InstantLike } = {}): Promise<Timer> {
    const ends = until === undefined ? {} : { until: instantAt(until, 'until') }
    return this.#execute({ type: 'pause', ...identityOf(ref), ...ends })
  }

  async resume(ref: TimerRef): Promise<Timer> {
    return this.#execute({ type: 'resume', ...identityOf(ref) })
  }

  /** Brings a failed timer back, with all its attempts. */
  async retry(ref: TimerRef): Promise<Timer> {
    return this.#execute({ type: 'retry', ...identityOf(ref) })
  }

  /** As `preview`, for a timer that may name a calendar of the namespace. */
  async previewOnCalendar(
    given: When & { readonly count?: number; readonly namespace?: string | undefined },
  ): Promise<Date[]> {
    const { count = PREVIEW_FIRINGS_DEFAULT, namespace, ...when } = checkPreview(given)
    const schedule = scheduleOf(when)
    const calendars = await this.#timers.calendars.for(schedule, namespaceOf(namespace))
    const { firings } = this.#timers.preview(schedule, { count: Math.min(count, PREVIEW_FIRINGS_MAX), calendars })
    return firings.map(({ dueAt }) => new Date(dueAt))
  }

  /** When a timer like this, created now, would fire: its next five times, or `count`. Nothing is stored. */
  preview(given: When & { readonly count?: number }): Date[] {
    const { count = PREVIEW_FIRINGS_DEFAULT, ...when } = checkPreview(given)
    return this.#timers
      .preview(scheduleOf(when), { count: Math.min(count, PREVIEW_FIRINGS_MAX) })
      .firings.map(({ dueAt }) => new Date(dueAt))
  }

  /**
   * Starts no handler any more and waits for those under way, for `grace` at most (10s if left out). What is not done by
   * then is told by its signal, and called again after the next start. Nothing is lost by a process that just ends, either.
   */
  async close({ grace }: { readonly grace?: DurationLike } = {}): Promise<void> {
    await this.#parts.close(grace === undefined ? undefined : durationMs(grace, 'grace', this.#parts.clock.now()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #execute<Payload>(command: Command): Promise<Timer<Payload>> {
    return shownTimer<Payload>((await this.#timers.execute(command)).timer)
  }
}
