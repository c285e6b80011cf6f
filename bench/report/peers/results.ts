// What was measured, by row and system, round by round.

import type { Machine } from '../machine.ts'
import { ROWS } from './rows.ts'
import type { RowKey, RowKind } from './rows.ts'

export type Row = RowKind & {
  readonly key: RowKey
  /** The best first. */
  readonly systems: readonly SystemFigure[]
}

export type SystemFigure = {
  readonly name: string
  readonly isDuetime: boolean
  /** The median of the rounds; of an even number, the worse one of the two in the middle. */
  readonly value: number
  readonly min: number
  readonly max: number
  readonly rounds: readonly number[]
  /** The work was smaller than that of the others: how much it was. */
  readonly less: string | null
  /** What else there is to know. */
  readonly remark: string | null
}

/** How long a part of the run took, and how busy the machine was with other things between its systems, at most. */
export type Part = { readonly title: string; readonly seconds: number; readonly foreignLoad: number }

/** What is kept of a run: everything that the pages and pictures show. */
export type Comparison = {
  readonly machine: Machine
  readonly rows: readonly Row[]
  readonly parts: readonly Part[]
}

export type Notes = { readonly less?: string | null; readonly remark?: string | null }

type Cell = { readonly isDuetime: boolean; readonly rounds: number[]; less: string | null; remark: string | null }

export class Results {
  readonly #rows = new Map<RowKey, Map<string, Cell>>()

  add(
    key: RowKey,
    { name, isDuetime }: { readonly name: string; readonly isDuetime: boolean },
    value: number,
    { less = null, remark = null }: Notes = {},
  ): void {
    const cells = this.#rows.get(key) ?? new Map<string, Cell>()
    this.#rows.set(key, cells)
    const cell = cells.get(name) ?? { isDuetime, rounds: [], less: null, remark: null }
    cells.set(name, cell)
    cell.rounds.push(value)
    cell.less = less ?? cell.less
    cell.remark = remark ?? cell.remark
  }

  /** In the order in which they are declared. */
  rows(): readonly Row[] {
    return (Object.keys(ROWS) as RowKey[]).flatMap((key): Row[] => {
      const cells = this.#rows.get(key)
      return cells === undefined ? [] : [{ key, ...ROWS[key], systems: figuresOf(cells, ROWS[key]) }]
    })
  }
}

function figuresOf(cells: ReadonlyMap<string, Cell>, { better }: RowKind): readonly SystemFigure[] {
  const sign = better === 'more' ? -1 : 1
  const bestFirst = (a: number, b: number) => sign * (a - b)
  const figures = Array.from(cells, ([name, { isDuetime, rounds, less, remark }]) => ({
    name,
    isDuetime,
    value: rounds.toSorted(bestFirst)[rounds.length >> 1]!,
    min: Math.min(...rounds),
    max: Math.max(...rounds),
    rounds,
    less,
    remark,
  }))
  return figures.toSorted((a, b) => bestFirst(a.value, b.value))
}
