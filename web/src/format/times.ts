// Instants and lengths of time for people, in the viewer's zone; the exact UTC text is always a hover away.

export const VIEWER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const clockTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const full = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})

/** `14:05:09` today, `3 Feb, 14:05:09` within a year, with the year beyond. */
export function instant(at: string | number, now: number): string {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date(now).toDateString()
  if (isToday) return clockTime.format(date)
  const text = dayAndTime.format(date)
  return date.getFullYear() === new Date(now).getFullYear() ? text : text.replace(',', ` ${date.getFullYear()},`)
}

/** To the millisecond, if there are some, with the day of the week. */
export function exactly(at: string | number): string {
  return full.format(new Date(at)).replace(/\.000$/, '')
}

export function utc(at: string | number): string {
  return new Date(at).toISOString().replace('T', ' ').replace('Z', ' UTC')
}

/** `in 3 min`, `2 d ago`. */
export function distance(at: string | number, now: number): string {
  const ms = new Date(at).getTime() - now
  if (Math.abs(ms) < SECOND) return 'now'
  return ms > 0 ? `in ${roughSpan(ms)}` : `${roughSpan(-ms)} ago`
}

export function roughSpan(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < 2 * DAY) return pair(ms, HOUR, 'h', MINUTE, 'min')
  return ms < 730 * DAY ? `${Math.floor(ms / DAY)} d` : `${(ms / (365.25 * DAY)).toFixed(1)} y`
}

function pair(ms: number, unit: number, name: string, smaller: number, smallerName: string): string {
  const rest = Math.floor((ms % unit) / smaller)
  return `${Math.floor(ms / unit)} ${name}${rest === 0 ? '' : ` ${rest} ${smallerName}`}`
}

/** Lateness and durations: `0.4 ms`, `12 ms`, `3.2 s`. */
export function millis(ms: number): string {
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 2 : 1)} s`
  return roughSpan(ms)
}

/** Times are known to the millisecond: what is within one is not zero. */
export function lateness(ms: number): string {
  return ms < 1 ? '<1 ms' : millis(ms)
}

/** The parts of a countdown, biggest first, leading zeros left out: days only when there are some. */
export function countdownParts(ms: number): { readonly value: string; readonly unit: string }[] {
  const left = Math.max(0, ms)
  const days = Math.floor(left / DAY)
  const hours = Math.floor((left % DAY) / HOUR)
  const minutes = Math.floor((left % HOUR) / MINUTE)
  const seconds = Math.floor((left % MINUTE) / SECOND)
  const two = (value: number) => String(value).padStart(2, '0')
  const parts = [
    {
      value: `${left < MINUTE ? seconds : two(seconds)}.${String(Math.floor(left % SECOND)).padStart(3, '0')}`,
      unit: 's',
    },
  ]
  if (left >= MINUTE) parts.unshift({ value: two(minutes), unit: 'm' })
  if (left >= HOUR) parts.unshift({ value: two(hours), unit: 'h' })
  if (days > 0) parts.unshift({ value: String(days), unit: 'd' })
  return parts
}
