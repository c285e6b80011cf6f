// Lists of any length: the next page is asked for when the one before has been read, never all at once.

import type { CancelBody, ListAnswer, ListBody } from './generated.ts'
import type { Timer } from './timer.ts'
import type { InstantLike } from './when.ts'
import { instantText } from './when.ts'

/** The service takes instants as text. */
type WithInstants<Body> = Omit<Body, 'dueFrom' | 'dueTo'> & {
  /** Due at this instant or later. */
  readonly dueFrom?: InstantLike | undefined
  /** Due before this instant. */
  readonly dueTo?: InstantLike | undefined
}

/** Which timers. The client's namespace unless another is given. */
export type TimerFilter = WithInstants<Omit<CancelBody, 'all' | 'dryRun'>>
/** Which timers and in which order, a page at a time; `limit` is the size of a page. */
export type PageQuery = WithInstants<ListBody>
/** All of them; `limit` is still the size of a page, not of the list. */
export type ListQuery = Omit<PageQuery, 'cursor'>

export type Page<Payload = unknown> = Omit<ListAnswer, 'timers'> & { readonly timers: readonly Timer<Payload>[] }

/** Dates as the service takes them. */
export function wireFilter<Filter extends Pick<TimerFilter, 'dueFrom' | 'dueTo'>>(filter: Filter) {
  const { dueFrom, dueTo, ...rest } = filter
  return {
    ...rest,
    ...(dueFrom !== undefined && { dueFrom: instantText(dueFrom, 'dueFrom') }),
    ...(dueTo !== undefined && { dueTo: instantText(dueTo, 'dueTo') }),
  }
}

export class TimerList<Payload = unknown> implements AsyncIterable<Timer<Payload>> {
  readonly #query: ListQuery
  readonly #page: (query: PageQuery) => Promise<Page<Payload>>

  constructor(query: ListQuery, page: (query: PageQuery) => Promise<Page<Payload>>) {
    this.#query = query
    this.#page = page
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Timer<Payload>, void, void> {
    for await (const { timers } of this.pages()) yield* timers
  }

  /** The same, a page at a time. A page can be empty and still be followed by another. */
  async *pages(): AsyncGenerator<Page<Payload>, void, void> {
    let position: Position | null = {}
    while (position !== null) {
      const query: PageQuery = { ...this.#query, ...position }
      const page: Page<Payload> = await this.#page(query)
      yield page
      position = after(page, query)
    }
  }

  /** All of them, or the first so many. */
  async toArray(max = Infinity): Promise<Timer<Payload>[]> {
    const all: Timer<Payload>[] = []
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
function after({ timers, nextCursor, total }: Page, { offset = 0 }: PageQuery): Position | null {
  if (nextCursor !== undefined) return { cursor: nextCursor }
  const end = offset + timers.length
  return total !== undefined && timers.length > 0 && end < total ? { offset: end } : null
}
