import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDuration, fixedMs, parseIsoDuration, stepsToReach } from './duration.ts'
import type { IsoDuration } from './duration.ts'
import { DuetimeError } from '../errors.ts'
import { NEVER } from './millis.ts'

const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds
const text = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString()
const fault = (expected: string) => (error: unknown) =>
  error instanceof DuetimeError && error.details['fault'] === expected

const none: IsoDuration = { years: 0, months: 0, weeks: 0, days: 0, hours: 0, minutes: 0, milliseconds: 0 }
const upTo = (max: number): fc.Arbitrary<number> => fc.oneof(fc.constant(0), fc.integer({ min: 0, max }))
const durations: fc.Arbitrary<IsoDuration> = fc
  .record(
    {
      years: upTo(3),
      months: upTo(30),
      weeks: upTo(9),
      days: upTo(400),
      hours: upTo(99),
      minutes: upTo(99),
      milliseconds: upTo(99_999),
    },
    { noNullPrototype: true },
  )
  .filter((duration) => duration.years + duration.months > 0 || fixedMs(duration) >= 1_000)
const instants = fc.integer({ min: at('1999-01-01T00:00:00Z'), max: at('2100-01-01T00:00:00Z') })
const zones = fc.constantFrom(
  null,
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  '+05:30',
)

function written(duration: IsoDuration): string {
  const { years, months, weeks, days, hours, minutes, milliseconds } = duration
  const fraction = String(milliseconds % 1_000).padStart(3, '0')
  return `P${years}Y${months}M${weeks}W${days}DT${hours}H${minutes}M${Math.floor(milliseconds / 1_000)}.${fraction}S`
}

test('text that is not a duration is refused as malformed', () => {
  const refused = [
    '',
    'P',
    'PT',
    'P1',
    'PT5',
    '5M',
    'P1YT',
    'P-1D',
    '-P1D',
    '+P1D',
    'P+1D',
    'p1d',
    'P1d',
    'pt5m',
    'P1D2D',
    'P1D1Y',
    'PT1S1M',
    'PT1M1M',
    'P1H',
    'PT1D',
    'P1.5D',
    'PT1.5H',
    'PT1.S',
    'PT.5S',
    'PT1.1234567890S',
    'PT1.5,5S',
    ' PT1S',
    'PT1S ',
    'PT1S\n',
    'PT1e3S',
    'PT٣S',
    'P1D/PT1S',
    `PT${'1'.repeat(300)}S`,
  ]
  for (const duration of refused) assert.throws(() => parseIsoDuration(duration), fault('format'), duration)
})

test('a number too large to count with is refused as out of range, not rounded', () => {
  assert.throws(() => parseIsoDuration('PT99999999999S'), fault('range'))
  assert.throws(() => parseIsoDuration(`P${'9'.repeat(200)}W`), fault('range'))
  assert.equal(parseIsoDuration('PT9999999999.999S').milliseconds, 9_999_999_999_999)
})

test('an error quotes the whole text the duration was found in', () => {
  assert.throws(() => parseIsoDuration('PX', 'R3/PX'), { details: { fault: 'format', provided: 'R3/PX' } })
})

test('each letter fills its own field, and M is minutes only after T', () => {
  const each = { years: 1, months: 2, weeks: 3, days: 4, hours: 5, minutes: 6, milliseconds: 7_089 }
  assert.deepEqual(parseIsoDuration('P1Y2M3W4DT5H6M7.089S'), each)
  assert.deepEqual(parseIsoDuration('P5M'), { ...none, months: 5 })
  assert.deepEqual(parseIsoDuration('PT5M'), { ...none, minutes: 5 })
})

test('fractions of a second keep three digits, after a point or a comma', () => {
  assert.equal(parseIsoDuration('PT0.5S').milliseconds, 500)
  assert.equal(parseIsoDuration('PT1,05S').milliseconds, 1_050)
  assert.equal(parseIsoDuration('PT1.999999999S').milliseconds, 1_999)
  assert.equal(parseIsoDuration('PT0.0009S').milliseconds, 0)
})

test('a written duration is read back as it was', () => {
  fc.assert(fc.property(durations, (duration) => assert.deepEqual(parseIsoDuration(written(duration)), duration)))
})

