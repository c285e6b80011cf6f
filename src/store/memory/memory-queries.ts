// Filters, pages and counts over all timers of the memory store: what the answers of every other store are held against.

import { matchesAny } from '../../core/access.ts'
import { isFinished } from '../../core/timer.ts'
import type { Namespace, Timer } from '../../core/timer.ts'
import { kindOf, TimerKind } from '../../core/timer-kind.ts'
import type { ListFilter, NamespaceScope, PageFilter, PageQuery, TimerPage, Upcoming, UpcomingQuery } from '../store.ts'

export function matches(timer: Timer, filter: ListFilter): boolean {
  if (!isInScope(timer.namespace, filter)) return false
  if (filter.statuses !== undefined && !filter.statuses.includes(timer.status)) return false
  if (filter.dueFrom !== undefined && timer.dueAt < filter.dueFrom) return false
  if (filter.dueTo !== undefined && timer.dueAt >= filter.dueTo) return false
  if (filter.metadataKey === undefined) return true
  return hasMetadata(timer, filter.metadataKey, filter.metadataValue === undefined ? undefined : [filter.metadataValue])
}

export function pageOf(timers: readonly Timer[], { filter, sort, descending, offset, limit }: PageQuery): TimerPage {
  const matching = timers.filter((timer) => matchesPage(timer, filter)).toSorted((a, b) => a[sort] - b[sort] || (a.uuid < b.uuid ? -1 : 1))
  if (descending) matching.reverse()
  return { timers: matching.slice(offset, offset + limit), total: matching.length }
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
  if (statuses !== undefined && !statuses.includes(timer.status)) return false
  if (kind !== undefined && (kind === 'once') !== (kindOf(timer) === TimerKind.once)) return false
  return metadataKey === undefined || hasMetadata(timer, metadataKey, metadataValues)
}

function hasMetadata(timer: Timer, key: string, values: readonly unknown[] | undefined): boolean {
  const metadata: unknown = timer.metadata === null ? null : JSON.parse(timer.metadata)
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata) || !Object.hasOwn(metadata, key)) return false
  return values === undefined || values.includes((metadata as Record<string, unknown>)[key])
}
