// Finds timers by their ids. No index leads to ids by their beginnings, and one more would cost every create; so where
// there are few timers their ids are looked through, and where there are many only the one id is found, by its key.

import { shardOf, timerUuid } from '../core/ids.ts'
import { compareKeys } from '../core/order.ts'
import type { Namespace, Status, Timer, TimerId } from '../core/timer.ts'
import type { NamespaceScope, PageQuery, Store, TimerCount } from '../store/store.ts'

export type SearchQuery = NamespaceScope & Pick<PageQuery, 'sort' | 'descending' | 'offset' | 'limit'> & {
  readonly text: TimerId
  readonly statuses?: readonly Status[]
}

/** `searched`: for ids that begin with the text, or for the very id. `total` is how many were found. */
export type Found = { readonly timers: readonly Timer[]; readonly total: number; readonly searched: 'prefix' | 'exact' }

export const LOOKED_THROUGH_MAX = 2_000 // a few milliseconds of the store's time, and tens of them with large payloads
export const SEARCHED_NAMESPACES_MAX = 200
const PAGE = 200

type Order = (a: Timer, b: Timer) => number

/** `counts` are those of the namespaces asked for. */
export async function searchTimers(store: Store, query: SearchQuery, counts: readonly TimerCount[]): Promise<Found> {
  const { statuses, offset, limit } = query
  const candidates = total(counts.filter(({ status }) => statuses === undefined || statuses.includes(status)))
  const isPrefix = candidates <= LOOKED_THROUGH_MAX
  const found = isPrefix ? await lookThrough(store, query) : (await findExact(store, query, counts)).toSorted(orderOf(query))
  return { timers: found.slice(offset, offset + limit), total: found.length, searched: isPrefix ? 'prefix' : 'exact' }
}

async function lookThrough(store: Store, { text, sort, descending, namespace, namespaces, statuses }: SearchQuery): Promise<Timer[]> {
  const filter = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(statuses === undefined ? {} : { statuses }),
  }
  const found: Timer[] = []
  for (let offset = 0; offset < LOOKED_THROUGH_MAX; offset += PAGE) {
    const { timers } = await store.page({ filter, sort, descending, offset, limit: PAGE })
    found.push(...timers.filter(({ id }) => id.startsWith(text)))
    if (timers.length < PAGE) break
  }
  return found
}

async function findExact(store: Store, { text, statuses, namespace }: SearchQuery, counts: readonly TimerCount[]): Promise<Timer[]> {
  const namespaces = namespace === undefined ? largest(counts) : [namespace]
  const keys = namespaces.map((one) => {
    const uuid = timerUuid(one, text)
    return { namespace: one, id: text, uuid, shard: shardOf(uuid, store.capabilities.shards) }
  })
  const timers = await store.getMany(keys)
  return timers.filter((timer) => timer !== null).filter(({ status }) => statuses === undefined || statuses.includes(status))
}

/** Of more namespaces than are searched, those with the most timers. */
function largest(counts: readonly TimerCount[]): Namespace[] {
  return Array.from(Map.groupBy(counts, ({ namespace }) => namespace))
    .map(([namespace, group]) => ({ namespace, count: total(group) }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, SEARCHED_NAMESPACES_MAX)
    .map(({ namespace }) => namespace)
}

function orderOf({ sort, descending }: SearchQuery): Order {
  const key = ({ uuid, [sort]: at }: Timer) => ({ wakeAt: at, uuid })
  return (a, b) => (descending ? -1 : 1) * compareKeys(key(a), key(b))
}

function total(counts: readonly TimerCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}
