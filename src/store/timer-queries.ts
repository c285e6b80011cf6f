// The half of the store port that people need to look around: lists, pages, counts. Internal rows (core/rules/internal/document.ts) are in the
// answers to those only who name their namespace. One implementation over ordered scans
// serves every engine (queries/); an adapter replaces single questions where its engine has a better way.

import type { NamespacePattern } from '../core/access/access.ts'
import type { OrderKey } from '../core/timer/order.ts'
import type { TimerKind } from '../core/timer/timer-kind.ts'
import type { Millis, Namespace, ShardId, Status, Timer, TimerUuid } from '../core/timer/timer.ts'
import type { StoreCapabilities } from './store.ts'

export interface TimerQueries {
  readonly capabilities: StoreCapabilities
  /** Timers of all shards that match, live ones first by wake time, then finished ones by expiry; see ListPage. */
  list(query: ListQuery): Promise<ListPage>
  /**
   * Timers of all shards that match, in the order asked for, and how many there are in all; exact, however many are stored.
   * See TimerPage.
   */
  page(query: PageQuery): Promise<TimerPage>
  /** How many timers there are in scope, by namespace, status and kind; from the counters of these namespaces, not by counting rows. */
  stats(scope?: NamespaceScope): Promise<StoreStats>
  /** What the tallies of these namespaces add up to: of the slots from `since` on, or, for null, the standing ones and those of all time. */
  tallies(query: TallyQuery): Promise<TallySums>
  /** How many live timers wake in each step of time up to `until`; for the near future, since it may count rows. */
  upcoming(query: UpcomingQuery): Promise<Upcoming>
  /** How many events wait in these shards, and since when; it may count rows. */
  countEvents(shards: readonly ShardId[]): Promise<{ readonly count: number; readonly oldestAt: Millis | null }>
}

export type ListFilter = {
  readonly namespace?: Namespace
  /** Timers whose namespace matches one of these; none match an empty list. */
  readonly namespaces?: readonly NamespacePattern[]
  readonly statuses?: readonly Status[]
  /** Bounds on `dueAt`: from inclusive, to exclusive. */
  readonly dueFrom?: Millis
  readonly dueTo?: Millis
  /** A top-level metadata key, and the text, number or boolean it must have; without a value it must be present. */
  readonly metadataKey?: string
  readonly metadataValue?: string | number | boolean
}

/** What makes a timer large. `headers`: those of the callback, and the key of a topic; `attempts`: what is known of those made, and of an extra firing. */
export const TIMER_PARTS = ['payload', 'metadata', 'headers', 'attempts'] as const
export type TimerPart = (typeof TIMER_PARTS)[number]

/** How much of the timers is read for one page. */
export type PageSize = {
  readonly limit: number
  /** Parts that are not even read: they are empty in the answer, whatever is stored. Such a timer is for showing, never for a put. */
  readonly omit?: readonly TimerPart[]
  /** The page ends before the timer with which its stored texts would exceed this, but has one at least. Default PAGE_BYTES_MAX. */
  readonly bytesMax?: number
}

export type ListQuery = PageSize & {
  readonly filter: ListFilter
  readonly after: ListCursor | null
}

/** A position in the list's order: (live before finished, wake time, uuid). */
export type ListCursor = OrderKey & { readonly finished: boolean }

/**
 * `next` is null at the end. A page may be short, even empty, and still have a `next`: an adapter bounds how
 * many rows it reads for one page, and a page of large timers ends at its size in bytes.
 */
export type ListPage = { readonly timers: readonly Timer[]; readonly next: ListCursor | null }

/** None of the namespaces match an empty list, nor do timers an empty list of statuses or values. */
export type PageFilter = NamespaceScope & {
  readonly statuses?: readonly Status[]
  readonly kind?: 'once' | 'cycle'
  /** A top-level metadata key, and the values of which it must have one; without them it must be present. */
  readonly metadataKey?: string
  readonly metadataValues?: readonly (string | number | boolean)[]
  /** Timers whose id begins with this. All timers of the scope are looked through: the caller keeps it small. */
  readonly idPrefix?: string
  /** Some of these timers. */
  readonly uuids?: readonly TimerUuid[]
}

/** Of one namespace, of those that match one of the patterns, or of all. */
export type NamespaceScope = { readonly namespace?: Namespace; readonly namespaces?: readonly NamespacePattern[] }

/** Timers with the same time are in the order of their uuids; `descending` turns both around. */
export type PageQuery = PageSize & {
  readonly filter: PageFilter
  readonly sort: 'createdAt' | 'dueAt'
  readonly descending: boolean
  readonly offset: number
}

/** `total`: how many match, whatever offset and limit are. A page that ended at its size in bytes goes on at `offset` and its length. */
export type TimerPage = { readonly timers: readonly Timer[]; readonly total: number }

/** `prefix`: only those whose names begin with it. */
export type TallyQuery = NamespaceScope & { readonly since: Millis | null; readonly prefix?: string }
/** `firstSlotAt`: the earliest slot that something was found in; null for none, and for all time. */
export type TallySums = {
  readonly sums: readonly { readonly name: string; readonly amount: number }[]
  readonly firstSlotAt: Millis | null
}

export type UpcomingQuery = NamespaceScope & { readonly until: Millis; readonly stepMs: Millis }
/** Steps are numbered since 1970. `complete`: false when there were more timers than an adapter cares to count. */
export type Upcoming = {
  readonly steps: readonly { readonly step: number; readonly count: number }[]
  readonly complete: boolean
}

export type StoreStats = { readonly counts: readonly TimerCount[] }
export type TimerCount = {
  readonly namespace: Namespace
  readonly status: Status
  readonly kind: TimerKind
  readonly count: number
}
