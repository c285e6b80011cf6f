import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RRuleTemporal } from 'rrule-temporal'
import { DuetimeError } from '../../errors.ts'
import { firstFiring } from '../firings.ts'
import { previewFirings } from '../preview.ts'
import { parseSchedule } from '../schedule.ts'

const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds
const NOW = at('2027-01-01T00:00:00Z')

function fires(
  text: string,
  { timeZone = null as string | null, count = 4, now = NOW, rules = null as object | null } = {},
) {
  return previewFirings(parseSchedule(text, timeZone, rules), now, { count }).map(({ dueAt }) =>
    Temporal.Instant.fromEpochMilliseconds(dueAt)
      .toZonedDateTimeISO(timeZone ?? 'UTC')
      .toString({ timeZoneName: 'never' }),
  )
}

test('an error tells the character that is wrong', () => {
  const cases: readonly (readonly [string, number, RegExp])[] = [
    ['RRULE:FREQ=DAYLY', 11, /YEARLY, MONTHLY/],
    ['FREQ=DAILY;INTERVAL=0', 20, /INTERVAL is 1 to 10000/],
    ['FREQ=DAILY;BYWEEKNO=3', 11, /BYWEEKNO is not known here/],
    ['FREQ=WEEKLY;BYDAY=MO,XX', 21, /SU, MO/],
    ['FREQ=WEEKLY;BYDAY=1MO', 18, /goes with FREQ=MONTHLY/],
    ['FREQ=DAILY;COUNT=2;UNTIL=20270101', 19, /COUNT or UNTIL/],
    ['FREQ=DAILY;UNTIL=20270231', 17, /not a date/],
    ['RRULE:', 6, /NAME=VALUE/],
    ['DTSTART:20270101T090000', 23, /a rule is missing/],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 12, /does not go with/],
  ]
  for (const [text, position, message] of cases) {
    assert.throws(
      () => parseSchedule(text),
      (error) => error instanceof DuetimeError && error.details['position'] === position && message.test(error.message),
      text,
    )
  }
})

test('what people write', () => {
  assert.deepEqual(
    fires('RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9;BYMINUTE=0;BYSECOND=0', { timeZone: 'Europe/Berlin', count: 3 }),
    ['2027-01-29T09:00:00+01:00', '2027-02-26T09:00:00+01:00', '2027-03-26T09:00:00+01:00'],
  )
  assert.deepEqual(fires('DTSTART:20261231T180000\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH', { count: 3 }), [
    '2027-01-11T18:00:00+00:00',
    '2027-01-14T18:00:00+00:00',
    '2027-01-25T18:00:00+00:00',
  ])
  assert.deepEqual(fires('DTSTART:20261230T090000\nRRULE:FREQ=DAILY;COUNT=4', { count: 9 }), [
    '2027-01-01T09:00:00+00:00',
    '2027-01-02T09:00:00+00:00',
  ])
  assert.deepEqual(fires('FREQ=HOURLY;INTERVAL=6;UNTIL=20270101T120000Z', { count: 9 }), [
    '2027-01-01T00:00:00+00:00',
    '2027-01-01T06:00:00+00:00',
    '2027-01-01T12:00:00+00:00',
  ])
  assert.deepEqual(
    fires('FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=17;BYMINUTE=0;BYSECOND=0', { count: 2 }),
    ['2027-01-29T17:00:00+00:00', '2027-02-26T17:00:00+00:00'],
  )
})

test('clocks that change follow the same rule as cron', () => {
  const text = 'DTSTART:20270301T023000\nRRULE:FREQ=DAILY'
  const now = at('2027-03-27T12:00:00Z')
  assert.deepEqual(fires(text, { timeZone: 'Europe/Berlin', now, count: 1 }), ['2027-03-28T03:30:00+02:00'])
  assert.deepEqual(fires(text, { timeZone: 'Europe/Berlin', now, count: 1, rules: { dst: { gap: 'skip' } } }), [
    '2027-03-29T02:30:00+02:00',
  ])
})

