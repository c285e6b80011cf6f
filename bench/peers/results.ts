// What was measured, by row and system, round by round.

import { median } from '../harness/statistics.ts'

export type Better = 'more' | 'less'
export type RowKind = { readonly what: string; readonly unit: string; readonly better: Better }

export type Row = RowKind & {
  readonly systems: readonly {
    readonly name: string
    readonly isDuetime: boolean
    readonly value: number
    readonly min: number
    readonly max: number
    readonly rounds: readonly number[]
    readonly remark: string | null
  }[]
}

type Cell = { readonly isDuetime: boolean; readonly rounds: number[]; remark: string | null }

export class Results {
  readonly #rows = new Map<string, { readonly kind: RowKind; readonly cells: Map<string, Cell> }>()

  add(
    kind: RowKind,
    { name, isDuetime }: { readonly name: string; readonly isDuetime: boolean },
    value: number,
    remark: string | null = null,
  ): void {
    const row = this.#rows.get(kind.what) ?? { kind, cells: new Map<string, Cell>() }
    this.#rows.set(kind.what, row)
    const cell = row.cells.get(name) ?? { isDuetime, rounds: [], remark: null }
    row.cells.set(name, cell)
    cell.rounds.push(value)
    cell.remark = remark ?? cell.remark
  }

  /** The best first in each row. */
  rows(): readonly Row[] {
    return [...this.#rows.values()].map(({ kind, cells }) => {
      const systems = [...cells].map(([name, { isDuetime, rounds, remark }]) => ({
        name,
        isDuetime,
        value: median(rounds),
        min: Math.min(...rounds),
        max: Math.max(...rounds),
        rounds,
        remark,
      }))
      const sign = kind.better === 'more' ? -1 : 1
      return { ...kind, systems: systems.toSorted((a, b) => sign * (a.value - b.value)) }
    })
  }
}
