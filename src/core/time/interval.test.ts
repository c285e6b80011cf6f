import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DuetimeError } from '../errors.ts'
import { formatInterval, parseInterval } from './interval.ts'

const fault = (expected: string) => (error: unknown) =>
  error instanceof DuetimeError && error.details['fault'] === expected

test('text that is not an interval is refused', () => {
  const refused = [
    '',
    '0',
    '30',
    's',
    '30 s',
    ' 30s',
    '30s ',
    '30S',
    '1d',
    '1w',
    '1y',
    '5us',
    '5µs',
    '5ns',
    '-5s',
    '+5s',
    '1h-30m',
    '1e3s',
    '.5s',
    '1.s',
    '1..5s',
    '1,5s',
    '0x1s',
    '1.5',
    'PT',
    'P',
    'pt5s',
    '30sPT30S',
    '1.1234567890s',
    'Infinitys',
    '1s'.repeat(200),
  ]
  for (const interval of refused) assert.throws(() => parseInterval(interval), fault('format'), interval)
})

test('years and months have no fixed length, so they are no interval', () => {
  assert.throws(() => parseInterval('P1Y'), fault('format'))
  assert.throws(() => parseInterval('P1M'), fault('format'))
  assert.equal(parseInterval('PT1M'), 60_000)
})

test('an interval too long to count in milliseconds is out of range, not rounded', () => {
  assert.throws(() => parseInterval('9999999999h'), fault('range'))
  assert.throws(() => parseInterval('9007199254740991ms1ms'), fault('range'))
  assert.throws(() => parseInterval('P9999999999W'), fault('range'))
  assert.equal(parseInterval('9007199254740991ms'), Number.MAX_SAFE_INTEGER)
})

test('Go-style and ISO intervals are read to the millisecond', () => {
  const examples: readonly [string, number][] = [
    ['30s', 30_000],
    ['10m', 600_000],
    ['24h', 86_400_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['500ms', 500],
    ['0s', 0],
    ['1m0.25s', 60_250],
    ['0.0001h', 360],
    ['1.9ms', 1],
    ['0.999999999h', 3_599_999],
    ['30m1h', 5_400_000],
    ['PT30S', 30_000],
    ['P1W1DT1H', 694_800_000],
    ['PT0.5S', 500],
  ]
  for (const [interval, ms] of examples) assert.equal(parseInterval(interval), ms, interval)
})

test('intervals are written in their largest units, without empty ones', () => {
  const examples: readonly [number, string][] = [
    [0, '0s'],
    [1, '1ms'],
    [500, '500ms'],
    [1_000, '1s'],
    [1_500, '1.5s'],
    [30_000, '30s'],
    [59_999, '59.999s'],
    [600_000, '10m'],
    [5_400_000, '1h30m'],
    [86_400_000, '24h'],
    [3_600_500, '1h500ms'],
    [90_061_001, '25h1m1.001s'],
  ]
  for (const [ms, interval] of examples) assert.equal(formatInterval(ms), interval)
})

test('a written interval is read back as it was', () => {
  fc.assert(
    fc.property(fc.oneof(fc.maxSafeNat(), fc.nat({ max: 100_000_000 })), (ms) =>
      assert.equal(parseInterval(formatInterval(ms)), ms),
    ),
    { numRuns: 1_000 },
  )
})

test('no text makes it throw anything but a coded error, or answer anything but whole milliseconds', () => {
  const parts = fc.constantFrom('1', '59', '.', '5', 'h', 'm', 's', 'ms', 'P', 'T', 'D', ' ', '-')
  const nearly = fc.array(parts, { maxLength: 8 }).map((chosen) => chosen.join(''))
  fc.assert(
    fc.property(fc.oneof(fc.string(), nearly), (text) => {
      try {
        const ms = parseInterval(text)
        assert.ok(Number.isSafeInteger(ms) && ms >= 0, text)
      } catch (error) {
        if (!(error instanceof DuetimeError)) throw error
      }
    }),
    { numRuns: 2_000 },
  )
})
