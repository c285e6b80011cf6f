import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cron } from 'croner'
import fc from 'fast-check'
import { DuetimeError } from '../../errors.ts'
import { firstFiring } from '../firings.ts'
import { previewFirings } from '../preview.ts'
import { parseSchedule } from '../schedule.ts'
import { zoneOf } from '../zone/zone.ts'
import { expressions, isMeant } from './cron.fixture.ts'
import { runs } from '../../../../test/support/random-runs.ts'

const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds
const NOW = at('2026-11-16T08:30:15.500Z')
const DAY = 86_400_000
const HOUR = 3_600_000

function fires(
  text: string,
  timeZone: string | null = null,
  { count = 3, now = NOW, rules = null as object | null } = {},
) {
  return previewFirings(parseSchedule(text, timeZone, rules), now, { count }).map(({ dueAt }) =>
    Temporal.Instant.fromEpochMilliseconds(dueAt)
      .toZonedDateTimeISO(timeZone ?? 'UTC')
      .toString({ timeZoneName: 'never' }),
  )
}

function refusal(text: string): { readonly position: number; readonly message: string } {
  try {
    parseSchedule(text)
  } catch (error) {
    assert.ok(error instanceof DuetimeError && error.code === 'INVALID_SCHEDULE', String(error))
    return { position: Number(error.details['position']), message: error.message }
  }
  assert.fail(`${text} was taken`)
}

