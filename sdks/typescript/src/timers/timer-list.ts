// Lists of any length: the next page is asked for when the one before has been read, never all at once.

import type { CancelBody, ListAnswer, ListBody } from '../generated.ts'
import type { Timer } from './timer.ts'
import type { InstantLike } from '../time/when.ts'
import { instantText } from '../time/when.ts'

/** The service takes instants as text. */
type WithInstants<Body> = Omit<Body, 'dueFrom' | 'dueTo'> & {
  /** Due at this instant or later. */
  readonly dueFrom?: InstantLike | undefined
  /** Due before this instant. */
  readonly dueTo?: InstantLike | undefined
}

/** Which timers. The client's namespace unless another is given. */
export type TimerFilter = WithInstants<Omit<CancelBody, 'all' | 'dryRun'>>
export type TimerField = keyof Timer & NonNullable<ListBody['fields']>[number]
/** Which timers and in which order, a page at a time; `limit` is the size of a page. */
export type PageQuery<Field extends TimerField = TimerField> = WithInstants<Omit<ListBody, 'fields'>> & {
  /** Which fields the timers have. Without `payload`, more of them fit on a page. */
  readonly fields?: readonly Field[] | undefined
}
/** All of them; `limit` is still the size of a page, not of the list. */
export type ListQuery<Field extends TimerField = TimerField> = Omit<PageQuery<Field>, 'cursor'>

/** A timer with the fields that were asked for. */
type Listed<Payload, Field extends TimerField> = TimerField extends Field ? Timer<Payload> : Pick<Timer<Payload>, Field>

export type Page<Payload = unknown, Field extends TimerField = TimerField> = Omit<ListAnswer, 'timers'> & {
  readonly timers: readonly Listed<Payload, Field>[]
}

/** Dates as the service takes them. */
export function wireFilter<Filter extends Pick<TimerFilter, 'dueFrom' | 'dueTo'>>(filter: Filter) {
  const { dueFrom, dueTo, ...rest } = filter
  return {
    ...rest,
    ...(dueFrom !== undefined && { dueFrom: instantText(dueFrom, 'dueFrom') }),
    ...(dueTo !== undefined && { dueTo: instantText(dueTo, 'dueTo') }),
  }
}

export class TimerList<Payload = unknown, Field extends TimerField = TimerField> implements AsyncIterable<
  Listed<Payload, Field>
> {
  readonly #query: ListQuery<Field>
  readonly #page: (query: PageQuery<Field>) => Promise<Page<Payload, Field>>

  constructor(query: ListQuery<Field>, page: (query: PageQuery<Field>) => Promise<Page<Payload, Field>>) {
    this.#query = query
    this.#page = page
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Listed<Payload, Field>, void, void> {
    for await (const { timers } of this.pages()) yield* timers
  }

  /** The same, a page at a time. A page can be empty and still be followed by another. */
  async *pages(): AsyncGenerator<Page<Payload, Field>, void, void> {
    let position: Position | null = {}
    while (position !== null) {
      const query: PageQuery<Field> = { ...this.#query, ...position }
      const page: Page<Payload, Field> = await this.#page(query)
      yield page
      position = after(page, query)
    }
  }

  /** All of them, or the first so many. */
  async toArray(max = Infinity): Promise<Listed<Payload, Field>[]> {
    const all: Listed<Payload, Field>[] = []
    if (max <= 0) return all
    for await (const timer of this) {
      all.push(timer)
      if (all.length >= max) break
    }
    return all
  }
}

type Position = { readonly cursor?: string; readonly offset?: number }

/** Where the next page begins: lists that are sorted or searched have a total instead of a cursor. */
function after<Field extends TimerField>(
  { timers, nextCursor, nextOffset, total }: Page<unknown, Field>,
  { offset = 0 }: PageQuery<Field>,
): Position | null {
  if (nextCursor !== undefined) return { cursor: nextCursor }
  if (nextOffset !== undefined) return { offset: nextOffset }
  const end = offset + timers.length
  return total !== undefined && timers.length > 0 && end < total ? { offset: end } : null
}