test('hostile rules are refused', () => {
  const never = ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=31', 'DTSTART:20270101T000000\nRRULE:FREQ=SECONDLY;INTERVAL=2;BYSECOND=1', 'FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1'] // oxfmt-ignore
  for (const text of never) assert.throws(() => firstFiring(parseSchedule(text), NOW), DuetimeError, text)
})

const weekdays = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU')
const some = <T>(one: fc.Arbitrary<T>) =>
  fc.uniqueArray(one, { minLength: 1, maxLength: 3 }).map((all) => all.join(','))
const part = (name: string, value: fc.Arbitrary<string>) =>
  fc.option(
    value.map((text) => `${name}=${text}`),
    { freq: 2 },
  )
const monthDay = fc.integer({ min: -31, max: 31 }).filter((day) => day !== 0)
const common = [
  part('INTERVAL', fc.integer({ min: 1, max: 5 }).map(String)),
  part('BYMONTH', some(fc.integer({ min: 1, max: 12 }))),
  part('BYHOUR', some(fc.integer({ min: 0, max: 23 }))),
  part('BYMINUTE', some(fc.integer({ min: 0, max: 59 }))),
]
const ordinal = fc.integer({ min: -5, max: 5 }).filter((n) => n !== 0)
/** All with a number, or none. */
const days = fc.oneof(some(weekdays), some(fc.tuple(ordinal, weekdays).map(([n, day]) => `${n}${day}`)))
const rules = fc
  .oneof(
    fc.tuple(fc.constant('FREQ=YEARLY'), ...common, part('BYMONTHDAY', some(monthDay))),
    fc.tuple(fc.constant('FREQ=YEARLY'), ...common, part('BYDAY', days)),
    fc.tuple(fc.constant('FREQ=MONTHLY'), ...common, part('BYMONTHDAY', some(monthDay))),
    fc.tuple(
      fc.constant('FREQ=MONTHLY'),
      ...common,
      part('BYDAY', days),
      part('BYSETPOS', fc.constantFrom('1', '-1', '2')),
    ),
    fc.tuple(fc.constant('FREQ=WEEKLY'), ...common, part('BYDAY', some(weekdays)), part('WKST', weekdays)),
    fc.tuple(fc.constant('FREQ=DAILY'), ...common, part('BYMONTHDAY', some(monthDay)), part('BYDAY', some(weekdays))),
    fc.tuple(fc.constant('FREQ=HOURLY'), ...common),
  )
  .map((parts) => parts.filter((one) => one !== null).join(';'))
  .filter((text) => !text.includes('BYSETPOS') || text.includes('BYDAY'))

test('random rules agree with rrule-temporal, in UTC where no clock changes', () => {
  let compared = 0
  fc.assert(
    fc.property(rules, fc.integer({ min: 0, max: 4_000 }), (rule, hours) => {
      const start = Temporal.PlainDateTime.from('2027-01-04T09:30:00').add({ hours })
      const text = `DTSTART:${start.toString().replaceAll(/[-:]/g, '')}\nRRULE:${rule}`
      const until = start.add({ years: 4 }).toZonedDateTime('UTC').epochMilliseconds
      const expected: number[] = []
      const theirs = new RRuleTemporal({ rruleString: text.replace('\n', 'Z\n'), maxIterations: 100_000 })
      try {
        theirs.all(({ epochMilliseconds }) => {
          if (epochMilliseconds < until) expected.push(epochMilliseconds)
          return epochMilliseconds < until && expected.length < 20
        })
      } catch {
        return // it gives up on rules that never fire
      }
      compared++
      let found: number[] = []
      try {
        found = previewFirings(parseSchedule(text), start.toZonedDateTime('UTC').epochMilliseconds, { count: 20, to: until }).map(({ dueAt }) => dueAt) // oxfmt-ignore
      } catch (error) {
        if (!(error instanceof DuetimeError)) throw error
      }
      assert.deepEqual(found.slice(0, expected.length), expected, text)
    }),
    { numRuns: 400 },
  )
  assert.ok(compared > 200)
})
