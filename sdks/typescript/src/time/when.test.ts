import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DuetimeError } from '../errors.ts'
import { durationText, instantText, wireWhen } from './when.ts'
import type { DurationLike } from './when.ts'

/** As a program without types would write it. */
function refused(when: object, field: string): void {
  assert.throws(
    () => wireWhen(when),
    (error: unknown) =>
      error instanceof DuetimeError && error.code === 'INVALID_INPUT' && error.details['field'] === field,
  )
}

test('what cannot be meant is refused before anything is sent, and the field is named', () => {
  refused({ at: new Date(), after: '1h' }, 'after')
  refused({ after: '1h', schedule: 'PT1H' }, 'schedule')
  refused({ after: '1h', times: 3 }, 'times')
  refused({ at: 0, from: 0 }, 'from')
  refused({ every: '1h', times: 0 }, 'times')
  refused({ every: '1h', times: 1.5 }, 'times')
  refused({ at: new Date(Number.NaN) }, 'at')
  for (const after of ['', 'soon', '3', '3x', '1h 30m', '-1h', '1.5d']) refused({ after }, 'after')
  refused({ after: {} }, 'after')
  for (const after of [5, true, null, []]) refused({ after }, 'after')
  refused({ after: { days: 1.5 } }, 'after')
  refused({ after: { hours: -1 } }, 'after')
  refused({ after: { seconds: Number.NaN } }, 'after')
})

test('a bare number is told that it has no unit', () => {
  assert.throws(
    () => wireWhen({ after: 5 as never }),
    /^DuetimeError: after must be text with units.*a bare number does not say its unit: write '5s' for seconds/,
  )
})

test('nothing said is nothing sent', () => {
  assert.deepEqual(wireWhen({}), {})
})

test('instants are taken as they are at hand', () => {
  const text = '2030-01-31T09:00:00.250Z'
  const instant = Temporal.Instant.from(text)
  for (const at of [text, new Date(text), Date.parse(text), instant, instant.toZonedDateTimeISO('Asia/Tokyo')]) {
    assert.deepEqual(wireWhen({ at }), { executeAt: text })
  }
  assert.equal(instantText('2030-01-31T09:00:00+01:00', 'at'), '2030-01-31T09:00:00+01:00')
})

test('durations become ISO 8601', () => {
  const cases: [DurationLike, string][] = [
    ['0s', 'PT0S'],
    [{ minutes: 0 }, 'PT0S'],
    ['90s', 'PT1M30S'],
    ['1h30m', 'PT1H30M'],
    ['1.5h', 'PT1H30M'],
    ['500ms', 'PT0.5S'],
    ['3d', 'P3D'],
    ['2w1d', 'P2W1D'],
    ['6mo', 'P6M'],
    ['1y', 'P1Y'],
    ['1y6mo3d12h', 'P1Y6M3DT12H'],
    ['P3D', 'P3D'],
    ['PT0.5S', 'PT0.5S'],
    [{ days: 3 }, 'P3D'],
    [{ months: 1, minutes: 90 }, 'P1MT1H30M'],
    [{ milliseconds: 1_500 }, 'PT1.5S'],
    [Temporal.Duration.from({ days: 3, hours: 1 }), 'P3DT1H'],
  ]
  for (const [after, schedule] of cases) assert.deepEqual(wireWhen({ after }), { schedule })
})

test('any length of days, hours, minutes and seconds keeps its length', () => {
  const amount = fc.nat(10_000)
  fc.assert(
    fc.property(
      fc.record({ days: amount, hours: amount, minutes: amount, seconds: amount, milliseconds: amount }),
      (fields) => {
        const { days, hours, minutes, seconds, milliseconds } = fields
        fc.pre(days + hours + minutes + seconds + milliseconds > 0)
        const total = (duration: Temporal.DurationLike | string) =>
          Temporal.Duration.from(duration).total({ unit: 'milliseconds' })
        assert.equal(total(durationText(fields, 'after')), total(fields))
        assert.equal(
          total(durationText(`${days}d${hours}h${minutes}m${seconds}s${milliseconds}ms`, 'after')),
          total(fields),
        )
      },
    ),
  )
})

test('cycles say how often and from when', () => {
  assert.deepEqual(wireWhen({ every: '15m' }), { schedule: 'R/PT15M' })
  assert.deepEqual(wireWhen({ every: { days: 1 }, times: 3 }), { schedule: 'R3/P1D' })
  assert.deepEqual(wireWhen({ every: 'P1M', from: '2030-01-31T09:00:00+01:00[Europe/Berlin]' }), {
    schedule: 'R/2030-01-31T09:00:00+01:00[Europe/Berlin]/P1M',
  })
})
