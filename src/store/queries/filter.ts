// Which timers a question is about, judged on the timer itself: for stores that read rows in order and leave out what does
// not match, and the model that SQL conditions are held against.

import { matchesAny } from '../../core/access/access.ts'
import { isInternal } from '../../core/timer/ids.ts'
import type { Namespace, Timer } from '../../core/timer/timer.ts'
import { kindOf, TimerKind } from '../../core/timer/timer-kind.ts'
import type { ListFilter, NamespaceScope, PageFilter } from '../store.ts'

export function matchesList(timer: Timer, filter: ListFilter): boolean {
  if (!isInScope(timer.namespace, filter)) return false
  if (filter.statuses !== undefined && !filter.statuses.includes(timer.status)) return false
  if (filter.dueFrom !== undefined && timer.dueAt < filter.dueFrom) return false
  if (filter.dueTo !== undefined && timer.dueAt >= filter.dueTo) return false
  const { metadataKey: key, metadataValue: value } = filter
  return key === undefined || hasMetadata(timer, key, value === undefined ? undefined : [value])
}

export function matchesPage(timer: Timer, filter: PageFilter): boolean {
  const { statuses, kind, metadataKey, metadataValues } = filter
  if (!isInScope(timer.namespace, filter)) return false
  if (filter.idPrefix !== undefined && !timer.id.startsWith(filter.idPrefix)) return false
  if (filter.uuids !== undefined && !filter.uuids.includes(timer.uuid)) return false
  if (statuses !== undefined && !statuses.includes(timer.status)) return false
  if (kind !== undefined && (kind === 'once') !== (kindOf(timer) === TimerKind.once)) return false
  return metadataKey === undefined || hasMetadata(timer, metadataKey, metadataValues)
}

/** What the service keeps for itself is in the scope of those only who name its namespace. */
export function isInScope(one: Namespace, { namespace, namespaces }: NamespaceScope): boolean {
  if (namespace === undefined && isInternal(one)) return false
  return (namespace === undefined || one === namespace) && (namespaces === undefined || matchesAny(namespaces, one))
}

/** JSON values are equal only if their types are. */
function hasMetadata(timer: Timer, key: string, values: readonly unknown[] | undefined): boolean {
  const metadata: unknown = timer.metadata === null ? null : JSON.parse(timer.metadata)
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return false
  if (!Object.hasOwn(metadata, key)) return false
  return values === undefined || values.includes((metadata as Record<string, unknown>)[key])
}
