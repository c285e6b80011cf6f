// The calendars that timers name, as this node knows them. Those of a namespace are one document, read when a timer needs it and
// kept; one that is older than a moment is read again before it is used. So nothing is loaded at the start and nothing is polled, a
// timer without a calendar costs nothing, and a change counts on every node within that moment.

import { Calendar } from '../../core/time/calendar/calendar.ts'
import type { WrittenCalendar } from '../../core/time/calendar/calendar.ts'
import type { Calendars } from '../../core/time/recurring/on-calendar.ts'
import type { ShardCommand } from '../../core/rules/command.ts'
import { INTERNAL_PREFIX, timerIdentity } from '../../core/timer/ids.ts'
import type { TimerIdentity } from '../../core/timer/ids.ts'
import type { JsonText, Namespace, Timer, TimerId } from '../../core/timer/timer.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'

export const CALENDARS_NAMESPACE = `${INTERNAL_PREFIX}calendars` as Namespace
const FRESH_MS = 1_000
const ASK_AGAIN_FIRST_MS = 100
const ASK_AGAIN_MAX_MS = 500
const NAMESPACES_MAX = 1_000 // those used last; each has some kilobytes

/** The row that holds the calendars of a namespace. */
export function calendarsRow(namespace: Namespace): TimerIdentity {
  return timerIdentity(CALENDARS_NAMESPACE, namespace as string as TimerId)
}

export function calendarsText(calendars: readonly WrittenCalendar[]): JsonText {
  return JSON.stringify({ calendars }) as JsonText
}

/** Throws what is wrong. */
export function readCalendars(text: JsonText): Calendars {
  const { calendars } = JSON.parse(text) as { readonly calendars: readonly WrittenCalendar[] }
  return new Map(calendars.map((written) => [written.name, new Calendar(written)]))
}

type Known = {
  readonly version: number
  readonly calendars: Calendars
  /** By the monotonic clock. */
  readonly readAt: number
}

const NONE: Calendars = new Map()

export type NodeCalendarsParts = {
  /** What is stored of a timer. */
  readonly read: (row: TimerIdentity) => Promise<Timer | null>
  readonly clock: Clock
  readonly logger: Logger
}

export class NodeCalendars {
  readonly #parts: NodeCalendarsParts
  readonly #known = new Map<Namespace, Known>()
  readonly #reading = new Map<Namespace, Promise<Known>>()
  /** Timers whose calendar is not there are noticed once for each name. */
  readonly #missed = new Set<string>()

  constructor(parts: NodeCalendarsParts) {
    this.#parts = parts
  }

  /** Those of the namespace. Rejects as the store does. */
  of(namespace: Namespace): Calendars | Promise<Calendars> {
    const known = this.#known.get(namespace)
    if (known !== undefined && this.#parts.clock.monotonic() - known.readAt < FRESH_MS) return known.calendars
    return this.#read(namespace).then(({ calendars }) => calendars)
  }

  /** For a timer that is due: asks until the store has told, or the service stops. */
  async waitFor(timer: Timer, signal: AbortSignal): Promise<Calendars | undefined> {
    const { clock, logger } = this.#parts
    const { namespace, id } = timer
    for (let waitMs = ASK_AGAIN_FIRST_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, ASK_AGAIN_MAX_MS)) {
      try {
        const calendars = await this.lastOf(namespace)
        this.#noticeMissing(timer, calendars)
        return calendars
      } catch (error) {
        logger.error({ namespace, id, err: error }, 'could not read the calendar of a timer; trying again')
      }
      await sleep(clock, waitMs, signal).catch(() => {})
    }
    return undefined
  }

  /** As `of`, for what cannot wait for the store: what was known last, if it cannot be asked now. */
  async lastOf(namespace: Namespace): Promise<Calendars> {
    try {
      return await this.of(namespace)
    } catch (error) {
      const known = this.#known.get(namespace)
      if (known === undefined) throw error
      return known.calendars
    }
  }

  /** This is the row now. */
  apply(namespace: Namespace, row: Pick<Timer, 'version' | 'payload'>): void {
    this.#keep(namespace, row, this.#parts.clock.monotonic())
  }

  /** A timer whose calendar is gone fires as if it named none, which somebody may not have meant. */
  #noticeMissing({ namespace, rules }: Pick<Timer, 'namespace' | 'rules'>, calendars: Calendars): void {
    const name = rules?.calendar?.name
    if (name === undefined || calendars.has(name)) return
    const key = `${namespace} ${name}`
    if (this.#missed.has(key) || this.#missed.size >= NAMESPACES_MAX) return
    this.#missed.add(key)
    this.#parts.logger.warn(
      { namespace, calendar: name },
      'timers name a calendar that is not there: they fire without it',
    )
  }

  #read(namespace: Namespace): Promise<Known> {
    const reading = this.#reading.get(namespace)
    if (reading !== undefined) return reading
    const asked = this.#readNow(namespace).finally(() => this.#reading.delete(namespace))
    this.#reading.set(namespace, asked)
    return asked
  }

  async #readNow(namespace: Namespace): Promise<Known> {
    const { read, clock } = this.#parts
    const readAt = clock.monotonic()
    const row = await read(calendarsRow(namespace))
    return this.#keep(namespace, row, readAt)
  }

  /** What is known may be newer than a row that was read meanwhile. */
  #keep(namespace: Namespace, row: Pick<Timer, 'version' | 'payload'> | null, readAt: number): Known {
    const before = this.#known.get(namespace)
    const version = row?.version ?? 0
    const isNew = before === undefined || version > before.version
    const calendars = !isNew ? before.calendars : row === null ? NONE : readCalendars(row.payload!)
    const known = { version: isNew ? version : before.version, calendars, readAt }
    this.#known.delete(namespace)
    if (this.#known.size >= NAMESPACES_MAX) this.#known.delete(this.#known.keys().next().value!)
    this.#known.set(namespace, known)
    return known
  }
}

/** Whether what the command makes of a timer depends on a calendar: that of a new schedule, or of the iterations of a pause. */
export function needsCalendar(command: ShardCommand, existing: Timer | null): boolean {
  if (command.type === 'create') return command.spec.schedule.rules?.calendar !== undefined
  if (command.type === 'update') return command.changes.schedule?.rules?.calendar !== undefined
  return command.type === 'resume' && existing?.rules?.calendar !== undefined
}
