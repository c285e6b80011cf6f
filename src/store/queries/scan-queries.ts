// What people ask, answered from ordered scans of shards and from counters alone, so that every engine can answer it. An
// adapter replaces single questions where its engine has a better way.

import { STANDING } from '../../core/statistics/tallies.ts'
import { compareKeys } from '../../core/timer/order.ts'
import type { OrderKey } from '../../core/timer/order.ts'
import { isFinished, Status } from '../../core/timer/timer.ts'
import type { Millis, ShardId, Timer } from '../../core/timer/timer.ts'
import { countedBy, COUNTS } from '../counters.ts'
import { StoreError } from '../store.ts'
import type {
  Counter,
  ListCursor,
  ListFilter,
  ListPage,
  ListQuery,
  NamespaceScope,
  PageQuery,
  RowScan,
  StoreStats,
} from '../store.ts'
import type { TallyQuery, TallySums, TimerPage, Upcoming, UpcomingQuery } from '../store.ts'
import { isInScope, matchesList, matchesPage } from './filter.ts'
import { fitting } from './page-size.ts'
import { mergeStretches } from './ordered-scan.ts'
import type { Stretch } from './ordered-scan.ts'

/** Slots from `from` to `to`, both included. */
export type CounterRange = { readonly scope: NamespaceScope; readonly from: Millis; readonly to: Millis }

export type ScanSource = {
  readonly shards: () => Promise<readonly ShardId[]>
  /** Rows of one shard and kind in the order of (wake time, uuid). */
  readonly scan: (scan: RowScan) => Promise<readonly Timer[]>
  readonly counters: (range: CounterRange) => Promise<readonly Counter[]>
}

const ROWS_READ_MAX = 10_000 // for one page of a list
const ROWS_SORTED_MAX = 50_000 // for one page with a total
const SCAN_ROWS = 500

export class ScanQueries {
  readonly #source: ScanSource

  constructor(source: ScanSource) {
    this.#source = source
  }

  async list({ filter, after, ...size }: ListQuery): Promise<ListPage> {
    const { limit } = size
    const shards = await this.#source.shards()
    const rowsMax = Math.max(SCAN_ROWS, Math.ceil(ROWS_READ_MAX / Math.max(1, shards.length)))
    const read = (shard: ShardId) => this.#stretch(shard, filter, { after, limit, rowsMax })
    const { rows, border } = mergeStretches(await Promise.all(shards.map(read)), LIST_ORDER, limit)
    const timers = fitting(rows, size)
    return { timers, next: timers.length < rows.length ? cursorOf(timers.at(-1)!) : border }
  }

  /** Reads all that can match. A client that asks for more than an engine can sort is told how to ask. */
  async page({ filter, sort, descending, offset, ...size }: PageQuery): Promise<TimerPage> {
    const matching: Timer[] = []
    let read = 0
    for (const shard of await this.#source.shards()) {
      for await (const rows of this.#rows(shard, null, filter)) {
        read += rows.length
        if (read > ROWS_SORTED_MAX) throw tooMany()
        matching.push(...rows.filter((timer) => matchesPage(timer, filter)))
      }
    }
    const sign = descending ? -1 : 1
    matching.sort((a, b) => sign * (a[sort] - b[sort] || (a.uuid < b.uuid ? -1 : 1)))
    return { timers: fitting(matching.slice(offset), size), total: matching.length }
  }

  async stats(scope: NamespaceScope): Promise<StoreStats> {
    const counters = await this.#source.counters({ scope, from: COUNTS, to: COUNTS })
    return { counts: counters.map(({ namespace, name, amount }) => ({ namespace, ...countedBy(name), count: amount })) }
  }

