// Filters, pages and counts over all timers of the memory store: what the answers of every other store are held against.

import { matchesAny } from '../../core/access.ts'
import { PAGE_BYTES_MAX } from '../../core/limits.ts'
import { isFinished } from '../../core/timer.ts'
import type { Namespace, Timer } from '../../core/timer.ts'
import { kindOf, TimerKind } from '../../core/timer-kind.ts'
import type { ListFilter, NamespaceScope, PageFilter, PageQuery, PageSize, TimerPage, Upcoming, UpcomingQuery } from '../store.ts'
import { appendCells, omitsColumn, rowBytes, timerAt, TIMER_COLUMNS } from '../timer-row.ts'
import type { Cell } from '../timer-row.ts'

export function matches(timer: Timer, filter: ListFilter): boolean {
  if (!isInScope(timer.namespace, filter)) return false
  if (filter.statuses !== undefined && !filter.statuses.includes(timer.status)) return false
  if (filter.dueFrom !== undefined && timer.dueAt < filter.dueFrom) return false
  if (filter.dueTo !== undefined && timer.dueAt >= filter.dueTo) return false
  if (filter.metadataKey === undefined) return true
  return hasMetadata(timer, filter.metadataKey, filter.metadataValue === undefined ? undefined : [filter.metadataValue])
}

/** The first of these timers, as many as fit on a page. */
export function fitting(timers: readonly Timer[], { limit, omit = [], bytesMax = PAGE_BYTES_MAX }: PageSize): Timer[] {
  const page: Timer[] = []
  let bytes = 0
  for (const timer of timers.slice(0, limit)) {
    const cells = cellsOf(timer).map((cell, index) => (omitsColumn(TIMER_COLUMNS[index]!, omit) ? null : cell))
    bytes += rowBytes(cells)
    if (bytes > bytesMax && page.length > 0) break
    page.push(omit.length === 0 ? timer : timerAt(cells, 0))
  }
  return page
}

function cellsOf(timer: Timer): Cell[] {
  const cells: Cell[] = []
  appendCells(cells, timer)
  return cells
}

export function pageOf(timers: readonly Timer[], { filter, sort, descending, offset, ...size }: PageQuery): TimerPage {
  const matching = timers.filter((timer) => matchesPage(timer, filter)).toSorted((a, b) => a[sort] - b[sort] || (a.uuid < b.uuid ? -1 : 1))
  if (descending) matching.reverse()
  return { timers: fitting(matching.slice(offset), size), total: matching.length }
}

export function upcomingOf(timers: readonly Timer[], { until, stepMs, ...scope }: UpcomingQuery): Upcoming {
  const counts = new Map<number, number>()
  for (const timer of timers) {
    if (isFinished(timer) || timer.wakeAt > until || !isInScope(timer.namespace, scope)) continue
    const step = Math.floor(timer.wakeAt / stepMs)
    counts.set(step, (counts.get(step) ?? 0) + 1)
  }
  const steps = Array.from(counts, ([step, count]) => ({ step, count })).toSorted((a, b) => a.step - b.step)
  return { steps, complete: true }
}

export function isInScope(one: Namespace, { namespace, namespaces }: NamespaceScope): boolean {
  return (namespace === undefined || one === namespace) && (namespaces === undefined || matchesAny(namespaces, one))
}

function matchesPage(timer: Timer, filter: PageFilter): boolean {
  const { statuses, kind, metadataKey, metadataValues } = filter
  if (!isInScope(timer.namespace, filter)) return false
  if (filter.idPrefix !== undefined && !timer.id.startsWith(filter.idPrefix)) return false
  if (filter.uuids !== undefined && !filter.uuids.includes(timer.uuid)) return false
  if (statuses !== undefined && !statuses.includes(timer.status)) return false
  if (kind !== undefined && (kind === 'once') !== (kindOf(timer) === TimerKind.once)) return false
  return metadataKey === undefined || hasMetadata(timer, metadataKey, metadataValues)
}

function hasMetadata(timer: Timer, key: string, values: readonly unknown[] | undefined): boolean {
  const metadata: unknown = timer.metadata === null ? null : JSON.parse(timer.metadata)
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata) || !Object.hasOwn(metadata, key)) return false
  return values === undefined || values.includes((metadata as Record<string, unknown>)[key])
}
