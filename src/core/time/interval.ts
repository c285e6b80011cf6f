// Lengths of time in settings and retry policies, as Go writes them: 30s, 10m, 1h30m, 1.5h, 500ms.
// ISO 8601 durations are taken as well when their length is fixed. Always answered in the Go way.

import { checkLength, fixedMs, parseIsoDuration } from './duration.ts'
import { invalidSchedule } from '../errors.ts'
import type { Millis } from './millis.ts'

const UNIT_MS: Readonly<Record<string, Millis>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const TERMS = /^(?:\d+(?:\.\d{1,9})?(?:ms|s|m|h))+$/
const TERM = /(\d+)(?:\.(\d+))?(ms|s|m|h)/g

/** Refused text is an `invalidSchedule`; callers know the field's name and say it. Parts of a millisecond are cut. */
export function parseInterval(text: string): Millis {
  checkLength(text)
  const ms = text.startsWith('P') ? isoMs(text) : goMs(text)
  if (!Number.isSafeInteger(ms)) throw invalidSchedule('range', `"${text}" is too long for an interval.`, text)
  return ms
}

function isoMs(text: string): Millis {
  const duration = parseIsoDuration(text)
  if (duration.years !== 0 || duration.months !== 0) {
    throw invalidSchedule(
      'format',
      `"${text}" has years or months, whose length varies: use days or hours, such as P30D or 720h.`,
      text,
    )
  }
  return fixedMs(duration)
}

function goMs(text: string): Millis {
  if (!TERMS.test(text)) {
    throw invalidSchedule(
      'format',
      `"${text}" is not an interval: write numbers with the units h, m, s or ms, such as 30s, 1h30m or 500ms,` +
        ' or an ISO 8601 duration such as PT30S.',
      text,
    )
  }
  let ms = 0
  for (const [, whole, fraction = '0', unit = ''] of text.matchAll(TERM)) {
    const unitMs = UNIT_MS[unit] ?? 0
    ms += Number(whole) * unitMs + Math.floor((Number(fraction) * unitMs) / 10 ** fraction.length)
  }
  return ms
}

/** The shortest such text: 24h, 1h30m, 1.5s, 500ms. Reading it again gives the same number. */
export function formatInterval(ms: Millis): string {
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor((ms % 3_600_000) / 60_000)
  const rest = ms % 60_000
  const seconds = rest > 0 && rest < 1_000 ? `${rest}ms` : `${rest / 1_000}s`
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes}m` : ''}${rest > 0 || ms === 0 ? seconds : ''}`
}
