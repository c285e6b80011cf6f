// "Did you mean …": the known name that takes the fewest edits to reach from the one that was typed.

/** Null when nothing is near enough to be a likely slip: more than a third of the letters would differ. */
export function nearestName(typed: string, known: readonly string[]): string | null {
  let nearest: string | null = null
  let fewest = Math.floor(Math.max(typed.length, 3) / 3) + 1
  for (const name of known) {
    const edits = editDistance(typed, name)
    if (edits < fewest) [nearest, fewest] = [name, edits]
  }
  return nearest
}

/** Letters added, dropped, replaced, or swapped with their neighbour, which is the commonest slip of all. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const edits = Math.min(last[column - 1]! + (same ? 0 : 1), last[column]! + 1, current[column - 1]! + 1)
      current.push(swapped ? Math.min(edits, beforeLast[column - 2]! + 1) : edits)
    }
    ;[beforeLast, last] = [last, current]
  }
  return last[b.length]!
}
