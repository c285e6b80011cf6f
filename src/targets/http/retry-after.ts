// How long a receiver asks us to wait: `Retry-After` in seconds or as an HTTP date (RFC 9110 § 10.2.3).

import { RETRY_DURATION_MAX_MS } from '../../core/limits.ts'
import type { Millis } from '../../core/timer/timer.ts'

const SECONDS = /^\d{1,10}$/
// Only the form that senders must generate; Date.parse alone would take "5 apples" for a date in May.
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Null when the header is absent or says nothing that can be understood; never negative, never longer than any retry policy. */
export function parseRetryAfter(header: string | undefined, now: Millis): Millis | null {
  if (header === undefined) return null
  const text = header.trim()
  const waitMs = SECONDS.test(text) ? Number(text) * 1_000 : HTTP_DATE.test(text) ? Date.parse(text) - now : Number.NaN
  if (Number.isNaN(waitMs)) return null
  return Math.min(Math.max(waitMs, 0), RETRY_DURATION_MAX_MS)
}
