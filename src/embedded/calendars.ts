// The calendars of a program's namespaces: named lists of days and times when nothing fires.

import type { WrittenCalendar } from '../core/time/calendar/calendar.ts'
import type { NamespaceCalendars } from '../service/calendars/namespace-calendars.ts'
import { checkCalendar } from './input/fields.ts'
import type { CalendarFields } from './input/fields.ts'
import { namespaceOf } from './input/names.ts'

export type Calendar = WrittenCalendar

/** In the namespace `default` unless it says another. */
type InNamespace = { readonly namespace?: string | undefined }

export class Calendars {
  readonly #calendars: NamespaceCalendars

  constructor(calendars: NamespaceCalendars) {
    this.#calendars = calendars
  }

  /** All of them, by name. */
  async list({ namespace }: InNamespace = {}): Promise<readonly Calendar[]> {
    return this.#calendars.list(namespaceOf(namespace))
  }

  /** CALENDAR_NOT_FOUND when there is none. */
  async get(name: string, { namespace }: InNamespace = {}): Promise<Calendar> {
    return this.#calendars.get(namespaceOf(namespace), name)
  }

  /** Makes it, or replaces the one of that name. */
  async put(name: string, fields: CalendarFields, { namespace }: InNamespace = {}): Promise<Calendar> {
    const { timeZone = 'UTC', exclude = [], allow = [] } = checkCalendar(fields)
    return this.#calendars.put(namespaceOf(namespace), { name, timeZone, exclude, allow })
  }

  /** Timers that name it go on without it. */
  async delete(name: string, { namespace }: InNamespace = {}): Promise<void> {
    return this.#calendars.delete(namespaceOf(namespace), name)
  }
}
