// The few numbers that a run is boiled down to.

/** The lower of the two in the middle, so that it is a round that happened. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('no values to take the median of')
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1]!
}

/** Of values in ascending order: the smallest that at least `share` of them do not exceed. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) throw new Error('no values to take a percentile of')
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)]!
}

export type Spread = {
  readonly count: number
  readonly min: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export function spreadOf(values: Float64Array): Spread {
  const sorted = values.toSorted()
  return {
    count: sorted.length,
    min: percentile(sorted, 0),
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    max: percentile(sorted, 1),
  }
}
