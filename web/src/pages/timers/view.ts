// What the page of the timers shows, read off the URL, and the question to the service that follows from it.

import { STATUSES } from '../../api/timer.ts'
import type { Filter, SortField, Status } from '../../api/timer.ts'

export const PAGE_SIZES = [50, 100, 200] as const

export const DUE_RANGES = {
  overdue: 'Overdue',
  minute: 'Next minute',
  hour: 'Next hour',
  day: 'Next 24 hours',
  week: 'Next 7 days',
  custom: 'From … to …',
} as const
export type DueRange = keyof typeof DUE_RANGES

const SPANS_MS: Readonly<Record<'minute' | 'hour' | 'day' | 'week', number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
}

export type View = {
  /** Null: all that the key may see. */
  readonly namespace: string | null
  readonly search: string
  readonly statuses: readonly Status[]
  readonly due: DueRange | null
  readonly from: string | null
  readonly to: string | null
  /** `team` or `team=billing`, as typed. */
  readonly metadata: string
  readonly sort: SortField
  readonly order: 'asc' | 'desc'
  readonly page: number
  readonly size: number
  readonly cursor: string | null
}

export function readView(params: URLSearchParams): View {
  const due = params.get('due')
  const sort = params.get('sort') ?? ''
  const size = Number(params.get('size'))
  const statuses = (params.get('status') ?? '').split(',')
  return {
    namespace: params.get('ns'),
    search: params.get('q') ?? '',
    statuses: STATUSES.filter((status) => statuses.includes(status)),
    due: due !== null && due in DUE_RANGES ? (due as DueRange) : null,
    from: validInstant(params.get('from')),
    to: validInstant(params.get('to')),
    metadata: params.get('meta') ?? '',
    // Newest first, unless one asks.
    sort: sort.endsWith('dueAt') ? 'dueAt' : 'createdAt',
    order: sort.startsWith('-') || !SORTS.has(sort) ? 'desc' : 'asc',
    page: Math.max(1, Math.floor(Number(params.get('page')) || 1)),
    size: PAGE_SIZES.find((one) => one === size) ?? PAGE_SIZES[0],
    cursor: params.get('cursor'),
  }
}

const SORTS: ReadonlySet<string> = new Set(['dueAt', '-dueAt', 'createdAt', '-createdAt'])

function validInstant(text: string | null): string | null {
  return text === null || Number.isNaN(Date.parse(text)) ? null : text
}

/** The service walks a due range in its own order and does not count it; everything else it sorts and counts. */
export function isWalk({ due, search }: View): boolean {
  return due !== null && search === ''
}

export function filterOf(view: View, now: number): Filter {
  const { namespace, search, statuses } = view
  const common = { namespace: namespace ?? '*', ...(statuses.length === 0 ? {} : { status: statuses }) }
  if (search !== '') return { ...common, search }
  return { ...common, ...dueBounds(view, now), ...readMetadataFilter(view.metadata) }
}

function dueBounds({ due, from, to }: View, now: number): Pick<Filter, 'dueFrom' | 'dueTo'> {
  if (due === null) return {}
  if (due === 'overdue') return { dueTo: isoOf(now) }
  if (due === 'custom')
    return {
      ...(from === null ? {} : { dueFrom: isoOf(Date.parse(from)) }),
      ...(to === null ? {} : { dueTo: isoOf(Date.parse(to)) }),
    }
  return { dueFrom: isoOf(now), dueTo: isoOf(now + SPANS_MS[due]) }
}

function isoOf(at: number): string {
  return new Date(at).toISOString()
}

/** `team=billing`; numbers and booleans are taken as such, unless they are in quotes. */
export function readMetadataFilter(text: string): Pick<Filter, 'metadataKey' | 'metadataValue'> {
  const trimmed = text.trim()
  if (trimmed === '') return {}
  const mark = trimmed.indexOf('=')
  if (mark === -1) return { metadataKey: trimmed }
  const value = trimmed.slice(mark + 1).trim()
  const metadataKey = trimmed.slice(0, mark).trim()
  return value === '' ? { metadataKey } : { metadataKey, metadataValue: literal(value) }
}

function literal(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  return /^".*"$/.test(text) ? text.slice(1, -1) : text
}

export function hasFilters({ search, statuses, due, metadata }: View): boolean {
  return search !== '' || statuses.length > 0 || due !== null || metadata !== ''
}
