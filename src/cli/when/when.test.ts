import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { firstFiring } from '../../core/time/firings.ts'
import { parseSchedule } from '../../core/time/schedule.ts'
import { UsageError } from '../command/usage-error.ts'
import { readSpan } from './span.ts'
import { readInstant, readWhen } from './when.ts'
import type { When } from './when.ts'
import { runs } from '../../../test/support/random-runs.ts'

/** A Sunday, 13:00 in Berlin. */
const NOW = Date.parse('2026-11-15T12:00:00Z')
const BERLIN = 'Europe/Berlin'

function read(text: string, { now = NOW, timeZone = BERLIN } = {}): When {
  return readWhen(text, { now, timeZone })
}

function dueAt(text: string, { now = NOW, timeZone = BERLIN } = {}): number {
  const { executeAt, schedule, timeZone: zone } = read(text, { now, timeZone })
  return firstFiring(parseSchedule(schedule ?? executeAt, zone ?? null), now).dueAt
}

test('what could mean two things is refused with what to write instead', () => {
  const cases: [string, RegExp][] = [
    ['5M', /minutes or months: write 5m or 5mo/],
    ['tomorrow', /no time of day: write tomorrow 9:00/],
    ['2026-12-24', /no time of day: write 2026-12-24 9:00/],
    ['tomorrow 9', /write the time as 9:00, or 9am or 9pm/],
    ['12/24/2026 9:00', /different days in different places.*2026-12-24/],
    ['1.5 months', /no fixed length/],
    ['tomorrow 9:00 PST', /"PST" is not known; use an IANA name/],
  ]
  for (const [text, says] of cases)
    assert.throws(
      () => read(text),
      (error) => error instanceof UsageError && says.test(error.message),
      text,
    )
})

test('what has passed, is too near or too far is refused with what is right', () => {
  const cases: [string, RegExp][] = [
    ['today 9:00', /has passed: it is 13:00 on 2026-11-15 in Europe\/Berlin\. Write tomorrow 9:00/],
    ['2020-01-01 9:00', /has passed.*Write a later one/],
    ['2020-01-01T09:00:00Z', /has passed/],
    ['yesterday 9:00', /has passed/],
    ['5m ago', /has passed/],
    ['every 0s', /the shortest duration is 1 second/],
    ['in 100ms', /the shortest duration is 1 second/],
    ['in 101 years', /within 100 years/],
    ['every day at 9:00 2000 times', /1 to 1000 times/],
  ]
  for (const [text, says] of cases)
    assert.throws(
      () => read(text),
      (error) => error instanceof UsageError && says.test(error.message),
      text,
    )
})

test('what means nothing is refused with examples of what does', () => {
  const words = [
    '',
    '  ',
    'soon',
    'P',
    'PT',
    'in',
    'in a bit',
    'every',
    'every now and then',
    'friday the 13th',
    '5x',
    'next 9:00',
  ]
  const times = ['25:00', '9:60', '13pm', '0am', 'tomorrow 2026-12-24 9:00', '2026-02-30 9:00', '2026-13-01T09:00']
  for (const text of [...words, ...times]) assert.throws(() => read(text), UsageError, text)
  assert.throws(() => read('soon'), /tomorrow 9:00 Europe\/Berlin[^]*every 15m/)
})

test('any text at all is read or refused as a mistake of whoever typed it', () => {
  const word = fc.constantFrom(
    'in',
    'every',
    'next',
    'at',
    'from',
    'monday',
    'tomorrow',
    '9:00',
    '9',
    'am',
    '5m',
    '2',
    'days',
    'times',
    '2026-12-24',
    'Europe/Berlin',
    'UTC',
    'P1D',
    'R/',
    '+01:00',
    '-',
    ':',
    '٣',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')),
  )
  fc.assert(
    fc.property(text, (typed) => {
      try {
        assert.ok(dueAt(typed) > NOW)
      } catch (error) {
        if (!(error instanceof UsageError)) throw error
      }
    }),
    { numRuns: runs(2_000) },
  )
})

test('a time from now stays a duration; days and longer follow the calendar of the viewer', () => {
  const cases: [string, When][] = [
    ['in 5m', { schedule: 'PT5M' }],
    ['5m', { schedule: 'PT5M' }],
    ['In 1H30m', { schedule: 'PT1H30M' }],
    ['1.5h', { schedule: 'PT1H30M' }],
    ['in 90 seconds', { schedule: 'PT90S' }],
    ['1 hour and 30 minutes', { schedule: 'PT1H30M' }],
    ['in 1d', { schedule: 'P1D', timeZone: BERLIN }],
    ['in 2 weeks UTC', { schedule: 'P2W' }],
    ['in 1mo 1.5s', { schedule: 'P1MT1.5S', timeZone: BERLIN }],
    ['PT5M', { schedule: 'PT5M' }],
    ['R3/PT10M', { schedule: 'R3/PT10M' }],
  ]
  for (const [text, when] of cases) assert.deepEqual(read(text), when, text)
})

