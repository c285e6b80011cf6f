// Lateness as a histogram that can be added up over hours and nodes: buckets that grow by a quarter, so that a
// percentile read from them is off by an eighth at most, whether it is three milliseconds or three days.

/** Below this each millisecond has a bucket of its own. */
const EXACT_BELOW = 8
const GROWTH = 1.25
const BUCKET_MAX = 130 // some 150 years; what is later than that is counted there

export function bucketOf(value: number): number {
  if (value < EXACT_BELOW) return Math.max(0, Math.floor(value))
  return Math.min(BUCKET_MAX, EXACT_BELOW + Math.floor(Math.log(value / EXACT_BELOW) / Math.log(GROWTH)))
}

/** A value that stands for all of a bucket: its middle. */
export function valueOf(bucket: number): number {
  if (bucket < EXACT_BELOW) return bucket
  const from = EXACT_BELOW * GROWTH ** (bucket - EXACT_BELOW)
  return Math.round((from * (1 + GROWTH)) / 2)
}

export const BUCKETS = BUCKET_MAX + 1

/** The largest whole value that is counted in a bucket. */
export function upperBoundOf(bucket: number): number {
  if (bucket < EXACT_BELOW) return bucket
  return Math.ceil(EXACT_BELOW * GROWTH ** (bucket - EXACT_BELOW + 1)) - 1
}

/** The value that `share` of all values do not exceed; null when there are none. */
export function percentile(counts: ReadonlyMap<number, number>, share: number): number | null {
  const total = counts.values().reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let seen = 0
  for (const [bucket, count] of [...counts].toSorted(([a], [b]) => a - b)) {
    seen += count
    if (seen >= share * total) return valueOf(bucket)
  }
  return null
}
