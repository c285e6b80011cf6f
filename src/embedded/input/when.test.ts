import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DuetimeError } from '../../core/errors.ts'
import { instantMs, plainInstant, timingOf } from './when.ts'

const NOON = '2030-01-31T12:00:00.000Z'
const NOON_MS = Date.parse(NOON)

test('a time that is said twice, half, or not at all is refused with its field', () => {
  const wrong: [object, string][] = [
    [{ at: NOON, after: '1d' }, 'after'],
    [{ every: '1d', schedule: 'P1D' }, 'schedule'],
    [{ after: '1d', from: NOON }, 'from'],
    [{ every: '1d', times: 0 }, 'times'],
    [{ every: '1d', times: 1.5 }, 'times'],
    [{ every: 'often' }, 'every'],
    [{ after: {} }, 'after'],
    [{ after: null }, 'after'],
    [{ at: {} as Date }, 'at'],
    [{ at: null as unknown as Date }, 'at'],
  ]
  for (const [when, field] of wrong) {
    assert.throws(
      () => timingOf(when),
      (error) => error instanceof DuetimeError && error.details['field'] === field,
      JSON.stringify(when),
    )
  }
  assert.deepEqual(timingOf({}), {})
})

test('a bare number is told that it has no unit, and no time at all is now', () => {
  assert.throws(() => timingOf({ after: 5 as never }), /a bare number does not say its unit: write '5s' for seconds/)
  assert.deepEqual(timingOf({ after: '0s' }), { schedule: 'PT0S' })
})

test('an instant is the same in all its forms', () => {
  const zoned = Temporal.Instant.from(NOON).toZonedDateTimeISO('Europe/Berlin')
  const forms = [NOON, NOON_MS, new Date(NOON), Temporal.Instant.from(NOON), zoned]
  for (const at of forms) assert.deepEqual(timingOf({ at }), { executeAt: NOON })
})

test('an instant that comes as a value with nothing beside it need not be written', () => {
  const values = [NOON_MS, NOON_MS + 0.7, new Date(NOON), Temporal.Instant.from(NOON)]
  for (const at of values) assert.equal(plainInstant({ at })?.at, NOON_MS)
  assert.equal(plainInstant({ at: NOON_MS, timeZone: 'Europe/Berlin' })?.timeZone, null)
  // What is wrong with these is said by whoever reads the text.
  const others: object[] = [{ at: NOON }, { at: Number.NaN }, { at: -1 }, { at: Date.UTC(10_000, 0) }, { at: null }, {}]
  for (const when of [...others, { at: NOON_MS, spread: '1h' }, { at: NOON_MS, after: '1d' }])
    assert.equal(plainInstant(when), null)
})

test('lengths of time and cycles become schedules, with the time zone whose calendar they follow', () => {
  assert.deepEqual(timingOf({ after: { days: 3 }, timeZone: 'Europe/Berlin' }), {
    schedule: 'P3D',
    timeZone: 'Europe/Berlin',
  })
  assert.deepEqual(timingOf({ every: '1h30m' }), { schedule: 'R/PT1H30M' })
  assert.deepEqual(timingOf({ every: '1d', times: 3, from: new Date(NOON) }), { schedule: `R3/${NOON}/P1D` })
  assert.deepEqual(timingOf({ schedule: 'R/P1M' }), { schedule: 'R/P1M' })
})

test('a handler may name an instant or a length of time', () => {
  const now = NOON_MS
  for (const to of ['1d', 'P1D', { days: 1 }, new Date(now + 86_400_000), now + 86_400_000, '2030-02-01T12:00:00Z']) {
    assert.equal(instantMs(to, 'reschedule', now), now + 86_400_000)
  }
  assert.throws(
    () => instantMs('tomorrow', 'reschedule', now),
    /^DuetimeError: reschedule: "tomorrow" is not a length of time/,
  )
})
