// How long to wait before trying again: exponential with full jitter, so that clients that failed together do not come
// back together, and never shorter than the server asked for.

const FIRST_MS = 100
const LONGEST_MS = 5_000

/** `retry` counts from 0. */
export function backoffMs(retry: number, retryAfterMs: number | null, random: () => number = Math.random): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(retry, 30))
  const jitter = random() * ceiling
  // A little is added to what the server asked for, for the same reason.
  return Math.ceil(retryAfterMs === null ? jitter : retryAfterMs + Math.min(jitter, 500))
}

/** Retry-After is a number of seconds or a date; null when it is neither. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null || value.trim() === '') return null
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return Number(value) * 1_000
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
