// Pages in an order by time, with exact totals. Which index leads to the rows depends on what is asked for and on what is
// stored, so these statements are planned each time, with the statistics of the moment, on a connection of their own.

import { PAGE_BYTES_MAX } from '../../../core/limits.ts'
import { Status } from '../../../core/timer/timer.ts'
import { TimerKind } from '../../../core/timer/timer-kind.ts'
import { countName } from '../../counters.ts'
import type { PageFilter, PageQuery, TimerPage } from '../../store.ts'
import { statusCode } from '../../row/codes.ts'
import { RowType } from '../../row/columns.ts'
import { timerAt } from '../../row/timer-row.ts'
import { rowBytesSql, withoutParts } from '../../row/timer-parts.ts'
import { SELECT_CELLS, selectCells } from '../commit.ts'
import { columnParameter } from '../connection/array-parameters.ts'
import { cutToBytes, inScope, isAskable, METADATA, Statement } from '../connection/statement.ts'
import type { PreparedReads } from '../connection/statement.ts'
import { COUNTS_NOW } from '../counter-log.ts'

/** One statement, so that total and page are of the same moment. */
export async function pageOf(query: PageQuery, reads: PreparedReads): Promise<TimerPage> {
  const { filter, omit = [], bytesMax = PAGE_BYTES_MAX } = query
  if (filter.statuses?.length === 0 || !isAskable(filter.metadataKey) || !isAskable(filter.idPrefix))
    return { timers: [], total: 0 }
  const statement = new Statement()
  const direction = query.descending ? 'DESC' : 'ASC'
  const isCounted = filter.metadataKey === undefined && filter.idPrefix === undefined && filter.uuids === undefined
  const keys = isCounted ? keysInOrder(query, statement) : keysThatMatch(query, statement)
  const [limit, offset] = [statement.bind(query.limit, 'bigint'), statement.bind(query.offset, 'bigint')]
  const order = `at ${direction}, timer_uuid ${direction}`
  const whole = `SELECT at, ${selectCells(omit)}, ${rowBytesSql(omit)} AS bytes FROM page JOIN timers USING (timer_uuid)`
  const text = `
    WITH ${keys}, page AS MATERIALIZED (
      SELECT at, timer_uuid FROM matching ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}
    )
    SELECT total.timers, ${SELECT_CELLS}
    FROM (${isCounted ? countedTotal(filter, statement) : 'SELECT count(*) FROM matching'}) AS total (timers)
    LEFT JOIN (${cutToBytes(whole, { order, columns: '*', bytesMax }, statement)}) AS shown ON true
    ORDER BY ${order}`
  const rows = await reads.read(text, statement)
  // Without any timer there is still one row, for the total.
  const timers = rows.filter((row) => row[1] !== null).map((row) => withoutParts(timerAt(row, 1), omit))
  return { timers, total: rows[0]![0] as number }
}

/** Of every namespace the first rows in an index that has the order, as many as the page may need. */
function keysInOrder({ filter, sort, descending, offset, limit }: PageQuery, statement: Statement): string {
  const order = descending ? 'DESC' : 'ASC'
  const scope = inScope(filter, statement)
  const conditions = conditionsOf(filter, statement)
  const enough = statement.bind(offset + limit, 'bigint')
  const first = (at: string, where: string): string => {
    return `(SELECT ${at} AS at, timer_uuid FROM timers WHERE timer_namespace = space.timer_namespace AND ${where}${conditions}
      ORDER BY ${at} ${order}, timer_uuid ${order} LIMIT ${enough})`
  }
  const onTime = first('timer_execute_at', `row_type = ${RowType.live} AND timer_due_at IS NULL`)
  const apart = first('timer_due_at', 'timer_due_at IS NOT NULL')
  const byTime = sort === 'createdAt' ? first('timer_created_at', 'true') : `${onTime} UNION ALL ${apart}`
  return `space AS MATERIALIZED (SELECT DISTINCT timer_namespace FROM ${COUNTS_NOW} WHERE ${scope}),
    matching AS (SELECT at, timer_uuid FROM space CROSS JOIN LATERAL (${byTime}) AS first_rows)`
}

/** By the index of metadata, of uuids or of namespaces: all that match, to be counted and sorted. Rows of shards have no id. */
function keysThatMatch({ filter, sort }: PageQuery, statement: Statement): string {
  const at = sort === 'createdAt' ? 'timer_created_at' : 'coalesce(timer_due_at, timer_execute_at)'
  const terms = ['timer_id IS NOT NULL', inScope(filter, statement)]
  if (filter.metadataKey !== undefined) terms.push('timer_metadata IS NOT NULL', metadataTerm(filter, statement))
  if (filter.idPrefix !== undefined) terms.push(`starts_with(timer_id, ${statement.bind(filter.idPrefix, 'text')})`)
  if (filter.uuids !== undefined)
    terms.push(`timer_uuid = ANY (${statement.bind(columnParameter('uuid', filter.uuids), 'uuid[]')})`)
  return `matching AS MATERIALIZED (SELECT ${at} AS at, timer_uuid FROM timers WHERE ${terms.join(' AND ')}${conditionsOf(filter, statement)})`
}

/** Containment compares values with their types, and is what the index can do. */
function metadataTerm({ metadataKey, metadataValues }: PageFilter, statement: Statement): string {
  if (metadataValues === undefined)
    return `${METADATA} ? ${statement.bind(metadataKey!, 'text')} AND jsonb_typeof(${METADATA}) = 'object'`
  const objects = metadataValues.filter(isAskable).map((value) => JSON.stringify({ [metadataKey!]: value }))
  const listed = objects.map((json) => statement.bind(json, 'jsonb')).map((value) => `${METADATA} @> ${value}`)
  return listed.length === 0 ? 'false' : `(${listed.join(' OR ')})`
}

function conditionsOf({ statuses, kind }: PageFilter, statement: Statement): string {
  const terms: string[] = []
  if (statuses !== undefined) terms.push(`timer_status = ANY (${statusList(statuses, statement)})`)
  if (kind !== undefined) terms.push(kind === 'once' ? 'timer_kind = 0' : 'timer_kind > 0')
  return terms.map((term) => ` AND ${term}`).join('')
}

function countedTotal(filter: PageFilter, statement: Statement): string {
  const terms = [inScope(filter, statement)]
  const names = countNames(filter)
  if (names !== null) terms.push(`counter_name = ANY (${statement.bindTexts(names)})`)
  return `SELECT coalesce(sum(counter_amount), 0)::bigint FROM ${COUNTS_NOW} WHERE ${terms.join(' AND ')}`
}

/** Of the counters that count what is asked for; null when all do. */
function countNames({ statuses, kind }: PageFilter): string[] | null {
  if (statuses === undefined && kind === undefined) return null
  const kinds = Object.values(TimerKind).filter(
    (one) => kind === undefined || (kind === 'once') === (one === TimerKind.once),
  )
  return (statuses ?? Object.values(Status)).flatMap((status) => kinds.map((one) => countName(status, one)))
}

function statusList(statuses: NonNullable<PageFilter['statuses']>, statement: Statement): string {
  return statement.bind(columnParameter('int2', statuses.map(statusCode)), 'smallint[]')
}
