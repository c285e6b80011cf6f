// A commit as the parameters of one call of timers_commit_1, and what it answers as results.

import type { Timer, TimerUuid } from '../../core/timer.ts'
import { kindOf } from '../../core/timer-kind.ts'
import type { CommitPart, PartResult, TimerPart } from '../store.ts'
import { appendCells, kindCode, omitsColumn, statusCode, timerAt, TIMER_COLUMNS } from '../timer-row.ts'
import type { Cell } from '../timer-row.ts'
import { columnParameter } from './array-parameters.ts'
import type { ElementType } from './array-parameters.ts'
import type { Query, Row } from './connections.ts'
import { eventParameters, withEvents } from './outbox.ts'
import { countName } from './tally-log.ts'
import { TALLY_PARAMETERS, TallySheet } from './tally-sheet.ts'

/** Beside the cells of the timer: part, round, expected version, kind. Numbered from 1, as arrays are in SQL. */
const PUT_TYPES = ['int4', 'int4', 'int8', 'int2'] as const satisfies readonly ElementType[]

/** In the order of TIMER_COLUMNS. */
export const CELL_TYPES: Readonly<Record<(typeof TIMER_COLUMNS)[number], ElementType>> = {
  row_type: 'int2',
  timer_execute_at: 'int8',
  timer_uuid: 'uuid',
  timer_namespace: 'text',
  timer_id: 'text',
  timer_version: 'int8',
  timer_status: 'int2',
  timer_due_at: 'int8',
  timer_protocol: 'text',
  timer_target_type: 'int2',
  timer_target_address: 'text',
  timer_target_options: 'text',
  timer_payload: 'text',
  timer_metadata: 'text',
  timer_retry_policy: 'text',
  timer_callback_timeout_ms: 'int4',
  timer_created_at: 'int8',
  timer_updated_at: 'int8',
  timer_executed_at: 'int8',
  timer_finished_at: 'int8',
  timer_firing: 'int4',
  timer_attempts: 'int4',
  timer_progress: 'text',
  timer_schedule: 'text',
  timer_cycle: 'text',
  timer_traceparent: 'text',
  timer_message: 'text',
  timer_fingerprint: 'text',
  timer_tenant: 'text',
}

const COLUMN_TYPES: readonly ElementType[] = [...PUT_TYPES, ...TIMER_COLUMNS.map((column) => CELL_TYPES[column])]
const PUT_STRIDE = COLUMN_TYPES.length
const PARAMETERS = 4 + PUT_STRIDE + TALLY_PARAMETERS

const COMMIT_SQL = `
  SELECT fenced_part, missed_put, existing
  FROM timers_commit_1(${Array.from({ length: PARAMETERS }, (_, index) => `$${index + 1}`).join(', ')})`

const COMMIT_WITH_EVENTS_SQL = withEvents(COMMIT_SQL, PARAMETERS + 1)

export function commitQuery(parts: readonly CommitPart[]): Query {
  const cells: Cell[] = []
  const tallies = new TallySheet()
  const seen = new Map<TimerUuid, number>()
  let [number, rounds] = [0, 1]
  for (const [index, { puts }] of parts.entries()) {
    for (const { timer, expect, tallies: added } of puts) {
      const round = (seen.get(timer.uuid) ?? 0) + 1
      seen.set(timer.uuid, round)
      rounds = Math.max(rounds, round)
      number++
      const kind = kindCode(kindOf(timer))
      cells.push(index + 1, round, expect === 'absent' ? null : expect.version, kind)
      appendCells(cells, timer)
      const counted = expect === 'absent' ? null : countName(statusCode(expect.status), kindCode(expect.kind))
      tallies.count(number, timer.namespace, counted, countName(statusCode(timer.status), kind))
      if (added !== undefined) tallies.add(number, timer.namespace, added)
    }
  }
  const shards = columnParameter('int4', parts.map(({ shard }) => shard))
  const epochs = columnParameter('int8', parts.map(({ epoch }) => epoch))
  const owners = columnParameter('text', parts.map(({ owner }) => owner))
  const columns = COLUMN_TYPES.map((type, index) => columnParameter(type, cells, index, PUT_STRIDE))
  const values = [shards, epochs, owners, rounds, ...columns, ...tallies.parameters()]
  const events = eventParameters(parts)
  if (events === null) return { name: 'commit', text: COMMIT_SQL, values }
  return { name: 'commit-with-events', text: COMMIT_WITH_EVENTS_SQL, values: [...values, ...events] }
}

export function partResults(parts: readonly CommitPart[], rows: readonly Row[]): PartResult[] {
  const results: ({ fenced: true } | { fenced: false; missed: Map<number, Timer | null> })[] = []
  for (let part = 0; part < parts.length; part++) results.push({ fenced: false, missed: new Map() })
  const misses: [put: number, found: Timer | null][] = []
  for (const row of rows) {
    const fencedPart = row[0] as number | null
    if (fencedPart !== null) results[fencedPart - 1] = { fenced: true }
    else misses.push([(row[1] as number) - 1, row[2] === null ? null : timerAt(JSON.parse(row[2] as string) as Cell[], 0)])
  }
  // The function goes by rounds; the results go by puts.
  for (const [put, found] of misses.toSorted((a, b) => a[0] - b[0])) {
    const { part, index } = placeOf(parts, put)
    const result = results[part]!
    if (!result.fenced) result.missed.set(index, found)
  }
  return results
}

function placeOf(parts: readonly CommitPart[], put: number): { readonly part: number; readonly index: number } {
  let index = put
  for (const [part, { puts }] of parts.entries()) {
    if (index < puts.length) return { part, index }
    index -= puts.length
  }
  throw new Error(`the answer to a commit names put ${put + 1}, which it does not have`)
}

/** The cells of a row, for a SELECT list; the driver hands the uuid over as 32 hex digits. What is omitted is not fetched. */
export function selectCells(omit: readonly TimerPart[] = []): string {
  return TIMER_COLUMNS.map((column) => (omitsColumn(column, omit) ? `NULL::text AS ${column}` : column)).join(', ')
}

export const SELECT_CELLS = selectCells()

export function timersOfRows(rows: readonly Row[]): Timer[] {
  return rows.map((row) => timerAt(row, 0))
}
