// Finds timers by their ids. No index leads to ids by their beginnings, and one more would cost every create; so where
// there are few timers their ids are looked through, and where there are many only the one id is found, by its key.

import { timerUuid } from '../../core/timer/ids.ts'
import type { Namespace, Status, Timer, TimerId, TimerUuid } from '../../core/timer/timer.ts'
import type { NamespaceScope, PageFilter, PageQuery, Store, TimerCount } from '../../store/store.ts'

export type SearchQuery = NamespaceScope &
  Omit<PageQuery, 'filter'> & {
    readonly text: TimerId
    readonly statuses?: readonly Status[]
  }

/** `searched`: for ids that begin with the text, or for the very id. `total` is how many were found. */
export type Found = { readonly timers: readonly Timer[]; readonly total: number; readonly searched: 'prefix' | 'exact' }

export const LOOKED_THROUGH_MAX = 2_000 // a few milliseconds of the store's time
export const SEARCHED_NAMESPACES_MAX = 200

/** `counts` are those of the namespaces asked for. */
export async function searchTimers(
  store: Pick<Store, 'page'>,
  query: SearchQuery,
  counts: readonly TimerCount[],
): Promise<Found> {
  const { text, namespace, namespaces, statuses, ...page } = query
  const candidates = total(counts.filter(({ status }) => statuses === undefined || statuses.includes(status)))
  const isPrefix = candidates <= LOOKED_THROUGH_MAX
  const filter: PageFilter = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(statuses === undefined ? {} : { statuses }),
    ...(isPrefix
      ? { idPrefix: text }
      : { uuids: uuidsOf(text, namespace === undefined ? largest(counts) : [namespace]) }),
  }
  return { ...(await store.page({ ...page, filter })), searched: isPrefix ? 'prefix' : 'exact' }
}

function uuidsOf(id: TimerId, namespaces: readonly Namespace[]): TimerUuid[] {
  return namespaces.map((namespace) => timerUuid(namespace, id))
}

/** Of more namespaces than are searched, those with the most timers. */
function largest(counts: readonly TimerCount[]): Namespace[] {
  return Array.from(Map.groupBy(counts, ({ namespace }) => namespace))
    .map(([namespace, group]) => ({ namespace, count: total(group) }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, SEARCHED_NAMESPACES_MAX)
    .map(({ namespace }) => namespace)
}

function total(counts: readonly TimerCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}
