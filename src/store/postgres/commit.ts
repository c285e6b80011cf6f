// A commit as the parameters of one call of the commit function, and what it answers as results.

import type { Timer, TimerUuid } from '../../core/timer/timer.ts'
import { areSame, CellAt, COLUMN_NAMES, emptyColumns } from '../row/columns.ts'
import type { Cell } from '../row/columns.ts'
import { appendToColumns, timerAt } from '../row/timer-row.ts'
import type { CommitPart, PartResult } from '../store.ts'
import { CounterSums } from '../counter-sums.ts'
import { columnParameter } from './connection/array-parameters.ts'
import type { ElementType } from './connection/array-parameters.ts'
import {
  COMMIT_SQL,
  COUNTER_PARAMETERS,
  DELETE_PARAMETERS,
  EVENT_PARAMETERS,
  PART_PARAMETERS,
  PUT_PARAMETERS,
  SHARE_PARAMETERS,
} from './setup/commit-function.ts'
import type { Row } from '../sql/statement.ts'
import type { Query } from './connection/connections.ts'

const BEFORE_CELLS = PUT_PARAMETERS.length - COLUMN_NAMES.length

/** Of the shards, which is how the function locks and compares them. */
export async function commitInOrder(
  parts: readonly CommitPart[],
  write: (query: Query) => Promise<readonly Row[]>,
): Promise<PartResult[]> {
  const ordered = parts.toSorted((a, b) => a.shard - b.shard)
  const results = partResults(ordered, await write(commitQuery(ordered)))
  const byPart = new Map(ordered.map((part, index) => [part, results[index]!]))
  return parts.map((part) => byPart.get(part)!)
}

function commitQuery(parts: readonly CommitPart[]): Query {
  const [heads, deletes, shares, events]: Cell[][] = [[], [], [], []]
  const puts = emptyColumns(PUT_PARAMETERS.length)
  const [partsOfPuts, expected, kept] = puts
  const timers = puts.slice(BEFORE_CELLS)
  const sums = new CounterSums()
  for (const [index, part] of parts.entries()) {
    const number = index + 1 // as arrays are numbered in SQL
    heads!.push(part.shard, part.epoch, part.owner)
    for (const { before, after } of part.puts) {
      const keepsPayload = before !== null && before.payload === after.payload
      partsOfPuts!.push(number)
      expected!.push(before === null ? null : before.version)
      kept!.push(keepsPayload ? 1 : null)
      appendToColumns(timers, after)
      if (keepsPayload) timers[CellAt.timer_payload]![kept!.length - 1] = null
    }
    for (const { uuid, version } of part.deletes) deletes!.push(number, uuid, version)
    for (const counter of part.counters) {
      const place = sums.add(counter) + 1
      if (parts.length > 1) shares!.push(number, place, counter.amount)
    }
    for (const { uuid, namespace, type, id, at, body } of part.events)
      events!.push(number, uuid, namespace, type, id, at, body)
  }
  const counters = sums.all().flatMap(({ namespace, slotAt, name, amount }) => [namespace, slotAt, name, amount])
  const values = [
    ...columnsOf(PART_PARAMETERS, heads!),
    ...PUT_PARAMETERS.map((parameter, index) => putColumn(parameter, puts[index]!)),
    ...columnsOf(DELETE_PARAMETERS, deletes!),
    ...columnsOf(COUNTER_PARAMETERS, counters),
    ...columnsOf(SHARE_PARAMETERS, shares!),
    ...columnsOf(EVENT_PARAMETERS, events!),
  ]
  return { name: 'commit', text: COMMIT_SQL, values }
}

type Parameter = { readonly type: ElementType; readonly isShared?: boolean }

/** NULL for a column without a value, and for all columns of what there is none of. */
function putColumn({ type, isShared = false }: Parameter, column: readonly Cell[]): Buffer | null {
  if (column.length === 0) return null
  return columnParameter(type, isShared && areSame(column) ? column.slice(0, 1) : column)
}

function columnsOf(parameters: readonly Parameter[], cells: readonly Cell[]): (Buffer | null)[] {
  return parameters.map(({ type }, index) =>
    cells.length === 0 ? null : columnParameter(type, cells, index, parameters.length),
  )
}

function partResults(parts: readonly CommitPart[], rows: readonly Row[]): PartResult[] {
  const results: PartResult[] = parts.map(() => WRITTEN)
  if (rows.length === 0) return results
  const missed = new Map<number, Map<TimerUuid, Timer | null>>()
  for (const [part, uuid, existing] of rows as readonly [number, TimerUuid | null, string | null][]) {
    if (uuid === null) results[part - 1] = FENCED
    else {
      const inTheWay = missed.get(part) ?? new Map<TimerUuid, Timer | null>()
      missed.set(part, inTheWay.set(uuid, existing === null ? null : timerAt(JSON.parse(existing) as Cell[], 0)))
    }
  }
  for (const [part, inTheWay] of missed) results[part - 1] = { type: 'missed', rows: inTheWay }
  return results
}

const WRITTEN: PartResult = { type: 'written' }
const FENCED: PartResult = { type: 'fenced' }
