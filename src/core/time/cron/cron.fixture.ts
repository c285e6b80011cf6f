// Random cron expressions that croner and we read alike, and a slow model that says whether a local time is meant by one.

import fc from 'fast-check'

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

function numbers(min: number, max: number, names: readonly string[] = []): fc.Arbitrary<string> {
  const value = fc.integer({ min, max })
  const named =
    names.length === 0
      ? value.map(String)
      : fc.oneof(
          value.map(String),
          value.map((n) => names[(n - min) % names.length]!),
        )
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)
  const step = fc.integer({ min: 1, max: Math.max(1, max - min) })
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant('*') },
    { weight: 4, arbitrary: named },
    { weight: 2, arbitrary: range },
    { weight: 2, arbitrary: step.map((n) => `*/${n}`) },
    { weight: 1, arbitrary: fc.tuple(range, step).map(([text, n]) => `${text}/${n}`) },
    {
      weight: 2,
      arbitrary: fc.array(fc.oneof(named, range), { minLength: 2, maxLength: 4 }).map((all) => all.join(',')),
    },
  )
}

const dayFields = fc.oneof(
  { weight: 5, arbitrary: numbers(1, 31) },
  { weight: 1, arbitrary: fc.constantFrom('L', 'LW', '15,L') },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 31 }).map((day) => `${day}W`) },
)
const anyWeekday = fc.integer({ min: 0, max: 6 })
const weekdayFields = fc.oneof(
  { weight: 5, arbitrary: numbers(0, 6, WEEKDAYS) },
  { weight: 1, arbitrary: fc.tuple(anyWeekday, fc.integer({ min: 1, max: 5 })).map(([day, n]) => `${day}#${n}`) },
  { weight: 1, arbitrary: anyWeekday.map((day) => `${WEEKDAYS[day]}#L`) },
)

export const expressions: fc.Arbitrary<string> = fc
  .tuple(fc.option(numbers(0, 59)), numbers(0, 59), numbers(0, 23), dayFields, numbers(1, 12, MONTHS), weekdayFields)
  .map((fields) => fields.filter((field) => field !== null).join(' '))

/** Whether the expression means the local time. Reads it field by field, each time anew. */
export function isMeant(text: string, local: Temporal.PlainDateTime): boolean {
  const fields = text.split(' ')
  const [second, minute, hour, day, month, weekday] = (fields.length === 5 ? ['0', ...fields] : fields) as [string, string, string, string, string, string] // oxfmt-ignore
  const isTime = isIn(second, local.second, 0, 59) && isIn(minute, local.minute, 0, 59) && isIn(hour, local.hour, 0, 23)
  if (!isTime || !isIn(withNumbers(month, MONTHS, 1), local.month, 1, 12)) return false
  const isDay = day.split(',').some((item) => isDayOfMonth(item, local))
  const isWeekday = withNumbers(weekday, WEEKDAYS, 0).split(',').some((item) => isDayOfWeek(item, local)) // oxfmt-ignore
  return day === '*' || weekday === '*' ? isDay && isWeekday : isDay || isWeekday
}

function withNumbers(field: string, names: readonly string[], first: number): string {
  return names.reduce((text, name, index) => text.replaceAll(name, String(index + first)), field)
}

function isIn(field: string, value: number, min: number, max: number): boolean {
  return field.split(',').some((item) => {
    const [range = '', step] = item.split('/')
    const [from = min, to = from] = range === '*' ? [min, max] : range.split('-').map(Number)
    return value >= from && value <= to && (value - from) % Number(step ?? 1) === 0
  })
}

function isDayOfMonth(item: string, local: Temporal.PlainDateTime): boolean {
  if (item === 'L') return local.day === local.daysInMonth
  if (!item.endsWith('W')) return isIn(item, local.day, 1, 31)
  const wanted = item === 'LW' ? local.daysInMonth : Number(item.slice(0, -1))
  if (wanted > local.daysInMonth) return false
  const weekdays = Array.from({ length: local.daysInMonth }, (_, index) => index + 1).filter(
    (day) => local.with({ day }).dayOfWeek <= 5,
  )
  const nearest = weekdays.reduce((best, day) => (Math.abs(day - wanted) < Math.abs(best - wanted) ? day : best))
  return local.day === (item === 'LW' ? weekdays.at(-1) : nearest)
}

function isDayOfWeek(item: string, local: Temporal.PlainDateTime): boolean {
  const [days = '', which] = item.split('#')
  if (!isIn(days, local.dayOfWeek % 7, 0, 6)) return false
  if (which === undefined) return true
  return which === 'L' ? local.day + 7 > local.daysInMonth : Math.ceil(local.day / 7) === Number(which)
}
