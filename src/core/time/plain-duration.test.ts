import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DuetimeError } from '../errors.ts'
import { isoDurationOf, isoDurationText } from './plain-duration.ts'

test('text that is no length of time is refused, with examples of what is', () => {
  for (const text of [
    '',
    ' ',
    '3',
    'd',
    '3 days',
    '-3d',
    '1.5',
    '1.5d',
    '0.5mo',
    'P',
    'PT',
    '3D',
    '1e3s',
    `${'9'.repeat(12)}d`,
  ]) {
    assert.throws(
      () => isoDurationText(text),
      (error) => error instanceof DuetimeError && error.code === 'INVALID_SCHEDULE',
      text,
    )
  }
  assert.throws(() => isoDurationText('soon'), /write 90s, 1h30m, 3d/)
})

test('days and longer units stay what they are, so that they follow the calendar; shorter ones add up', () => {
  const calendar = { '3d': 'P3D', '1w2d': 'P1W2D', '6mo': 'P6M', '1y': 'P1Y', '2d12h': 'P2DT12H' }
  const fixed = { '1h30m': 'PT1H30M', '90s': 'PT1M30S', '1.5h': 'PT1H30M', '500ms': 'PT0.5S' }
  for (const [text, iso] of Object.entries({ ...calendar, ...fixed })) assert.equal(isoDurationText(text), iso)
  assert.equal(isoDurationText('P1Y2M'), 'P1Y2M')
  assert.equal(isoDurationText('0s'), 'PT0S')
})

test('an object has a number for each unit and nothing else', () => {
  assert.equal(isoDurationOf({ days: 3 }), 'P3D')
  assert.equal(isoDurationOf({ years: 1, months: 2, hours: 3, seconds: 4, milliseconds: 50 }), 'P1Y2MT3H4.05S')
  assert.equal(isoDurationOf(Temporal.Duration.from('P1DT2H')), 'P1DT2H')
  for (const wrong of [{ days: 1.5 }, { days: -1 }, { fortnights: 1 }, { days: '3' }, { days: Number.NaN }]) {
    assert.throws(() => isoDurationOf(wrong as object), DuetimeError, JSON.stringify(wrong))
  }
})
