// Timers as rows of a partition, read by their uuids or in the order of their places. A place and its timer are written by the
// same batch, but are read one after the other: a timer that has moved in between is left out, as the read came too late for it.

import type { OrderKey } from '../../core/timer/order.ts'
import type { Millis, ShardId, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { CELLS_PER_TIMER, CellAt } from '../row/columns.ts'
import type { Cell } from '../row/columns.ts'
import { appendCells, rowTypeOf, timerAt } from '../row/timer-row.ts'
import { COLUMNS, RUNS, Type } from './schema.ts'
import type { Run } from './schema.ts'
import { numberOf } from './session.ts'
import type { Row, Session } from './session.ts'

const KEYS_MAX = 100 // in one question, which ScyllaDB limits
const PLACES_MAX = 500 // read at once
const NOWHERE = Number.MIN_SAFE_INTEGER

const BY_UUID = (columns: readonly string[]) =>
  `SELECT name, ${columns.join(', ')} FROM timers WHERE shard = ? AND row_type = ${Type.timer} AND position = 0 AND name IN ?`
const TIMERS = BY_UUID(COLUMNS.map(({ name }) => name))
export const PLACES = `SELECT position, name FROM timers
  WHERE shard = ? AND row_type = ? AND (position, name) > (?, ?) AND (position, name) < (?, '') LIMIT ?`

/** In the order of COLUMNS. */
export function cellsOf(timer: Timer): Cell[] {
  const cells: Cell[] = []
  appendCells(cells, timer)
  return COLUMNS.map(({ name }) => cells[CellAt[name]]!)
}

export async function readTimers(
  session: Session,
  shard: ShardId,
  uuids: readonly TimerUuid[],
): Promise<Map<TimerUuid, Timer>> {
  const rows = await byUuid(session, TIMERS, shard, uuids)
  return new Map(rows.map((row) => [row['name'] as TimerUuid, timerOf(row)]))
}

/** Some columns of timers, and their uuids as `name`. */
export function readColumns(
  session: Session,
  shard: ShardId,
  uuids: readonly TimerUuid[],
  columns: readonly (typeof COLUMNS)[number]['name'][],
): Promise<Row[]> {
  return byUuid(session, BY_UUID(columns), shard, uuids)
}

async function byUuid(session: Session, query: string, shard: ShardId, uuids: readonly TimerUuid[]): Promise<Row[]> {
  const reads: Promise<Row[]>[] = []
  for (let n = 0; n < uuids.length; n += KEYS_MAX)
    reads.push(session.read(query, [shard, uuids.slice(n, n + KEYS_MAX)]))
  return (await Promise.all(reads)).flat()
}

function timerOf(row: Row): Timer {
  const cells: Cell[] = Array.from({ length: CELLS_PER_TIMER }, () => null)
  cells[CellAt.timer_uuid] = row['name'] as string
  for (const { name, type } of COLUMNS) {
    const value = row[name]
    const isLong = value !== null && (type === 'time' || type === 'integer')
    cells[CellAt[name]] = isLong ? numberOf(value) : (value as Cell)
  }
  return timerAt(cells, 0)
}

export type PlaceScan = {
  readonly shard: ShardId
  readonly type: Run
  /** Null: from the beginning. */
  readonly after: OrderKey | null
  /** Included. */
  readonly until: Millis
  readonly limit: number
}

/** Keys in order. */
export async function readPlaces(session: Session, scan: PlaceScan): Promise<OrderKey[]> {
  const { shard, type, after, until, limit } = scan
  const { wakeAt, uuid } = after ?? { wakeAt: await firstPlace(session, shard, type), uuid: '' }
  const rows = await session.read(PLACES, [shard, type, wakeAt, uuid, until + 1, limit])
  return rows.map(({ position, name }) => ({ wakeAt: numberOf(position), uuid: name as TimerUuid }))
}

/** Before it there is nothing but tombstones, which need not be walked over. */
export async function firstPlace(session: Session, shard: ShardId, type: Run): Promise<number> {
  const query = `SELECT position, ${RUNS[type]} AS first FROM timers WHERE shard = ? AND row_type = ${Type.fence} AND position = 0 AND name = ''`
  const first = (await session.read(query, [shard]))[0]?.['first'] ?? null
  return first === null ? NOWHERE : numberOf(first)
}

/** Timers in order, of those that are meant. */
export async function readInOrder(
  session: Session,
  scan: PlaceScan,
  isMeant: (timer: Timer) => boolean = () => true,
): Promise<Timer[]> {
  const found: Timer[] = []
  const atOnce = Math.min(scan.limit, PLACES_MAX)
  for (let { after } = scan; ;) {
    const places = await readPlaces(session, { ...scan, after, limit: atOnce })
    const timers = await readTimers(
      session,
      scan.shard,
      places.map(({ uuid }) => uuid),
    )
    for (const { wakeAt, uuid } of places) {
      const timer = timers.get(uuid)
      const isThere = timer?.wakeAt === wakeAt && rowTypeOf(timer) === scan.type
      if (isThere && isMeant(timer)) found.push(timer)
    }
    if (places.length < atOnce || found.length >= scan.limit) return found.slice(0, scan.limit)
    after = places.at(-1)!
  }
}
