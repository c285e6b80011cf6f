// An instant as ISO 8601 text, as Date.toISOString writes it, at a tenth of the cost: every timer that is answered has
// three of them, and most in one answer are of the same few days.

import type { Millis } from './millis.ts'

const DAY = 86_400_000
const TWO = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))
const THREE = Array.from({ length: 1_000 }, (_, value) => String(value).padStart(3, '0'))
const DAYS_KEPT_MAX = 1_000 // some 30 kB

const dates = new Map<number, string>()

export function isoText(at: Millis): string {
  const day = Math.floor(at / DAY)
  const ms = at - day * DAY
  const date = dates.get(day) ?? rememberDate(day)
  const time = `${TWO[Math.floor(ms / 3_600_000)]}:${TWO[Math.floor(ms / 60_000) % 60]}:${TWO[Math.floor(ms / 1_000) % 60]}`
  return `${date}T${time}.${THREE[ms % 1_000]}Z`
}

/** Emptied when full: which days are asked for changes slowly, and refilling costs what it always cost. */
function rememberDate(day: number): string {
  if (dates.size >= DAYS_KEPT_MAX) dates.clear()
  const [date = ''] = new Date(day * DAY).toISOString().split('T')
  dates.set(day, date)
  return date
}