test('a day and a time are a moment on the clocks of the zone that is named, or of the viewer', () => {
  const cases: [string, string][] = [
    ['tomorrow 9:00', '2026-11-16T08:00:00Z'],
    ['tomorrow at 9:00 America/New_York', '2026-11-16T14:00:00Z'],
    ['today 18:30', '2026-11-15T17:30:00Z'],
    ['tomorrow 1:00 Asia/Tokyo', '2026-11-15T16:00:00Z'], // where it is 21:00 already
    ['9:00', '2026-11-16T08:00:00Z'],
    ['18:30 UTC', '2026-11-15T18:30:00Z'],
    ['monday 9am', '2026-11-16T08:00:00Z'],
    ['Sunday 17:00', '2026-11-15T16:00:00Z'], // today, since it is still ahead
    ['sunday noon', '2026-11-22T11:00:00Z'],
    ['next sunday 17:00', '2026-11-22T16:00:00Z'], // never today
    ['next friday 5 pm', '2026-11-20T16:00:00Z'],
    ['tues 12am', '2026-11-16T23:00:00Z'],
    ['2026-12-24 18:00 Europe/Berlin', '2026-12-24T17:00:00Z'],
    ['2026-12-24 18:00:30.5 +02:00', '2026-12-24T16:00:30.5Z'],
    ['2026-12-24T18:00', '2026-12-24T17:00:00Z'],
    ['2026-12-24T18:00:00-05:00', '2026-12-24T23:00:00Z'],
    ['2026-12-24T18:00:00+01:00[Europe/Berlin]', '2026-12-24T17:00:00Z'],
  ]
  for (const [text, executeAt] of cases) assert.deepEqual(read(text), { executeAt }, text)
})

test('a time that the clocks skip is as much later; of a time that they show twice it is the first', () => {
  assert.deepEqual(read('2027-03-28 2:30'), { executeAt: '2027-03-28T01:30:00Z' }) // 3:30 in summer time
  assert.deepEqual(read('2027-10-31 2:30'), { executeAt: '2027-10-31T00:30:00Z' }) // still summer time
  const saturday = Date.parse('2027-03-27T12:00:00Z')
  assert.equal(dueAt('in 1d', { now: saturday }) - saturday, 23 * 3_600_000)
  assert.equal(dueAt('in 24h', { now: saturday }) - saturday, 24 * 3_600_000)
})

test('every so often is a cycle, with a start on the clocks of the zone where one is named', () => {
  const cases: [string, When][] = [
    ['every 15m', { schedule: 'R/PT15M' }],
    ['every hour 10 times', { schedule: 'R10/PT1H' }],
    ['every day', { schedule: 'R/P1D', timeZone: BERLIN }],
    ['every day at 9:00', { schedule: 'R/2026-11-16T09:00:00+01:00/P1D', timeZone: BERLIN }],
    ['every day 9:00 3 times UTC', { schedule: 'R3/2026-11-16T09:00:00+00:00/P1D' }],
    ['every monday 8:30', { schedule: 'R/2026-11-16T08:30:00+01:00/P1W', timeZone: BERLIN }],
    ['every 2 weeks from friday 17:00', { schedule: 'R/2026-11-20T17:00:00+01:00/P2W', timeZone: BERLIN }],
    ['every month from 2026-12-01 9:00', { schedule: 'R/2026-12-01T09:00:00+01:00/P1M', timeZone: BERLIN }],
    ['every 6h at 9:00', { schedule: 'R/2026-11-16T09:00:00+01:00/PT6H' }],
  ]
  for (const [text, when] of cases) assert.deepEqual(read(text), when, text)
})

test('one moment for a filter may be past, and is no cycle', () => {
  const viewpoint = { now: NOW, timeZone: BERLIN }
  assert.equal(readInstant('3d ago', viewpoint), '2026-11-12T12:00:00Z')
  assert.equal(readInstant('in 2h', viewpoint), '2026-11-15T14:00:00Z')
  assert.equal(readInstant('tomorrow 9:00', viewpoint), '2026-11-16T08:00:00Z')
  assert.equal(readInstant('2020-01-01T00:00:00Z', viewpoint), '2020-01-01T00:00:00Z')
  assert.throws(() => readInstant('every day', viewpoint), UsageError)
})