test('an error tells the character that is wrong', () => {
  const cases: readonly (readonly [string, number, RegExp])[] = [
    ['61 * * * *', 0, /minute is 0 to 59, not 61/],
    ['0 24 * * *', 2, /hour is 0 to 23/],
    ['0 9 0 * *', 4, /day of the month is 1 to 31/],
    ['0 9 * 13 *', 6, /month is 1 to 12/],
    ['0 9 * FOO *', 6, /JAN, FEB/],
    ['0 9 * * MON-FRY', 12, /"FRY" is neither/],
    ['0 9 * * 8', 8, /day of the week is 0 to 7/],
    ['0 22-2 * * *', 5, /a range goes up.*write 22-23,0-2/],
    ['*/0 * * * *', 2, /a step is a number from 1/],
    ['0,,5 * * * *', 2, /nothing stands here/],
    ['0 9 * * 1#6', 9, /after # write 1 to 5/],
    ['0 9x * * *', 3, /neither/],
    ['0 9 * *', 7, /cron has 5 fields.*this has 4/],
    ['0 0 9 * * * 2030', 12, /this has 7/],
    ['@reboot', 0, /@daily/],
  ]
  for (const [text, position, message] of cases) {
    const refused = refusal(text)
    assert.equal(refused.position, position, text)
    assert.match(refused.message, message)
  }
})

test('hostile expressions are refused, and at once', () => {
  for (const text of ['0 0 31 2 *', '0 0 30 2 *', '0 0 31 4,6,9,11 *', '0 0 30W 2 *']) {
    assert.throws(() => firstFiring(parseSchedule(text, 'Europe/Berlin'), NOW), /never fires/, text)
  }
  assert.deepEqual(fires('0 0 29 2 *', null, { count: 2 }), ['2028-02-29T00:00:00+00:00', '2032-02-29T00:00:00+00:00'])
  assert.deepEqual(fires('0 0 29 2 *', null, { count: 1, now: at('2096-03-01T00:00:00Z') }), [
    '2104-02-29T00:00:00+00:00',
  ])
})

test('what people write', () => {
  assert.deepEqual(fires('0 9 * * MON-FRI', 'Europe/Berlin'), [
    '2026-11-17T09:00:00+01:00',
    '2026-11-18T09:00:00+01:00',
    '2026-11-19T09:00:00+01:00',
  ])
  assert.deepEqual(fires('@daily', null, { count: 1 }), ['2026-11-17T00:00:00+00:00'])
  assert.deepEqual(fires('*/20 30 8 * * *', null, { count: 2 }), [
    '2026-11-16T08:30:20+00:00',
    '2026-11-16T08:30:40+00:00',
  ])
  assert.deepEqual(fires('0 12 L * *', null, { count: 2 }), ['2026-11-30T12:00:00+00:00', '2026-12-31T12:00:00+00:00'])
  assert.deepEqual(fires('0 12 15W * *', null, { count: 2, now: at('2027-05-01T00:00:00Z') }), [
    '2027-05-14T12:00:00+00:00',
    '2027-06-15T12:00:00+00:00',
  ])
  assert.deepEqual(fires('0 12 * * FRI#2', null, { count: 1 }), ['2026-12-11T12:00:00+00:00'])
  assert.deepEqual(fires('0 12 * * 5L', null, { count: 1 }), ['2026-11-27T12:00:00+00:00'])
  assert.deepEqual(fires('0 12 13 * FRI', null, { count: 2 }), [
    '2026-11-20T12:00:00+00:00',
    '2026-11-27T12:00:00+00:00',
  ])
})

test('startAt, endAt and maxFirings bound it', () => {
  const rules = { startAt: at('2026-12-01T12:00:00Z'), endAt: at('2026-12-03T09:00:00Z') }
  assert.deepEqual(fires('0 9 * * *', null, { rules, count: 9 }), [
    '2026-12-02T09:00:00+00:00',
    '2026-12-03T09:00:00+00:00',
  ])
  assert.equal(fires('0 9 * * *', null, { rules: { maxFirings: 4 }, count: 9 }).length, 4)
  assert.throws(() => firstFiring(parseSchedule('0 9 * * *', null, { endAt: NOW }), NOW), /lies in the future/)
})

test('where clocks go forward, a time is shifted or skipped', () => {
  const now = at('2027-03-27T12:00:00Z')
  assert.deepEqual(fires('30 2 * * *', 'Europe/Berlin', { now, count: 2 }), [
    '2027-03-28T03:30:00+02:00',
    '2027-03-29T02:30:00+02:00',
  ])
  assert.deepEqual(fires('30 2 * * *', 'Europe/Berlin', { now, count: 1, rules: { dst: { gap: 'skip' } } }), [
    '2027-03-29T02:30:00+02:00',
  ])
  assert.deepEqual(fires('30 2,3 * * *', 'Europe/Berlin', { now, count: 2 }), [
    '2027-03-28T03:30:00+02:00',
    '2027-03-29T02:30:00+02:00',
  ])
})

test('where clocks go back, a time fires the first time, the second or both', () => {
  const now = at('2027-10-30T12:00:00Z')
  const overlap = (which: string) =>
    fires('30 2 * * *', 'Europe/Berlin', { now, count: 2, rules: { dst: { overlap: which } } })
  assert.deepEqual(fires('30 2 * * *', 'Europe/Berlin', { now, count: 2 }), [
    '2027-10-31T02:30:00+02:00',
    '2027-11-01T02:30:00+01:00',
  ])
  assert.deepEqual(overlap('first'), ['2027-10-31T02:30:00+02:00', '2027-11-01T02:30:00+01:00'])
  assert.deepEqual(overlap('second'), ['2027-10-31T02:30:00+01:00', '2027-11-01T02:30:00+01:00'])
  assert.deepEqual(overlap('both'), ['2027-10-31T02:30:00+02:00', '2027-10-31T02:30:00+01:00'])
})

test('what goes on evenly does so when clocks change', () => {
  const hours = (day: string) => {
    const now = at(`${day}T22:00:00Z`) - DAY
    const found = previewFirings(parseSchedule('0 * * * *', 'Europe/Berlin'), now, { count: 24 }).map(
      ({ dueAt }) => dueAt,
    )
    return found.slice(1).map((due, index) => due - found[index]!)
  }
  for (const day of ['2027-03-28', '2027-10-31']) assert.deepEqual(new Set(hours(day)), new Set([HOUR]))
})

// With CRON_RUNS=100000 croner takes a minute and a half, and has agreed.
test('random expressions agree with croner away from transitions', () => {
  const zone = zoneOf('America/New_York')
  let compared = 0
  let passedOver = 0
  const isMeantAt = (text: string, instant: number) =>
    isMeant(
      text,
      Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO('America/New_York').toPlainDateTime(),
    )
  fc.assert(
    fc.property(
      expressions,
      fc.integer({ min: at('2025-01-01T00:00:00Z'), max: at('2040-01-01T00:00:00Z') }),
      (text, now) => {
        const theirs = new Cron(text, { timezone: 'America/New_York' }).nextRun(new Date(now - 1))
        let ours: number | null = null
        try {
          ours = firstFiring(parseSchedule(text, 'America/New_York'), now).dueAt
        } catch (error) {
          if (theirs !== null) throw error
        }
        const near = theirs?.getTime() ?? ours ?? now
        const transition = zone.transitionAfter(Math.min(now, near) - 2 * DAY, Math.max(now, near) + 2 * DAY)
        if (
          transition !== null &&
          (near - transition.at < DAY || now - transition.at < DAY) &&
          transition.at - near < DAY
        )
          return
        compared++
        if (ours === (theirs?.getTime() ?? null)) return
        // croner passes over days after one that its month does not have (0 0 1,30 * * in February): then ours is earlier, and is meant.
        assert.ok(
          ours !== null && (theirs === null || ours < theirs.getTime()) && isMeantAt(text, ours),
          `${ours} is not meant`,
        )
        passedOver++
      },
    ),
    { numRuns: Number(process.env['CRON_RUNS'] ?? runs(3_000)) },
  )
  assert.ok(compared > runs(1_000) && passedOver < compared / 50, `${passedOver} of ${compared}`)
})
