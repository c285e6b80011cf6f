// The rows of a page by their uuids, in that order, as far as a page may go in bytes. What is omitted is not even read, nor are
// the texts of rows that do not fit. Almost every page fits, and is one statement then.

import { PAGE_BYTES_MAX } from '../../../core/limits.ts'
import { CellAt } from '../../row/columns.ts'
import type { Cell } from '../../row/columns.ts'
import type { PageSize } from '../../store.ts'
import type { Dialect } from '../dialect.ts'
import { inChunks, Statement } from '../statement.ts'
import type { Question, Row } from '../statement.ts'
import { rowBytes, selectCells, uuidText } from '../timer-sql.ts'

type Size = Omit<PageSize, 'limit'>

/** One at least, if there are any. */
export function* pageRows(dialect: Dialect, uuids: readonly string[], size: Size): Question<Row[]> {
  if (uuids.length === 0) return []
  const all = uuids.length <= dialect.keysMax ? yield* rowsThatFit(dialect, uuids, size) : []
  return all.length > 0 ? inOrder(all, uuids) : yield* firstRows(dialect, uuids, size)
}

/** All of them, or none when they are too large together. */
function* rowsThatFit(
  dialect: Dialect,
  uuids: readonly string[],
  { omit = [], bytesMax = PAGE_BYTES_MAX }: Size,
): Question<readonly Row[]> {
  const statement = new Statement(dialect)
  const isOneOf = dialect.isOneOf('timer_uuid', 'uuid', uuids, statement)
  return yield statement.query(`
    SELECT ${selectCells(dialect, omit)} FROM timers
    WHERE ${isOneOf} AND (SELECT sum(${rowBytes(dialect, omit)}) FROM timers WHERE ${isOneOf}) <= ${statement.bind(bytesMax, 'integer')}`)
}

function* firstRows(
  dialect: Dialect,
  uuids: readonly string[],
  { omit = [], bytesMax = PAGE_BYTES_MAX }: Size,
): Question<Row[]> {
  const sizes = new Map<Cell, number>()
  for (const [uuid, bytes] of yield* byUuid(dialect, uuids, `${uuidText(dialect)}, ${rowBytes(dialect, omit)}`))
    sizes.set(uuid!, Number(bytes))
  const there = uuids.filter((uuid) => sizes.has(uuid))
  let bytes = 0
  const beyond = there.findIndex((uuid, index) => (bytes += sizes.get(uuid)!) > bytesMax && index > 0)
  const fitting = beyond === -1 ? there : there.slice(0, beyond)
  return inOrder(yield* byUuid(dialect, fitting, selectCells(dialect, omit)), fitting)
}

function inOrder(rows: readonly Row[], uuids: readonly string[]): Row[] {
  const found = new Map(rows.map((row) => [row[CellAt.timer_uuid], row]))
  return uuids.map((uuid) => found.get(uuid)).filter((row) => row !== undefined)
}

function* byUuid(dialect: Dialect, uuids: readonly string[], columns: string): Question<Row[]> {
  const found: Row[] = []
  for (const some of inChunks(uuids, dialect)) {
    const statement = new Statement(dialect)
    const isOneOf = dialect.isOneOf('timer_uuid', 'uuid', some, statement)
    found.push(...(yield statement.query(`SELECT ${columns} FROM timers WHERE ${isOneOf}`)))
  }
  return found
}