test('months are added in one step, so a short month does not shorten the ones after it', () => {
  const month = parseIsoDuration('P1M')
  const dates = [0, 1, 2, 3, 13].map((times) =>
    text(addDuration(at('2026-01-31T10:00:00Z'), month, times, null)).slice(0, 10),
  )
  assert.deepEqual(dates, ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2027-02-28'])
})

test('a year after a leap day is Feb 28, and four years after it is a leap day again', () => {
  const year = parseIsoDuration('P1Y')
  const dates = [1, 3, 4].map((times) => text(addDuration(at('2028-02-29T00:00:00Z'), year, times, null)).slice(0, 10))
  assert.deepEqual(dates, ['2029-02-28', '2031-02-28', '2032-02-29'])
})

test('a day that loses 02:30 when clocks go forward has 03:30 instead, and the next day 02:30 again', () => {
  const start = at('2026-03-28T02:30:00+01:00')
  const days = [1, 2].map((times) => addDuration(start, parseIsoDuration('P1D'), times, 'Europe/Berlin'))
  assert.deepEqual(days, [at('2026-03-29T03:30:00+02:00'), at('2026-03-30T02:30:00+02:00')])
})

test('a day that has 02:30 twice when clocks go back takes the first', () => {
  const start = at('2026-10-24T02:30:00+02:00')
  assert.equal(addDuration(start, parseIsoDuration('P1D'), 1, 'Europe/Berlin'), at('2026-10-25T02:30:00+02:00'))
  assert.equal(addDuration(start, parseIsoDuration('P1W'), 1, 'Europe/Berlin'), at('2026-10-31T02:30:00+01:00'))
})

test('24 hours are 24 hours on every day and in every zone', () => {
  const start = at('2026-03-28T12:00:00+01:00')
  assert.equal(addDuration(start, parseIsoDuration('PT24H'), 1, 'Europe/Berlin'), start + 86_400_000)
  assert.equal(addDuration(start, parseIsoDuration('P1D'), 1, 'Europe/Berlin'), start + 82_800_000)
  assert.equal(addDuration(start, parseIsoDuration('P1D'), 1, null), start + 86_400_000)
})

test('beyond the last instant there is, a sum is NEVER', () => {
  assert.equal(addDuration(0, parseIsoDuration('P100Y'), 10_000, null), NEVER)
  assert.equal(addDuration(0, parseIsoDuration('P1D'), 1_000_000_000, 'Europe/Berlin'), NEVER)
  assert.equal(addDuration(0, parseIsoDuration('PT1S'), 1e13, null), NEVER)
})

test('sums agree with Temporal, by the fast path and by the calendar', () => {
  fc.assert(
    fc.property(instants, durations, fc.integer({ min: 0, max: 50 }), zones, (start, duration, times, zone) => {
      const sum = Object.fromEntries(Object.entries(duration).map(([unit, value]) => [unit, value * times]))
      const zoned = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(zone ?? 'UTC')
      assert.equal(addDuration(start, duration, times, zone), zoned.add(sum).epochMilliseconds)
    }),
  )
})

test('a sum is never earlier than the shortest the duration can be', () => {
  fc.assert(
    fc.property(instants, durations, zones, (start, duration, zone) => {
      const shortestMs = (duration.years * 365 + duration.months * 28) * 86_400_000 + fixedMs(duration)
      const clocksForwardMs = zone === null ? 0 : 3_600_000
      assert.ok(addDuration(start, duration, 1, zone) - start >= shortestMs - clocksForwardMs)
    }),
  )
})

test('the steps to reach an instant are those a walk would take', () => {
  const distances = fc.oneof(
    fc.integer({ min: -10_000, max: 10_000 }),
    fc.integer({ min: 0, max: 20 * 365 * 86_400_000 }),
  )
  fc.assert(
    fc.property(instants, durations, distances, zones, (from, duration, distance, zone) => {
      // At most some hundred steps on foot, however short the duration.
      const to = from + Math.min(distance, 200 * (addDuration(from, duration, 1, zone) - from))
      let steps = 0
      while (addDuration(from, duration, steps, zone) < to) steps += 1
      assert.equal(stepsToReach(from, to, duration, zone), steps)
    }),
  )
})

test('an instant on the grid is reached exactly, one millisecond later takes one step more', () => {
  fc.assert(
    fc.property(instants, durations, fc.integer({ min: 1, max: 1_000 }), zones, (from, duration, steps, zone) => {
      const to = addDuration(from, duration, steps, zone)
      assert.deepEqual(
        [stepsToReach(from, to, duration, zone), stepsToReach(from, to + 1, duration, zone)],
        [steps, steps + 1],
      )
    }),
  )
})

test('a grid that began two thousand years ago is joined without walking it', () => {
  const from = at('0001-01-01T00:00:00Z')
  const to = at('2026-01-01T00:00:00.001Z')
  assert.equal(stepsToReach(from, to, parseIsoDuration('PT1S'), null), (to - 1 - from) / 1_000 + 1)
  assert.equal(stepsToReach(from, to, parseIsoDuration('P1M'), null), 2_025 * 12 + 1)
  assert.equal(stepsToReach(from, to, parseIsoDuration('P1D'), 'UTC'), (to - 1 - from) / 86_400_000 + 1)
})
