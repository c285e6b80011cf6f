import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCalendar, isAllowedBy } from './calendar.fixture.ts'
import { Calendar } from './calendar.ts'
import type { WrittenCalendar } from './calendar.ts'

const MINUTE = 60_000
const at = (text: string): number => Temporal.ZonedDateTime.from(text).epochMilliseconds
const text = (instant: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).toString({ smallestUnit: 'minute' })

function calendar(written: Partial<WrittenCalendar>): Calendar {
  return new Calendar({ name: 'c', timeZone: 'UTC', exclude: [], allow: [], ...written })
}

test('an entry that is wrong is refused at its place, with what is right', () => {
  const refused: readonly [Partial<WrittenCalendar>, string, RegExp][] = [
    [{ exclude: ['2026-12-25', 'christmas'] }, 'exclude[1]', /"christmas" is not an entry of a calendar: write/],
    [{ exclude: ['2026-02-30'] }, 'exclude[0]', /no such day/],
    [{ exclude: ['--13-01'] }, 'exclude[0]', /no such day of the year/],
    [{ exclude: ['2026-12-25/2026-12-24'] }, 'exclude[0]', /the last day is before the first/],
    [{ exclude: ['2026-12-25/2026-12-26/2026-12-27'] }, 'exclude[0]', /not an entry/],
    [{ allow: ['MON-FRI 17:00-09:00'] }, 'allow[0]', /ends before it begins/],
    [{ allow: ['MON-FRI 09:00-24:01'] }, 'allow[0]', /00:00 to 24:00/],
    [{ allow: ['MON-FRI 9-17'] }, 'allow[0]', /not an entry/],
    [{ allow: ['MON-FRI-SAT'] }, 'allow[0]', /not an entry/],
    [{ allow: [''] }, 'allow[0]', /not an entry/],
    [{ timeZone: 'Europe/Nowhere' }, 'timeZone', /timeZone/],
    [{ exclude: Array.from({ length: 1_001 }, () => 'SUN') }, 'exclude', /at most 1000 entries/],
    [{ exclude: Array.from({ length: 101 }, () => '2026-01-01/2026-02-01 09:00-10:00') }, 'exclude', /at most 100/],
  ]
  for (const [written, field, message] of refused)
    assert.throws(() => calendar(written), { message, details: { field } }, JSON.stringify(written))
})

test('a calendar that allows nothing is refused', () => {
  const now = at('2026-11-16T00:00[UTC]')
  for (const exclude of [
    ['SUN-SAT'],
    ['MON-SUN'],
    ['00:00-24:00'],
    ['2020-01-01/9999-12-31'],
    ['00:00-12:00', '12:00-24:00'],
  ])
    assert.throws(() => calendar({ exclude }).assertAllowsSome(now), { message: /allows nothing in the next 10 years/ })
  assert.throws(() => calendar({ allow: ['2020-01-01'] }).assertAllowsSome(now), { message: /allows nothing/ })
  assert.throws(() => calendar({ allow: ['SAT'], exclude: ['SAT-SUN'] }).assertAllowsSome(now), {
    message: /allows nothing/,
  })
  calendar({ exclude: ['2020-01-01/2034-12-31'] }).assertAllowsSome(now)
})

test('the next allowed moment is the end of what is excluded, on the clocks of the calendar', () => {
  const berlin = {
    timeZone: 'Europe/Berlin',
    allow: ['MON-FRI 09:00-17:00'],
    exclude: ['--12-25', '2026-12-24 12:00-24:00'],
  }
  const hours = calendar(berlin)
  const next = (from: string) => text(hours.nextAllowed(at(from)), 'Europe/Berlin')
  assert.equal(next('2026-12-23T10:00[Europe/Berlin]'), '2026-12-23T10:00+01:00[Europe/Berlin]')
  assert.equal(next('2026-12-23T17:00[Europe/Berlin]'), '2026-12-24T09:00+01:00[Europe/Berlin]')
  assert.equal(next('2026-12-24T12:00[Europe/Berlin]'), '2026-12-28T09:00+01:00[Europe/Berlin]')
  assert.equal(
    text(hours.previousAllowed(at('2026-12-26T10:00[Europe/Berlin]'))!, 'Europe/Berlin').slice(0, 16),
    '2026-12-24T11:59',
  )
})

test('where clocks skip or repeat a time, the calendar follows what they show', () => {
  // Clocks go from 02:00 to 03:00 on 2027-03-28, and from 03:00 back to 02:00 on 2026-10-25.
  const spring = calendar({ timeZone: 'Europe/Berlin', allow: ['02:30-04:00'] })
  assert.equal(
    text(spring.nextAllowed(at('2027-03-28T00:00[Europe/Berlin]')), 'Europe/Berlin'),
    '2027-03-28T03:00+02:00[Europe/Berlin]',
  )
  const autumn = calendar({ timeZone: 'Europe/Berlin', allow: ['01:00-02:30'] })
  assert.equal(
    text(autumn.nextAllowed(at('2026-10-25T02:40+02:00[Europe/Berlin]')), 'Europe/Berlin'),
    '2026-10-25T02:00+01:00[Europe/Berlin]',
  )
  assert.equal(
    text(autumn.previousAllowed(at('2026-10-25T02:40+01:00[Europe/Berlin]'))!, 'Europe/Berlin'),
    '2026-10-25T02:29+01:00[Europe/Berlin]',
  )
})

test('next and previous agree with an independent model, minute by minute, also where clocks change', () => {
  const start = fc
    .tuple(
      fc.constantFrom('2027-03-13', '2027-03-27', '2027-04-03', '2027-04-29', '2026-10-24', '2026-10-31'),
      fc.oneof(fc.integer({ min: 0, max: 192 }), fc.integer({ min: 90, max: 112 })),
    )
    .map(([day, quarter]) => ({ day, quarter }))
  fc.assert(
    fc.property(anyCalendar, start, (one, { day, quarter }) => {
      const subject = new Calendar(one)
      const from = Temporal.PlainDate.from(day).toZonedDateTime(one.timeZone).epochMilliseconds + quarter * 15 * MINUTE
      const model = (instant: number) =>
        isAllowedBy(one, Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(one.timeZone))
      const [next, previous] = [subject.nextAllowed(from), subject.previousAllowed(from)]
      assert.equal(subject.isAllowed(from), model(from))
      assert.ok(next >= from && (previous === null || previous <= from), `${previous} ${from} ${next}`)
      // Every quarter of an hour of two days on either side; entries begin and end at quarters only.
      for (let step = 0; step <= 192; step++) {
        const later = from + step * 15 * MINUTE
        assert.equal(later < next ? model(later) : false, false, `${later} is allowed, and before the next, ${next}`)
        if (later >= next) break
      }
      if (next - from <= 2 * 86_400_000) assert.equal(model(next), true)
      for (let step = 0; step <= 192; step++) {
        const earlier = from - step * 15 * MINUTE
        if (previous !== null && earlier <= previous) break
        assert.equal(model(earlier), false, `${earlier} is allowed, and after the previous, ${previous}`)
      }
      if (previous !== null) assert.equal(model(previous), true)
    }),
    { numRuns: 500 },
  )
})
