// The page of timers that the view asks for, refreshed while one looks at it.

import type { Page } from '@duetime/client'
import { duetime } from '../../api/client.ts'
import { serverClock } from '../../api/server-clock.ts'
import { LISTED_FIELDS } from '../../api/timer.ts'
import type { ListedField, ListedTimer } from '../../api/timer.ts'
import { useResource } from '../../state/resource.ts'
import type { Resource } from '../../state/resource.ts'
import { filterOf, isWalk } from './view.ts'
import type { View } from './view.ts'

const REFRESH_MS = 5_000
const WALK_STEPS_MAX = 20 // short pages can have a next one: looked through so far before the page is shown as it is

export type Shown = {
  /** How many are before these; what is on its way may be another page already. */
  readonly offset: number
  readonly timers: readonly ListedTimer[]
  /** Null where the service does not count. */
  readonly total: number | null
  readonly nextCursor: string | null
  /** Too many timers to look through: only the exact id was looked for. */
  readonly isExactOnly: boolean
}

export function useTimers(view: View): Resource<Shown> {
  return useResource(JSON.stringify(view), (signal) => (isWalk(view) ? walk(view, signal) : page(view, signal)), {
    refreshMs: REFRESH_MS,
  })
}

async function page(view: View, signal: AbortSignal): Promise<Shown> {
  const { sort, order, size } = view
  const offset = (view.page - 1) * size
  const query = { ...filterOf(view, serverClock.now()), sort, order, fields: LISTED_FIELDS }
  const timers: ListedTimer[] = []
  let next: number | undefined = offset
  let last: Pick<Page, 'total' | 'searched'> = {}
  // A page of large timers comes in parts.
  while (next !== undefined && timers.length < size) {
    const answer: Page<unknown, ListedField> = await duetime.page(
      { ...query, offset: next, limit: size - timers.length },
      { signal },
    )
    timers.push(...answer.timers)
    next = answer.nextOffset
    last = answer
  }
  return { offset, timers, total: last.total ?? null, nextCursor: null, isExactOnly: last.searched === 'exact' }
}

async function walk(view: View, signal: AbortSignal): Promise<Shown> {
  const filter = filterOf(view, serverClock.now())
  const timers: ListedTimer[] = []
  let cursor = view.cursor ?? undefined
  for (let step = 0; step < WALK_STEPS_MAX && timers.length < view.size; step++) {
    const answer = await duetime.page(
      { ...filter, fields: LISTED_FIELDS, limit: view.size - timers.length, cursor },
      { signal },
    )
    timers.push(...answer.timers)
    cursor = answer.nextCursor
    if (cursor === undefined) break
  }
  return { offset: 0, timers, total: null, nextCursor: cursor ?? null, isExactOnly: false }
}
