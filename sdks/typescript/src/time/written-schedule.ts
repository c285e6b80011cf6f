// A copy of src/core/time/written-schedule.ts, made by `npm run docs`: change it there.

// Days and times as people write them, `weekday at 9:00`, `monday and friday at 17:30`, made into cron. The SDK has a copy of
// this file, which is why it imports nothing and leaves the words of refusals to its callers.

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const CLOCK = /^(\d{1,2})(?::(\d{2}))?\s*([ap]m)?$/

/** Null when the text does not say days and a time of day. */
export function cronOfWords(text: string): string | null {
  const [, days, clock] = /^(.*?)(?:\s+at)?\s+(\d{1,2}(?::\d{2})?\s*(?:[ap]m)?|noon|midnight)$/.exec(text.trim().toLowerCase()) ?? [] // oxfmt-ignore
  if (days === undefined || clock === undefined) return null
  const time = timeOf(clock)
  const weekdays = weekdaysOf(days.replace(/^every /, ''))
  return time === null || weekdays === null ? null : `${time.minute} ${time.hour} * * ${weekdays}`
}

function timeOf(clock: string): { readonly hour: number; readonly minute: number } | null {
  if (clock === 'noon') return { hour: 12, minute: 0 }
  if (clock === 'midnight') return { hour: 0, minute: 0 }
  const [, hours, minutes = '0', half] = CLOCK.exec(clock) ?? []
  const [hour, minute] = [Number(hours), Number(minutes)]
  if (half !== undefined && (hour < 1 || hour > 12)) return null
  const inDay = half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0)
  return inDay <= 23 && minute <= 59 ? { hour: inDay, minute } : null
}

function weekdaysOf(days: string): string | null {
  if (days === 'day') return '*'
  if (/^weekdays?$/.test(days)) return 'MON-FRI'
  if (/^weekends?$/.test(days)) return 'SAT,SUN'
  const names = days.split(/\s*,\s*(?:and\s+)?|\s+and\s+/).map((name) => {
    const singular = name.replace(/s$/, '')
    return name.length < 3 ? undefined : WEEKDAYS.find((day) => day.startsWith(name) || day === singular)
  })
  return names.every((name) => name !== undefined)
    ? names.map((name) => name.slice(0, 3).toUpperCase()).join(',')
    : null
}
