// The calendars of a namespace: named lists of days and times when nothing fires. Timers name them in `calendar`.

import { DuetimeError, invalidInput } from './errors.ts'
import type { CalendarAnswer, CalendarBody } from './generated.ts'
import { queryText } from './transport/transport.ts'
import type { Call, CallOptions, Transport } from './transport/transport.ts'

export type Calendar = CalendarAnswer
export type CalendarFields = CalendarBody

/** In the client's namespace unless it says another. */
type InNamespace = CallOptions & { readonly namespace?: string | undefined }

export class Calendars {
  readonly #transport: Transport
  readonly #namespace: string

  constructor(transport: Transport, namespace: string) {
    this.#transport = transport
    this.#namespace = namespace
  }

  /** All of them, by name. */
  async list(options: InNamespace = {}): Promise<readonly Calendar[]> {
    const answer = await this.#request('GET', '', options)
    return (answer as { readonly calendars: readonly Calendar[] }).calendars
  }

  /** Throws `CALENDAR_NOT_FOUND` when there is none. */
  async get(name: string, options: InNamespace = {}): Promise<Calendar> {
    return (await this.#request('GET', pathOf(name), options)) as Calendar
  }

  /** Makes it, or replaces the one of that name. */
  async put(name: string, calendar: CalendarFields, options: InNamespace = {}): Promise<Calendar> {
    return (await this.#request('PUT', pathOf(name), options, () => calendar)) as Calendar
  }

  /** Timers that name it go on without it. Throws `CALENDAR_NOT_FOUND` when there is none. */
  async delete(name: string, options: InNamespace = {}): Promise<void> {
    let isRepeated = false
    try {
      // An attempt whose answer was lost may have deleted it.
      await this.#request('DELETE', pathOf(name), options, (uncertain) => void (isRepeated = uncertain))
    } catch (error) {
      if (!(isRepeated && error instanceof DuetimeError && error.code === 'CALENDAR_NOT_FOUND')) throw error
    }
  }

  async #request(
    method: Call['method'],
    path: string,
    { namespace = this.#namespace, ...options }: InNamespace,
    body?: Call['body'],
  ): Promise<unknown> {
    const call = { method, path: `/api/v1/calendars${path}${queryText({ namespace })}`, ...(body && { body }) }
    return (await this.#transport.request(call, this.#transport.budget(options))).body
  }
}

function pathOf(name: string): string {
  if (typeof name === 'string' && name !== '') return `/${encodeURIComponent(name)}`
  throw invalidInput('name', 'the name of a calendar must be a text that is not empty')
}
