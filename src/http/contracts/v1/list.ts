// A list in one of its three ways: page after page by a cursor, which reads no more than it shows; sorted, with an offset
// and a total; or by the beginning of ids. What does not go together is refused, and the field named.

import { DuetimeError, ErrorCode, invalidInput } from '../../../core/errors.ts'
import { parseTimerId } from '../../../core/timer/ids.ts'
import { PAGE_TIMERS_DEFAULT, PAGE_TIMERS_MAX } from '../../../core/limits.ts'
import { isFinished } from '../../../core/timer/timer.ts'
import type { Timer } from '../../../core/timer/timer.ts'
import type { PageQuery, Timers } from '../../../service/timers.ts'
import type { ListCursor, PageSize } from '../../../store/store.ts'
import type { ListAnswer } from '../../lists/list-answer.ts'
import { partsNotIn, timerFieldsJson } from '../../../language/timer-fields.ts'
import { timerJson } from '../../../language/timer-json.ts'
import { cursorText, readCursor } from '../../../language/cursor.ts'
import { toListFilter } from './filter.ts'
import { EVERY } from './schema.ts'
import type { ListBody } from './schema.ts'

export async function list(body: ListBody, timers: Timers): Promise<ListAnswer<Timer>> {
  try {
    return await listAsAsked(body, timers)
  } catch (error) {
    throw body.namespace === undefined ? withAdvice(error) : error
  }
}

/** A key that may not use the namespace that is meant may use others. */
function withAdvice(error: unknown): unknown {
  if (
    !(error instanceof DuetimeError) ||
    error.code !== ErrorCode.forbidden ||
    error.details['namespace'] === undefined
  )
    return error
  const advice = `which is meant when none is named; "namespace": "${EVERY}" lists all that the key may use`
  return new DuetimeError(error.code, `${error.message}, ${advice}`, error.details)
}

async function listAsAsked(body: ListBody, timers: Timers): Promise<ListAnswer<Timer>> {
  if (body.search !== undefined) return listFound(body, body.search, timers)
  if (body.sort !== undefined || body.order !== undefined || body.offset !== undefined) return listSorted(body, timers)
  const after = body.cursor === undefined ? null : readCursor(body.cursor)
  const { timers: page, next } = await timers.list({ filter: toListFilter(body), after, ...sizeOf(body) })
  return answer(body, page, (written) => {
    const end = written < page.length ? positionOf(page[written - 1]!) : next
    return end === null ? '' : `,"nextCursor":"${cursorText(end)}"`
  })
}

async function listSorted(body: ListBody, timers: Timers): Promise<ListAnswer<Timer>> {
  refuse(body, ['cursor', 'dueFrom', 'dueTo'], 'a sorted list')
  const { metadataValue, ...filter } = toListFilter(body)
  const query = {
    ...orderOf(body),
    filter: { ...filter, ...(metadataValue === undefined ? {} : { metadataValues: [metadataValue] }) },
  }
  const { timers: page, total } = await timers.page(query)
  return answer(body, page, (written) => `,"total":${total}${nextOffset(query, written, total)}`)
}

async function listFound(body: ListBody, search: string, timers: Timers): Promise<ListAnswer<Timer>> {
  refuse(body, ['cursor', 'dueFrom', 'dueTo', 'metadataKey', 'metadataValue'], 'a search')
  const text = parseTimerId(search, 'search')
  const { namespace, statuses } = toListFilter(body)
  const scope = { ...(namespace === undefined ? {} : { namespace }), ...(statuses === undefined ? {} : { statuses }) }
  const order = orderOf(body)
  const { timers: page, total, searched } = await timers.search({ ...scope, ...order, text })
  return answer(
    body,
    page,
    (written) => `,"total":${total}${nextOffset(order, written, total)},"searched":"${searched}"`,
  )
}

function answer({ fields }: ListBody, items: readonly Timer[], rest: (written: number) => string): ListAnswer<Timer> {
  const json = fields === undefined ? (timer: Timer) => timerJson(timer) : timerFieldsJson(fields)
  return { before: '{"timers":[', items, json, after: (written) => `]${rest(written)}}` }
}

function positionOf(timer: Timer): ListCursor {
  return { finished: isFinished(timer), wakeAt: timer.wakeAt, uuid: timer.uuid }
}

/** Only where the page is shorter than was asked for, so that nobody who adds the limit misses any. */
function nextOffset({ offset, limit }: Pick<PageQuery, 'offset' | 'limit'>, written: number, total: number): string {
  const end = offset + written
  return written > 0 && written < limit && end < total ? `,"nextOffset":${end}` : ''
}

function refuse(body: ListBody, fields: readonly (keyof ListBody)[], what: string): void {
  const surplus = fields.find((field) => body[field] !== undefined)
  if (surplus !== undefined) throw invalidInput(surplus, `${surplus} does not go with ${what}`)
}

function orderOf({ sort = 'dueAt', order = 'asc', offset = 0, ...body }: ListBody): Omit<PageQuery, 'filter'> {
  return { sort, descending: order === 'desc', offset, ...sizeOf(body) }
}

function sizeOf({ limit = PAGE_TIMERS_DEFAULT, fields }: Pick<ListBody, 'limit' | 'fields'>): PageSize {
  return { limit: Math.min(limit, PAGE_TIMERS_MAX), omit: fields === undefined ? [] : partsNotIn(fields) }
}
