import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DuetimeError } from '../errors.ts'
import { parseInstant, parseTimeZone, parseZonedInstant } from './instant.ts'

const fault =
  (expected: string, message = /./) =>
  (error: unknown) =>
    error instanceof DuetimeError && error.details['fault'] === expected && message.test(error.message)

test('a date-time without an offset is refused, and the message says what is missing', () => {
  assert.throws(() => parseInstant('2030-01-31T09:00:00'), fault('format', /has no offset.*Z or.*\+01:00/))
  assert.throws(() => parseInstant('2030-01-31T09:00:00.123'), fault('format', /has no offset/))
  assert.throws(() => parseInstant('2030-01-31'), fault('format', /date without a time and an offset/))
  assert.throws(() => parseInstant('2030-01-31T09:00:00[Europe/Berlin]'), fault('format', /Z or an offset/))
})

test('dates and times that do not exist are refused, never moved to the next day', () => {
  const refused = [
    '2026-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+00:60',
  ]
  for (const instant of refused) assert.throws(() => parseInstant(instant), fault('format', /does not exist/), instant)
})

test('anything else is refused as malformed', () => {
  const refused = [
    '',
    'now',
    'tomorrow',
    '1893456000',
    '2026',
    '2026-1-1T00:00:00Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01t00:00:00z',
    '2026-01-01T00Z',
    '2026-01-01T00:00:00ZZ',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00.1234567890Z',
    '2026-01-01T00:00:00+1',
    '2026-01-01T00:00:00 +01:00',
    '2026-01-01T00:00:00GMT',
    'Thu, 01 Jan 2026 00:00:00 GMT',
    '+012026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z[]',
    '2026-01-01T00:00:00Z[Europe/Berlin',
    '2026-01-01T00:00:00Z[Europe/Berlin][u-ca=iso8601]',
    'x'.repeat(100_000),
  ]
  for (const instant of refused) assert.throws(() => parseInstant(instant), fault('format'), instant)
})

test('milliseconds are kept and further digits cut', () => {
  assert.equal(parseInstant('2026-01-01T00:00:00.5Z'), Date.UTC(2026, 0, 1, 0, 0, 0, 500))
  assert.equal(parseInstant('2026-01-01T00:00:00.123999999Z'), Date.UTC(2026, 0, 1, 0, 0, 0, 123))
  assert.equal(parseInstant('2026-01-01T00:00:00,25Z'), Date.UTC(2026, 0, 1, 0, 0, 0, 250))
  assert.equal(parseInstant('2026-01-01T00:00Z'), Date.UTC(2026, 0, 1))
})

test('an offset is read with and without its colon and minutes', () => {
  const noon = Date.UTC(2026, 0, 1, 12)
  for (const offset of ['T14:00:00+02:00', 'T14:00:00+0200', 'T14:00:00+02', 'T08:30:00-03:30', 'T12:00:00-00:00']) {
    assert.equal(parseInstant(`2026-01-01${offset}`), noon, offset)
  }
})

test('the years 0 to 99 are not taken for 1900 to 1999', () => {
  assert.equal(parseInstant('0099-12-31T00:00:00Z'), Temporal.Instant.from('0099-12-31T00:00:00Z').epochMilliseconds)
  assert.equal(parseInstant('0000-02-29T00:00:00Z'), Temporal.Instant.from('0000-02-29T00:00:00Z').epochMilliseconds)
})

test('every instant from year 0 to 9999 is read as Temporal reads it, whatever its offset', () => {
  const first = Temporal.Instant.from('0000-01-02T00:00:00Z').epochMilliseconds
  const last = Temporal.Instant.from('9999-12-30T23:59:59.999Z').epochMilliseconds
  const offsetMinutes = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })
  fc.assert(
    fc.property(fc.integer({ min: first, max: last }), offsetMinutes, (ms, minutes) => {
      const instant = Temporal.Instant.fromEpochMilliseconds(ms)
      const size = Math.abs(minutes)
      const offset = `${minutes < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`
      assert.equal(parseInstant(instant.toString()), ms)
      assert.equal(parseInstant(instant.toString({ timeZone: offset })), ms)
    }),
  )
})

test('dates made of random numbers are read as Temporal reads them or refused as Temporal refuses them', () => {
  const two = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'))
  const years = fc.integer({ min: 0, max: 9_999 }).map((value) => String(value).padStart(4, '0'))
  fc.assert(
    fc.property(years, two(14), two(33), two(25), two(61), (year, month, day, hour, minute) => {
      const text = `${year}-${month}-${day}T${hour}:${minute}:00Z`
      const outcome = (read: () => number): number | null => {
        try {
          return read()
        } catch {
          return null
        }
      }
      assert.equal(
        outcome(() => parseInstant(text)),
        outcome(() => Temporal.Instant.from(text).epochMilliseconds),
        text,
      )
    }),
    { numRuns: 1_000 },
  )
})

test('a zone suffix that contradicts the offset is refused', () => {
  assert.throws(
    () => parseZonedInstant('2026-07-01T12:00:00+01:00[Europe/Berlin]'),
    fault('format', /Europe\/Berlin does not have/),
  )
})

test('a zone suffix is told, in its usual spelling, and Z goes with any zone', () => {
  const at = Date.UTC(2026, 6, 1, 10)
  assert.deepEqual(parseZonedInstant('2026-07-01T12:00:00+02:00[europe/berlin]'), { at, timeZone: 'Europe/Berlin' })
  assert.deepEqual(parseZonedInstant('2026-07-01T10:00:00Z[!Europe/Berlin]'), { at, timeZone: 'Europe/Berlin' })
  assert.deepEqual(parseZonedInstant('2026-07-01T10:00:00Z'), { at, timeZone: null })
})

test('a zone nobody knows is out of range, and the message names it and a right one', () => {
  const refused = [
    'Mars/Olympus',
    '',
    'Berlin',
    'Z',
    '2026-01-01T00:00Z',
    '2026-01-01T00:00[UTC]',
    '+25:00',
    '../etc',
    'a'.repeat(5_000),
  ]
  for (const zone of refused) {
    assert.throws(
      () => parseTimeZone(zone),
      fault('range', /is not known; use an IANA name such as Europe\/Berlin/),
      zone,
    )
  }
  assert.throws(() => parseTimeZone('Mars/Olympus'), /"Mars\/Olympus"/)
  assert.throws(() => parseInstant('2026-07-01T10:00:00Z[Mars/Olympus]'), fault('range'))
})
