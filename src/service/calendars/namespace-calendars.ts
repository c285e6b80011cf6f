// The calendars of namespaces, as one principal may see and change them. Who may read the timers of a namespace may read its
// calendars, and who may change those may change these. All calendars of a namespace are one document (see core/rules/internal/document.ts),
// so that whoever needs one reads one row; two changes at the same moment are made one after the other.

import { assertAccess, assertEnabled, Permission } from '../../core/access/access.ts'
import type { Principal } from '../../core/access/access.ts'
import { DuetimeError, ErrorCode, invalidInput, unavailable } from '../../core/errors.ts'
import { CALENDARS_BYTES_MAX, CALENDARS_MAX } from '../../core/limits.ts'
import { Calendar, parseCalendarName } from '../../core/time/calendar/calendar.ts'
import type { WrittenCalendar } from '../../core/time/calendar/calendar.ts'
import type { Calendars } from '../../core/time/recurring/on-calendar.ts'
import type { Schedule } from '../../core/time/schedule.ts'
import type { Namespace, Timer } from '../../core/timer/timer.ts'
import { calendarsRow, calendarsText, readCalendars } from '../../engine/calendars/node-calendars.ts'
import { asking } from '../queries/store-failures.ts'
import type { ShardCommand } from '../../core/rules/command.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Executed } from '../../engine/shard-commands.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { GatheredGets } from '../../store/gathered-gets.ts'

const ROUNDS_MAX = 20 // by how many changes of others a change may be overtaken; a client may ask again
const RETRY_AFTER_MS = 1_000

/** See TimersParts. */
type Parts = {
  readonly engine: Pick<Engine, 'calendars' | 'find'>
  readonly executor: { execute(command: ShardCommand): Promise<Executed> }
  readonly reads: GatheredGets
  readonly clock: Clock
  readonly namespaces: ReadonlySet<Namespace>
}

export class NamespaceCalendars {
  readonly #principal: Principal
  readonly #parts: Parts

  constructor(principal: Principal, parts: Parts) {
    this.#principal = principal
    this.#parts = parts
  }

  /** By name. */
  async list(namespace: Namespace): Promise<readonly WrittenCalendar[]> {
    this.#assertMay(Permission.read, namespace)
    return calendarsOf(await this.#row(namespace))
  }

  async get(namespace: Namespace, name: string): Promise<WrittenCalendar> {
    const found = (await this.list(namespace)).find((one) => one.name === parseCalendarName(name))
    if (found === undefined) throw calendarNotFound(namespace, name)
    return found
  }

  /** Makes it, or replaces the one of that name. Resolves when that is durable; on other nodes it counts within a second. */
  async put(namespace: Namespace, written: WrittenCalendar): Promise<WrittenCalendar> {
    this.#assertMay(Permission.timer, namespace)
    parseCalendarName(written.name)
    new Calendar(written).assertAllowsSome(this.#parts.clock.now())
    await this.#change(namespace, (others) => [...others.filter(({ name }) => name !== written.name), written])
    return written
  }

  /** Timers that name it go on without it. */
  async delete(namespace: Namespace, name: string): Promise<void> {
    this.#assertMay(Permission.timer, namespace)
    parseCalendarName(name)
    await this.#change(namespace, (before) => {
      const others = before.filter((one) => one.name !== name)
      if (others.length === before.length) throw calendarNotFound(namespace, name)
      return others
    })
  }

  /** What a schedule needs to be computed; undefined when it names none. */
  async for(schedule: Schedule, namespace: Namespace): Promise<Calendars | undefined> {
    if (schedule.rules?.calendar === undefined) return undefined
    this.#assertMay(Permission.read, namespace)
    return asking(Promise.resolve(this.#parts.engine.calendars.of(namespace)))
  }

  #assertMay(permission: Permission, namespace: Namespace): void {
    assertAccess(this.#principal, permission, namespace)
    assertEnabled(this.#parts.namespaces, namespace)
  }

  #row(namespace: Namespace): Promise<Timer | null> {
    const { reads, engine } = this.#parts
    return asking(engine.find(calendarsRow(namespace), reads))
  }

  async #change(
    namespace: Namespace,
    change: (before: readonly WrittenCalendar[]) => readonly WrittenCalendar[],
  ): Promise<void> {
    const { executor, engine } = this.#parts
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const row = await this.#row(namespace)
      const document = documentOf(change(calendarsOf(row)))
      const command = { type: 'document', ...calendarsRow(namespace), document, ifVersion: row?.version ?? 0 } as const
      try {
        const { timer } = await executor.execute(command)
        return engine.calendars.apply(namespace, timer)
      } catch (error) {
        if (!(error instanceof DuetimeError) || error.code !== ErrorCode.versionConflict) throw error
      }
    }
    throw unavailable('the calendars are being changed by too many others at once: nothing was stored', RETRY_AFTER_MS)
  }
}

function calendarsOf(row: Timer | null): readonly WrittenCalendar[] {
  return row === null ? [] : Array.from(readCalendars(row.payload!).values(), ({ written }) => written)
}

function documentOf(calendars: readonly WrittenCalendar[]) {
  if (calendars.length > CALENDARS_MAX)
    throw invalidInput('name', `a namespace has at most ${CALENDARS_MAX} calendars: delete one first`)
  const document = calendarsText(calendars.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
  if (document.length <= CALENDARS_BYTES_MAX) return document
  throw invalidInput('exclude', `the calendars of a namespace have at most ${CALENDARS_BYTES_MAX} characters together`)
}

function calendarNotFound(namespace: Namespace, name: string): DuetimeError {
  const message = `no calendar '${name}' in namespace '${namespace}'`
  return new DuetimeError(ErrorCode.calendarNotFound, message, { namespace, calendar: name })
}
