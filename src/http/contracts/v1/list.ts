// A list in one of its three ways: page after page by a cursor, which reads no more than it shows; sorted, with an offset
// and a total; or by the beginning of ids. What does not go together is refused, and the field named.

import { invalidInput } from '../../../core/errors.ts'
import { parseTimerId } from '../../../core/ids.ts'
import { PAGE_TIMERS_DEFAULT, PAGE_TIMERS_MAX } from '../../../core/limits.ts'
import type { Timer } from '../../../core/timer.ts'
import type { PageQuery, Timers } from '../../../service/timers.ts'
import { timerJson } from '../../native/timer-json.ts'
import { cursorText, readCursor } from './cursor.ts'
import { toListFilter } from './filter.ts'
import type { ListBody } from './schema.ts'

export async function list(body: ListBody, timers: Timers): Promise<string> {
  if (body.search !== undefined) return listFound(body, body.search, timers)
  if (body.sort !== undefined || body.order !== undefined || body.offset !== undefined) return listSorted(body, timers)
  const after = body.cursor === undefined ? null : readCursor(body.cursor)
  const { timers: page, next } = await timers.list({ filter: toListFilter(body), after, limit: limitOf(body) })
  return `{${timersJson(page)}${next === null ? '' : `,"nextCursor":"${cursorText(next)}"`}}`
}

async function listSorted(body: ListBody, timers: Timers): Promise<string> {
  refuse(body, ['cursor', 'dueFrom', 'dueTo'], 'a sorted list')
  const { metadataValue, ...filter } = toListFilter(body)
  const query = { ...orderOf(body), filter: { ...filter, ...(metadataValue === undefined ? {} : { metadataValues: [metadataValue] }) } }
  const { timers: page, total } = await timers.page(query)
  return `{${timersJson(page)},"total":${total}}`
}

async function listFound(body: ListBody, search: string, timers: Timers): Promise<string> {
  refuse(body, ['cursor', 'dueFrom', 'dueTo', 'metadataKey', 'metadataValue'], 'a search')
  const text = parseTimerId(search, 'search')
  const { namespace, statuses } = toListFilter(body)
  const scope = { ...(namespace === undefined ? {} : { namespace }), ...(statuses === undefined ? {} : { statuses }) }
  const { timers: page, total, searched } = await timers.search({ ...scope, ...orderOf(body), text })
  return `{${timersJson(page)},"total":${total},"searched":"${searched}"}`
}

function refuse(body: ListBody, fields: readonly (keyof ListBody)[], what: string): void {
  const surplus = fields.find((field) => body[field] !== undefined)
  if (surplus !== undefined) throw invalidInput(surplus, `${surplus} does not go with ${what}`)
}

function orderOf({ sort = 'dueAt', order = 'asc', offset = 0, ...body }: ListBody): Omit<PageQuery, 'filter'> {
  return { sort, descending: order === 'desc', offset, limit: limitOf(body) }
}

function limitOf({ limit = PAGE_TIMERS_DEFAULT }: Pick<ListBody, 'limit'>): number {
  return Math.min(limit, PAGE_TIMERS_MAX)
}

function timersJson(timers: readonly Timer[]): string {
  return `"timers":[${timers.map((timer) => timerJson(timer)).join(',')}]`
}