test('cron is taken as it is, and days at a time become cron, on the clocks of the viewer', () => {
  const viewpoint = { now: NOW, timeZone: BERLIN }
  const cron = (text: string) => readWhen(text, viewpoint)
  assert.deepEqual(cron('0 9 * * MON-FRI'), { schedule: '0 9 * * MON-FRI', timeZone: BERLIN })
  assert.deepEqual(cron('@daily'), { schedule: '@daily', timeZone: BERLIN })
  assert.deepEqual(cron('every weekday at 9:00'), { schedule: '0 9 * * MON-FRI', timeZone: BERLIN })
  assert.deepEqual(cron('every weekday 9:00 Asia/Tokyo'), { schedule: '0 9 * * MON-FRI', timeZone: 'Asia/Tokyo' })
  assert.deepEqual(cron('every monday and friday at 5:30pm'), { schedule: '30 17 * * MON,FRI', timeZone: BERLIN })
  assert.deepEqual(cron('every tue, thu at noon'), { schedule: '0 12 * * TUE,THU', timeZone: BERLIN })
  assert.deepEqual(cron('every weekend at 8 UTC'), { schedule: '0 8 * * SAT,SUN' })
  assert.throws(() => cron('0 25 * * *'), /character 3: the hour is 0 to 23/)
  assert.throws(() => cron('@reboot'), UsageError)
})

const ZONES = fc.constantFrom(
  'UTC',
  BERLIN,
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/St_Johns',
)
const LATER = fc.integer({ min: 60_000, max: 20 * 365 * 86_400_000 }).map((ms) => NOW + Math.floor(ms / 1_000) * 1_000)

test('a date and time written in any zone is read back as the same wall-clock time, and the same instant unless it comes twice', () => {
  fc.assert(
    fc.property(LATER, ZONES, ZONES, (at, zone, viewersZone) => {
      const moment = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
      const due = dueAt(`${moment.toPlainDate().toString()} ${moment.toPlainTime().toString()} ${zone}`, {
        timeZone: viewersZone,
      })
      const found = Temporal.Instant.fromEpochMilliseconds(due).toZonedDateTimeISO(zone)
      assert.ok(found.toPlainDateTime().equals(moment.toPlainDateTime()))
      const first = moment.toPlainDateTime().toZonedDateTime(zone, { disambiguation: 'earlier' })
      assert.equal(due, first.epochMilliseconds)
    }),
  )
})

test('a weekday is that day of the week, ahead of now and within eight days', () => {
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  fc.assert(
    fc.property(LATER, ZONES, fc.nat(6), fc.nat(23), fc.boolean(), (now, timeZone, day, hour, isNext) => {
      const due = dueAt(`${isNext ? 'next ' : ''}${days[day]} ${hour}:30`, { now, timeZone })
      const found = Temporal.Instant.fromEpochMilliseconds(due).toZonedDateTimeISO(timeZone)
      assert.ok(due > now && due - now < 8 * 86_400_000)
      // A skipped hour of the night moves the time, never the day.
      assert.equal(found.dayOfWeek, day + 1)
      assert.ok(found.hour === hour || found.hour === hour + 1)
    }),
  )
})

test('the units of a span add up, however they are written', () => {
  const lengths = { w: 604_800_000, d: 86_400_000, hours: 3_600_000, min: 60_000, m: 60_000, s: 1_000, ms: 1 }
  const units = fc.constantFrom(...Object.entries(lengths))
  const term = fc.record({
    count: fc.integer({ min: 1, max: 500 }),
    half: fc.boolean(),
    unit: units,
    space: fc.constantFrom('', ' '),
  })
  fc.assert(
    fc.property(fc.array(term, { minLength: 1, maxLength: 5 }), (terms) => {
      const text = terms
        .map(({ count, half, unit, space }) => `${count}${half && unit[1] > 1 ? '.5' : ''}${space}${unit[0]}`)
        .join(' ')
      const expected = terms.reduce(
        (sum, { count, half, unit }) => sum + (count + (half && unit[1] > 1 ? 0.5 : 0)) * unit[1],
        0,
      )
      const duration = Temporal.Duration.from(readSpan(text)!.iso)
      assert.equal(duration.total({ unit: 'milliseconds', relativeTo: '2026-01-01T00:00Z[UTC]' }), expected)
    }),
  )
})