  async tallies({ since, prefix = '', ...scope }: TallyQuery): Promise<TallySums> {
    const [from, to] = since === null ? [STANDING, STANDING] : [Math.max(since, STANDING + 1), Number.MAX_SAFE_INTEGER]
    const sums = new Map<string, number>()
    let firstSlotAt = Infinity
    for (const { slotAt, name, amount } of await this.#source.counters({ scope, from, to })) {
      if (!name.startsWith(prefix)) continue
      sums.set(name, (sums.get(name) ?? 0) + amount)
      if (slotAt !== STANDING) firstSlotAt = Math.min(firstSlotAt, slotAt)
    }
    return {
      sums: Array.from(sums, ([name, amount]) => ({ name, amount })).filter(({ amount }) => amount !== 0),
      firstSlotAt: firstSlotAt === Infinity ? null : firstSlotAt,
    }
  }

  async upcoming({ until, stepMs, ...scope }: UpcomingQuery): Promise<Upcoming> {
    const counts = new Map<number, number>()
    let read = 0
    for (const shard of await this.#source.shards()) {
      for await (const rows of this.#rows(shard, null, { statuses: LIVE })) {
        const near = rows.filter(({ wakeAt }) => wakeAt <= until)
        for (const timer of near) {
          const step = Math.floor(timer.wakeAt / stepMs)
          if (isInScope(timer.namespace, scope)) counts.set(step, (counts.get(step) ?? 0) + 1)
        }
        read += near.length
        if (near.length < rows.length || read >= ROWS_SORTED_MAX) break
      }
    }
    const steps = Array.from(counts, ([step, count]) => ({ step, count })).toSorted((a, b) => a.step - b.step)
    return { steps, complete: read < ROWS_SORTED_MAX }
  }

  async #stretch(shard: ShardId, filter: ListFilter, page: ListReading): Promise<Stretch<Timer, ListCursor>> {
    const found: Timer[] = []
    let read = 0
    // Where every row matches, no more are read than the page can have.
    const rowsOnce = Object.keys(filter).length === 0 ? Math.min(SCAN_ROWS, page.limit) : SCAN_ROWS
    for await (const rows of this.#rows(shard, page.after, filter, rowsOnce)) {
      found.push(...rows.filter((timer) => matchesList(timer, filter)))
      read += rows.length
      if (found.length >= page.limit) return { rows: found, border: cursorOf(found[page.limit - 1]!) }
      if (read >= page.rowsMax) return { rows: found, border: cursorOf(rows.at(-1)!) }
    }
    return { rows: found, border: null }
  }

  /** Live rows, then finished ones, as far as their statuses can match. */
  async *#rows(
    shard: ShardId,
    start: ListCursor | null,
    { statuses }: Pick<ListFilter, 'statuses'>,
    limit = SCAN_ROWS,
  ): AsyncGenerator<readonly Timer[]> {
    for (const finished of [false, true]) {
      if (statuses !== undefined && !statuses.some((status) => isFinished({ status }) === finished)) continue
      if (start?.finished === true && !finished) continue
      let after: OrderKey | null = start?.finished === finished ? start : null
      for (;;) {
        const rows: readonly Timer[] = await this.#source.scan({ shard, finished, after, limit })
        if (rows.length > 0) yield rows
        if (rows.length < limit) break
        after = rows.at(-1)!
      }
    }
  }
}

type ListReading = { readonly after: ListCursor | null; readonly limit: number; readonly rowsMax: number }

const LIVE = [Status.pending, Status.executing, Status.paused]
const LIST_ORDER = { positionOf: cursorOf, compare: compareCursors }

export function cursorOf(timer: Timer): ListCursor {
  return { finished: isFinished(timer), wakeAt: timer.wakeAt, uuid: timer.uuid }
}

function compareCursors(a: ListCursor, b: ListCursor): number {
  return a.finished === b.finished ? compareKeys(a, b) : a.finished ? 1 : -1
}

function tooMany(): StoreError {
  return StoreError.lasting(
    `more than ${ROWS_SORTED_MAX} timers would have to be sorted, which this database cannot do: ask for one namespace or fewer statuses`,
  )
}
