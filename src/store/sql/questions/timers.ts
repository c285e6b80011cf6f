// What the engine asks: timers by their keys, and in the order in which they come due.

import type { JsonText, Millis, Namespace, ShardId, TimerUuid } from '../../../core/timer/timer.ts'
import { kindAt, statusOf } from '../../row/codes.ts'
import { RowType } from '../../row/columns.ts'
import type { Cell } from '../../row/columns.ts'
import type { DueScan, RowScan, Store, StoredRow } from '../../store.ts'
import type { Dialect } from '../dialect.ts'
import { inChunks, Statement } from '../statement.ts'
import type { Question, Row } from '../statement.ts'
import { selectCells, uuidText } from '../timer-sql.ts'

/** Before everything: no time is smaller, no uuid is less. */
const BEGINNING = { wakeAt: Number.MIN_SAFE_INTEGER, uuid: '0'.repeat(32) }

/** The cells of the rows that are there, in any order. */
export function* getMany(dialect: Dialect, uuids: readonly string[]): Question<Cell[]> {
  const cells: Cell[] = []
  for (const some of inChunks(uuids, dialect)) {
    const statement = new Statement(dialect)
    const rows = yield statement.query(`
      SELECT ${selectCells(dialect)} FROM timers WHERE ${dialect.isOneOf('timer_uuid', 'uuid', some, statement)}`)
    appendRows(cells, rows)
  }
  return cells
}

/** Live or finished rows of a shard in the total order. */
export function* scan(dialect: Dialect, { shard, finished, after, limit }: RowScan): Question<Cell[]> {
  const { wakeAt, uuid } = after ?? BEGINNING
  const statement = new Statement(dialect)
  const isBehind = dialect.isBehind(
    ['timer_execute_at', 'timer_uuid'],
    [statement.bind(wakeAt, 'time'), statement.bind(uuid, 'uuid')],
    false,
  )
  const rows = yield statement.query(`
    SELECT ${selectCells(dialect)} FROM timers ${dialect.by('primary')}
    WHERE shard_id = ${statement.bind(shard, 'shard')} AND row_type = ${finished ? RowType.finished : RowType.live} AND ${isBehind}
    ORDER BY timer_execute_at, timer_uuid LIMIT ${statement.bind(limit, 'integer')}`)
  return appendRows([], rows)
}

/** By the primary key alone: by namespace, all rows that the namespace ever had would be read and sorted. */
export function* due(dialect: Dialect, { shard, after, until, limit, group, except = [] }: DueScan): Question<Cell[]> {
  const { wakeAt, uuid } = after ?? BEGINNING
  const statement = new Statement(dialect)
  const terms = [
    `shard_id = ${statement.bind(shard, 'shard')} AND row_type = ${RowType.live}`,
    dialect.isBehind(
      ['timer_execute_at', 'timer_uuid'],
      [statement.bind(wakeAt, 'time'), statement.bind(uuid, 'uuid')],
      false,
    ),
    `timer_execute_at <= ${statement.bind(until, 'time')}`,
  ]
  // See `shareGroupOf`.
  const partyOfRow = `coalesce(${dialect.concat(`'@'`, 'timer_tenant')}, timer_namespace)`
  if (group !== undefined) terms.push(`${partyOfRow} = ${statement.bind(group, 'name')}`)
  if (except.length > 0) terms.push(`NOT ${dialect.isOneOf(partyOfRow, 'name', except, statement)}`)
  const rows = yield statement.query(`
    SELECT ${selectCells(dialect)} FROM timers ${dialect.by('primary')} WHERE ${terms.join(' AND ')}
    ORDER BY timer_execute_at, timer_uuid LIMIT ${statement.bind(limit, 'integer')}`)
  return appendRows([], rows)
}

export function* dueShards(
  dialect: Dialect,
  { shards, until }: { readonly shards: readonly ShardId[]; readonly until: Millis },
): Question<ShardId[]> {
  const found: ShardId[] = []
  for (const some of inChunks(shards, dialect)) {
    const statement = new Statement(dialect)
    const untilSql = statement.bind(until, 'time')
    const first = (shard: string): string => `
      SELECT shard_id FROM timers ${dialect.by('primary')}
      WHERE shard_id = ${shard} AND row_type = ${RowType.live} AND timer_execute_at <= ${untilSql}
      ORDER BY timer_execute_at LIMIT 1`
    const rows = yield statement.query(`SELECT shard_id FROM ${dialect.forEach('shard', some, first, statement)}`)
    for (const [shard] of rows) found.push(shard as ShardId)
  }
  return found
}

type ExpiredFields = readonly [ShardId, TimerUuid, Namespace, number, number, Millis, number, JsonText | null]
const EXPIRED =
  'shard_id, timer_uuid, timer_namespace, timer_version, timer_status, timer_execute_at, timer_kind, timer_metadata'

export function* expired(
  dialect: Dialect,
  { shards, before, limit }: Parameters<Store['expired']>[0],
): Question<StoredRow[]> {
  const found: Row[] = []
  for (const some of inChunks(shards, dialect)) {
    if (found.length >= limit) break
    const statement = new Statement(dialect)
    const [beforeSql, limitSql] = [statement.bind(before, 'time'), statement.bind(limit - found.length, 'integer')]
    const oldest = (shard: string): string => `
      SELECT ${EXPIRED} FROM timers ${dialect.by('primary')}
      WHERE shard_id = ${shard} AND row_type = ${RowType.finished} AND timer_execute_at < ${beforeSql}
      ORDER BY timer_execute_at, timer_uuid LIMIT ${limitSql}`
    found.push(
      ...(yield statement.query(`
      SELECT ${EXPIRED.replace('timer_uuid', uuidText(dialect))}
      FROM ${dialect.forEach('shard', some, oldest, statement)} LIMIT ${limitSql}`)),
    )
  }
  return (found as unknown as ExpiredFields[]).map(
    ([shard, uuid, namespace, version, status, wakeAt, kind, metadata]) => {
      return { shard, uuid, namespace, version, status: statusOf(status), wakeAt, kind: kindAt(kind), metadata }
    },
  )
}

/** Flat, as rows go from thread to thread. */
export function appendRows(cells: Cell[], rows: readonly Row[]): Cell[] {
  for (const row of rows) cells.push(...row)
  return cells
}
