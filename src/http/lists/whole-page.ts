// Pages for contracts that count them by number: such a page must have all its timers, and the store ends one at a size in
// bytes. What these contracts show of a timer is small, so its parts are put together.

import type { PageQuery, Timers } from '../../service/timers.ts'
import type { TimerPage } from '../../store/store.ts'

export async function wholePage(timers: Timers, query: PageQuery): Promise<TimerPage> {
  const first = await timers.page(query)
  const found = [...first.timers]
  const wanted = Math.min(query.limit, first.total - query.offset)
  while (found.length < wanted) {
    const more = await timers.page({ ...query, offset: query.offset + found.length, limit: query.limit - found.length })
    if (more.timers.length === 0) break // they are gone by now
    found.push(...more.timers)
  }
  return { timers: found, total: first.total }
}
