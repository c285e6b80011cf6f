// ISO 8601 durations and cycles, from what people pick in a form and back into words.

export const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const
export type Unit = (typeof UNITS)[number]
export type Amount = { readonly value: string; readonly unit: Unit }

const DESIGNATORS: Readonly<Record<Unit, string>> = {
  second: 'S',
  minute: 'M',
  hour: 'H',
  day: 'D',
  week: 'W',
  month: 'M',
  year: 'Y',
}
const IN_TIME: ReadonlySet<Unit> = new Set(['second', 'minute', 'hour'])

/** `{ value: '10', unit: 'minute' }` is `PT10M`; only seconds take fractions. Null when it is no positive number. */
export function durationText({ value, unit }: Amount): string | null {
  const pattern = unit === 'second' ? /^\d{1,12}(?:\.\d{1,3})?$/ : /^\d{1,12}$/
  const text = value.trim()
  if (!pattern.test(text) || Number(text) === 0) return null
  return `P${IN_TIME.has(unit) ? 'T' : ''}${text}${DESIGNATORS[unit]}`
}

const DURATION = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/
const ORDER: readonly Unit[] = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second']

/** `PT1H30M` is `1 hour 30 minutes`; what is no duration stays as it is. */
export function durationWords(text: string): string {
  const match = DURATION.exec(text)
  if (match === null) return text
  const parts = ORDER.flatMap((unit, index) => {
    const value = match[index + 1]
    return value === undefined ? [] : [`${value} ${unit}${value === '1' ? '' : 's'}`]
  })
  return parts.length === 0 ? text : parts.join(' ')
}

/** What a schedule means, in a few words. */
export function scheduleWords(schedule: string): string {
  if (schedule.startsWith('P')) return `${durationWords(schedule)} after creation`
  if (/^\d{4}-/.test(schedule)) return 'once'
  // Cron and rules are put into words by the service, where there is room for them.
  if (!/^R\d*\//.test(schedule)) return schedule
  const [repeat = 'R', ...rest] = schedule.split('/')
  const interval = durationWords(rest.at(-1) ?? '')
  const every = interval.startsWith('1 ') && !interval.includes(' ', 2) ? interval.slice(2) : interval
  return repeat === 'R' ? `every ${every}` : `every ${every}, ${repeat.slice(1)} ${repeat === 'R1' ? 'time' : 'times'}`
}
