// The query of a list. Every value is text here; what is wrong with one is said together with what is right.

import { invalidInput } from '../../../core/errors.ts'
import { DEFAULT_NAMESPACE } from '../../../core/timer/ids.ts'
import { Status } from '../../../core/timer/timer.ts'
import type { PageQuery } from '../../../service/timers.ts'
import { TIMER_PARTS } from '../../../store/store.ts'
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from './schema.ts'
import type { ListQuery } from './schema.ts'

export function toPageQuery({ status, limit, offset, sort = 'created_at', order = 'desc' }: ListQuery): PageQuery {
  return {
    filter: { namespace: DEFAULT_NAMESPACE, ...(status === undefined ? {} : { statuses: shownAs(status) }) },
    sort: sort === 'created_at' ? 'createdAt' : 'dueAt',
    descending: order === 'desc',
    limit: Math.min(wholeNumber(limit, 'limit', 1) ?? LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX),
    offset: wholeNumber(offset, 'offset', 0) ?? 0,
    omit: TIMER_PARTS, // lists show none of them
  }
}

/** Paused timers are shown as pending, so they are found as such. */
function shownAs(status: NonNullable<ListQuery['status']>): readonly Status[] {
  return status === Status.pending ? [Status.pending, Status.paused] : [status]
}

const DIGITS_MAX = 15 // exact as a number

function wholeNumber(text: string | undefined, field: 'limit' | 'offset', min: number): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d+$/.test(text) && text.length <= DIGITS_MAX ? Number(text) : -1
  if (value < min) throw invalidInput(field, `${field} must be a whole number, ${min} or more`)
  return value
}
