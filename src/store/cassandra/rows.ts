// Rows of a partition, read in the order of their keys or by their keys. The place of a timer and the timer are written by the same
// batch, but are read one after the other: a timer that has moved in between is left out, as the read came too late for it.

import type { ShardId, Timer } from '../../core/timer/timer.ts'
import { inBatches, readInSlices } from '../keyed/in-batches.ts'
import type { KeyedItem } from '../keyed/keyed-engine.ts'
import { dueCells, timerSort } from '../keyed/sort-keys.ts'
import type { Range } from '../keyed/sort-keys.ts'
import { timerOf } from '../keyed/timer-fields.ts'
import type { Item } from '../keyed/timer-fields.ts'
import { AT_BEGINNING, runOf } from './schema.ts'
import type { Firsts } from './schema.ts'
import type { Row, Session } from './session.ts'

export type RowScan = Range & { readonly shard: ShardId; readonly limit: number }
type Named = Pick<Timer, 'uuid'>
type Columns = 'item' | 'due, item' | 'due, item, payload'

const KEYS_MAX = 100 // in one question, which ScyllaDB limits
const ROWS_MAX = 2 ** 31 - 1
const PLACES_MAX = 500 // read at once
export const ITEMS = 'SELECT sort, item FROM timers WHERE shard = ? AND sort >= ? AND sort <= ? LIMIT ?'
const FIRSTS = `SELECT sort, firsts FROM timers WHERE shard = ? AND sort = 'fence'`

/** By their keys, those that are there. */
export async function readRows(session: Session, shard: ShardId, sorts: string[], columns: Columns) {
  const query = `SELECT sort, ${columns} FROM timers WHERE shard = ? AND sort IN ?`
  const found = inBatches(sorts, KEYS_MAX).map((some) => session.run(query, [shard, some]))
  return new Map((await Promise.all(found)).flat().map((row) => [row['sort'] as string, row]))
}

/** Those that are there. */
export async function readTimers(session: Session, shard: ShardId, of: readonly Named[]): Promise<Timer[]> {
  const sorts = of.map(({ uuid }) => timerSort(uuid))
  const rows = await readRows(session, shard, sorts, 'due, item, payload')
  return Array.from(rows.values(), (row) => timerOf(row['due'] as string, itemOf(row)))
}

/** Counters, events, or the places of timers. */
export async function readItems(session: Session, { shard, from, to, limit }: RowScan): Promise<KeyedItem[]> {
  const paramsOf = (part: Range, size: number) => [shard, part.from, part.to, Math.min(size, ROWS_MAX)]
  const read = await readInSlices({ from, to }, limit, (...slice) => session.runOrRefused(ITEMS, paramsOf(...slice)))
  // Something else is wrong: it is tried again as every other call is, and its error says what.
  const rows = read ?? (await session.run(ITEMS, paramsOf({ from, to }, limit)))
  return rows.map((row) => ({ shard, sort: row['sort'] as string, fields: itemOf(row) }))
}

/** Timers in the order of their places. */
export async function readInOrder(session: Session, scan: RowScan, columns: Columns): Promise<KeyedItem[]> {
  const { shard, limit } = scan
  const found: KeyedItem[] = []
  for (let { from } = scan; ;) {
    const size = Math.min(limit - found.length, PLACES_MAX)
    const places = (await readItems(session, { ...scan, from, limit: size })).map(({ sort }) => sort)
    const keys = places.map((place) => timerSort(dueCells(place)[2]))
    const rows = await readRows(session, shard, keys, columns)
    for (const [n, place] of places.entries()) {
      const row = rows.get(keys[n]!)
      if (row?.['due'] === place) found.push({ shard, sort: place, fields: itemOf(row) })
    }
    if (places.length < size || found.length >= limit) return found
    from = `${places.at(-1)!}!`
  }
}

/** Of a range at the beginning of its rows, that part which is not nothing but tombstones. */
export async function withoutTombstones(session: Session, shard: ShardId, range: Range): Promise<Range> {
  const run = runOf(range.from)
  if (run === undefined || (run !== 'event' && range.from !== AT_BEGINNING[run])) return range
  const [row = { firsts: null }] = await session.run(FIRSTS, [shard])
  const first = firstsOf(row)[run]
  return first > range.from ? { ...range, from: first } : range
}

export function firstsOf({ firsts }: Row): Firsts {
  return firsts === null ? AT_BEGINNING : (JSON.parse(firsts as string) as Firsts)
}

export function itemOf({ item, payload: pa = null }: Row): Item {
  return { ...(JSON.parse((item as string | null) ?? '{}') as Item), ...(pa !== null && { pa: pa as string }) }
}
