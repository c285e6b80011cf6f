// Lists over many sorted runs of rows. A page reads a bounded stretch of each run; behind the nearest of their ends, its
// border, one of them may have rows that were not read, so the page ends there, short if need be, with a cursor.

/** `border` is the last position that was read; null when the run has no more rows. */
export type Stretch<Row, Position> = { readonly rows: readonly Row[]; readonly border: Position | null }

export type Order<Row, Position> = {
  readonly positionOf: (row: Row) => Position
  readonly compare: (a: Position, b: Position) => number
}

export function mergeStretches<Row, Position>(
  stretches: readonly Stretch<Row, Position>[],
  { positionOf, compare }: Order<Row, Position>,
  limit: number,
): Stretch<Row, Position> {
  const borders = stretches.flatMap(({ border }) => (border === null ? [] : [border]))
  const border = borders.toSorted(compare)[0] ?? null
  let rows = stretches.flatMap((stretch) => stretch.rows)
  if (stretches.length > 1) rows = rows.toSorted((a, b) => compare(positionOf(a), positionOf(b)))
  if (border !== null) rows = rows.filter((row) => compare(positionOf(row), border) <= 0)
  if (rows.length <= limit) return { rows, border }
  rows = rows.slice(0, limit)
  return { rows, border: positionOf(rows.at(-1)!) }
}
