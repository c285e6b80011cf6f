// What a row must be to match a filter, as conditions.

import { isFinished } from '../../../core/timer/timer.ts'
import type { Status } from '../../../core/timer/timer.ts'
import { statusCode } from '../../row/codes.ts'
import { RowType } from '../../row/columns.ts'
import type { ListFilter, PageFilter } from '../../store.ts'
import type { Statement } from '../statement.ts'

export const DUE_AT = 'coalesce(timer_due_at, timer_execute_at)'

export type RowFilter = PageFilter & Pick<ListFilter, 'dueFrom' | 'dueTo'>

export function rowFilter({ metadataValue, ...filter }: ListFilter): RowFilter {
  return metadataValue === undefined ? filter : { ...filter, metadataValues: [metadataValue] }
}

/** False when nothing can match. */
export function canMatch(filter: RowFilter, { dialect }: Pick<Statement, 'dialect'>): boolean {
  const { namespaces, statuses, uuids, metadataKey, metadataValues, idPrefix } = filter
  if (namespaces?.length === 0 || statuses?.length === 0 || uuids?.length === 0) return false
  if (!dialect.isAskable(idPrefix) || !dialect.isAskable(metadataKey)) return false
  return metadataKey === undefined || metadataValues === undefined || metadataValues.some(dialect.isAskable)
}

/** All but the namespaces. */
export function filterTerms(filter: RowFilter, statement: Statement): string[] {
  const { statuses, kind, dueFrom, dueTo, metadataKey, idPrefix, uuids } = filter
  const { dialect } = statement
  const terms: string[] = []
  if (statuses !== undefined) terms.push(`timer_status IN (${statusCodes(statuses)})`)
  if (kind !== undefined) terms.push(kind === 'once' ? 'timer_kind = 0' : 'timer_kind > 0')
  if (dueFrom !== undefined) terms.push(`${DUE_AT} >= ${statement.bind(dueFrom, 'time')}`)
  if (dueTo !== undefined) terms.push(`${DUE_AT} < ${statement.bind(dueTo, 'time')}`)
  if (metadataKey !== undefined) terms.push(dialect.hasMetadata(askable(filter, statement), statement))
  if (idPrefix !== undefined) {
    const length = statement.bind(Array.from(idPrefix).length, 'small')
    terms.push(`substr(timer_id, 1, ${length}) = ${statement.bind(idPrefix, 'text')}`)
  }
  if (uuids !== undefined) terms.push(dialect.isOneOf('timer_uuid', 'uuid', uuids, statement))
  return terms
}

/** The filter, without the values that no timer can have. */
export function askable<Filter extends PageFilter>(filter: Filter, { dialect }: Pick<Statement, 'dialect'>): Filter {
  const { metadataValues } = filter
  return metadataValues === undefined
    ? filter
    : { ...filter, metadataValues: metadataValues.filter((value) => dialect.isAskable(value)) }
}

/** In one order, so that the same filter is the same text. */
export function statusCodes(statuses: readonly Status[]): string {
  const codes = statuses.map(statusCode)
  return codes.toSorted((a, b) => a - b).join(', ')
}

/** Null when rows of both types can match. */
export function onlyRowType(statuses: readonly Status[] | undefined): number | null {
  if (statuses === undefined) return null
  const finished = statuses.filter((status) => isFinished({ status })).length
  return finished === statuses.length ? RowType.finished : finished === 0 ? RowType.live : null
}
