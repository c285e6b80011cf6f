import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDuration } from './duration.ts'
import { DuetimeError } from '../errors.ts'
import { firingOf, firstFiring, nextIteration } from './firings.ts'
import { upcomingFirings } from './preview.ts'
import { parseSchedule } from './schedule.ts'
import type { CycleSchedule } from './schedule.ts'
import { runs } from '../../../test/support/random-runs.ts'

const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds
const NOW = at('2026-01-31T10:00:00Z')
const fault =
  (expected: string, message = /./) =>
  (error: unknown) =>
    error instanceof DuetimeError &&
    error.code === 'INVALID_SCHEDULE' &&
    error.details['fault'] === expected &&
    message.test(error.message)

function cycle(text: string, timeZone: string | null = null): CycleSchedule {
  const schedule = parseSchedule(text, timeZone)
  assert.equal(schedule.kind, 'cycle')
  return schedule
}

test('malformed schedules are refused as such, with the whole text quoted', () => {
  const refused = [
    '',
    'P',
    'PT',
    '5M',
    '10m',
    '2026-01-31',
    '2026-01-31T10:00:00',
    'R',
    'R3',
    'R3/',
    'R/',
    'R3//PT1M',
    'R-1/PT1M',
    'R+1/PT1M',
    'R1.5/PT1M',
    'r3/PT1M',
    'R3/PT1M/',
    'R3/PT1M/2026-01-31T10:00:00Z',
    'R3/2026-01-31T10:00:00/PT1M',
    'R3/2026-01-31T10:00:00Z',
    'R3/2026-01-31T10:00:00Z/PT1M/PT1M',
    'RX/PT1M',
    ' PT1M',
  ]
  for (const text of refused) {
    assert.throws(() => parseSchedule(text), fault('format'), text)
    assert.throws(() => parseSchedule(text), { details: { fault: 'format', provided: text } }, text)
  }
  assert.throws(() => parseSchedule('5M'), /an instant .* a duration \(PT10M\) or a cycle/)
})

test('overlong text is refused and not echoed in full', () => {
  assert.throws(
    () => parseSchedule(`R3/${'9'.repeat(1_000_000)}`),
    (error) => fault('format', /255/)(error) && String((error as DuetimeError).details['provided']).length <= 256,
  )
})

test('well-formed schedules out of bounds are refused as out of range', () => {
  const refused = [
    'R0/PT1M',
    'R1001/PT1M',
    `R${'9'.repeat(30)}/PT1M`,
    'R/PT0S',
    'R3/P0D',
    'PT0.5S',
    'PT0.999S',
    'R3/PT0.5S',
    'P101Y',
    'P100YT1S',
    'P1201M',
    'P36526D',
    'PT99999999999S',
    'R/P101Y',
    'R3/2026-01-31T10:00:00Z/PT0S',
  ]
  for (const text of refused) {
    assert.throws(() => parseSchedule(text), fault('range'), text)
    assert.throws(() => parseSchedule(text), { details: { fault: 'range', provided: text } }, text)
  }
})

test('a duration of no length is due at once', () => {
  for (const text of ['PT0S', 'P0D'])
    assert.partialDeepStrictEqual(firstFiring(parseSchedule(text), 5_000), {
      dueAt: 5_000,
      anchorAt: null,
      iteration: 1,
    })
})

test('an unknown or contradictory time zone is refused', () => {
  assert.throws(() => parseSchedule('P1D', 'Mars/Olympus'), fault('range', /Mars\/Olympus.*Europe\/Berlin/))
  assert.throws(
    () => parseSchedule('2026-07-01T10:00:00Z[Europe/Berlin]', 'Asia/Tokyo'),
    fault('format', /Europe\/Berlin.*Asia\/Tokyo/),
  )
})

test('no text makes it throw anything but a coded error', () => {
  const parts = [
    'R',
    '3',
    '/',
    'P',
    'T',
    '1',
    'D',
    'M',
    'S',
    '.',
    '-',
    'Z',
    '+01:00',
    '2026-01-31T10:00:00',
    '[Asia/Tokyo]',
    '99999999999',
  ]
  const nearly = fc.array(fc.constantFrom(...parts), { maxLength: 9 }).map((chosen) => chosen.join(''))
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), nearly),
      fc.option(fc.oneof(fc.string(), fc.constant('Europe/Berlin'))),
      (text, zone) => {
        try {
          const schedule = parseSchedule(text, zone)
          assert.equal(schedule.text, text)
          upcomingFirings(schedule, NOW, 3)
        } catch (error) {
          if (!(error instanceof DuetimeError)) throw error
        }
      },
    ),
    { numRuns: runs(3_000) },
  )
})

test('the three kinds are told apart and the limits themselves are allowed', () => {
  const text = '2026-01-31T10:00:00.250Z'
  assert.deepEqual(parseSchedule(text), { kind: 'instant', at: NOW + 250, timeZone: null, rules: null, text })
  for (const limit of ['PT1S', 'P100Y', 'P1200M', 'P99Y12M', 'PT876000H', 'PT3153600000S']) {
    assert.equal(parseSchedule(limit).kind, 'duration', limit)
  }
  assert.equal(cycle('R/PT1S').repetitions, null)
  assert.equal(cycle('R1/PT1S').repetitions, 1)
  assert.equal(cycle('R1000/PT1S').repetitions, 1_000)
  assert.equal(cycle('R3/2026-01-31T11:00:00+01:00/PT1S').startAt, NOW)
})

test('the zone of a start is the zone of its cycle', () => {
  const schedule = cycle('R/2026-03-28T02:30:00+01:00[Europe/Berlin]/P1D')
  assert.equal(schedule.timeZone, 'Europe/Berlin')
  assert.deepEqual(upcomingFirings(schedule, NOW, 3), [
    at('2026-03-28T02:30:00+01:00'),
    at('2026-03-29T03:30:00+02:00'),
    at('2026-03-30T02:30:00+02:00'),
  ])
})

test('a cycle whose iterations are all over is refused as past', () => {
  const schedule = parseSchedule('R3/2026-01-31T09:00:00Z/PT10M')
  assert.throws(() => firstFiring(schedule, NOW), fault('past'))
  assert.throws(() => upcomingFirings(schedule, NOW, 1), fault('past'))
  assert.equal(firstFiring(schedule, at('2026-01-31T09:20:00Z')).iteration, 3)
  assert.throws(() => firstFiring(schedule, at('2026-01-31T09:20:00.001Z')), fault('past'))
})

test('what is due more than 100 years from now is out of range, and 100 years are not', () => {
  assert.throws(() => firstFiring(parseSchedule('2126-01-31T10:00:00.001Z'), NOW), fault('range'))
  assert.throws(() => firstFiring(parseSchedule('P36525D'), NOW), fault('range'))
  assert.throws(() => firstFiring(parseSchedule('R/2126-01-31T10:00:00.001Z/PT1S'), NOW), fault('range'))
  assert.equal(firstFiring(parseSchedule('2126-01-31T10:00:00Z'), NOW).dueAt, at('2126-01-31T10:00:00Z'))
})

test('100 years are measured in the zone of the schedule, where a summer noon may be a winter noon by then', () => {
  const now = at('2026-03-30T12:00:00+02:00')
  assert.equal(firstFiring(parseSchedule('P100Y', 'Europe/Berlin'), now).dueAt, at('2126-03-30T12:00:00+01:00'))
})

test('a past instant is answered as it is', () => {
  const text = '2020-01-01T00:00:00Z'
  assert.partialDeepStrictEqual(firstFiring(parseSchedule(text), NOW), {
    dueAt: at(text),
    anchorAt: null,
    iteration: 1,
  })
})

test('a duration counts from now, and a cycle fires first one duration after it', () => {
  assert.partialDeepStrictEqual(firstFiring(parseSchedule('PT10M'), NOW), {
    dueAt: NOW + 600_000,
    anchorAt: null,
    iteration: 1,
  })
  assert.partialDeepStrictEqual(firstFiring(parseSchedule('R3/PT10M'), NOW), {
    dueAt: NOW + 600_000,
    anchorAt: NOW,
    iteration: 1,
  })
  assert.deepEqual(upcomingFirings(parseSchedule('R3/PT10M'), NOW, 10), [
    NOW + 600_000,
    NOW + 1_200_000,
    NOW + 1_800_000,
  ])
})

test('a cycle with a start fires first at its start', () => {
  const schedule = parseSchedule('R2/2026-01-31T10:00:00Z/PT10M')
  assert.partialDeepStrictEqual(firstFiring(schedule, NOW - 5), { dueAt: NOW, anchorAt: NOW, iteration: 1 })
  assert.partialDeepStrictEqual(firstFiring(schedule, NOW), { dueAt: NOW, anchorAt: NOW, iteration: 1 })
  assert.partialDeepStrictEqual(firstFiring(schedule, NOW + 1), { dueAt: NOW + 600_000, anchorAt: NOW, iteration: 2 })
  assert.deepEqual(upcomingFirings(schedule, NOW - 5, 10), [NOW, NOW + 600_000])
})

test('a cycle that began years ago joins in at its next grid point', () => {
  const startAt = at('1996-02-29T00:00:00.007Z')
  const joined = firstFiring(parseSchedule('R/1996-02-29T00:00:00.007Z/PT1S'), NOW)
  assert.partialDeepStrictEqual(joined, {
    dueAt: NOW + 7,
    anchorAt: startAt,
    iteration: (NOW + 7 - startAt) / 1_000 + 1,
  })
  assert.equal(firstFiring(parseSchedule('R/1996-02-29T00:00:00.007Z/P1Y'), NOW).dueAt, at('2026-02-28T00:00:00.007Z'))
})

test('a monthly cycle from Jan 31 is at the end of each month', () => {
  const dates = upcomingFirings(parseSchedule('R/P1M'), NOW, 4).map((due) =>
    Temporal.Instant.fromEpochMilliseconds(due).toString(),
  )
  assert.deepEqual(dates, [
    '2026-02-28T10:00:00Z',
    '2026-03-31T10:00:00Z',
    '2026-04-30T10:00:00Z',
    '2026-05-31T10:00:00Z',
  ])
})

test('one-shots have one firing and no iterations', () => {
  for (const text of ['PT10M', '2026-02-01T00:00:00Z']) {
    assert.equal(firingOf(parseSchedule(text), null, 1), null)
    assert.equal(upcomingFirings(parseSchedule(text), NOW, 5).length, 1)
    assert.deepEqual(upcomingFirings(parseSchedule(text), NOW, 0), [])
  }
})

test('a cycle stored without its anchor is a defect and is not guessed at', () => {
  assert.throws(() => firingOf(parseSchedule('R/PT1S'), null, 1), TypeError)
})

test('a grid ends where time ends', () => {
  assert.equal(firingOf(parseSchedule('R/P100Y'), NOW, 100_000), null)
})

const starts = fc.integer({ min: at('2015-01-01T00:00:00Z'), max: at('2060-01-01T00:00:00Z') })
const cycles = fc
  .record({
    repetitions: fc.option(fc.integer({ min: 1, max: 60 })),
    startAt: fc.option(starts),
    duration: fc.constantFrom(
      'PT1S',
      'PT1.001S',
      'PT90M',
      'PT36H',
      'P1D',
      'P1W',
      'P1M',
      'P1M1D',
      'P3MT1S',
      'P1Y',
      'P1DT12H',
    ),
    zone: fc.constantFrom(null, 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'),
  })
  .map(({ repetitions, startAt, duration, zone }) => {
    const start = startAt === null ? '' : `/${Temporal.Instant.fromEpochMilliseconds(startAt).toString()}`
    return cycle(`R${repetitions ?? ''}${start}/${duration}`, zone)
  })

test('every firing is one addition from the anchor, later than the one before, and none follows the last', () => {
  fc.assert(
    fc.property(cycles, starts, (schedule, now) => {
      const anchorAt = schedule.startAt ?? now
      let before = -Infinity
      for (let iteration = 1; iteration <= 65; iteration += 1) {
        const dueAt = firingOf(schedule, anchorAt, iteration)
        if (iteration > (schedule.repetitions ?? Infinity)) {
          assert.equal(dueAt, null)
          continue
        }
        const steps = schedule.startAt === null ? iteration : iteration - 1
        assert.equal(dueAt, addDuration(anchorAt, schedule.duration, steps, schedule.timeZone))
        assert.ok(dueAt !== null && dueAt > before)
        before = dueAt
      }
    }),
  )
})

test('a fixed duration never drifts, however many iterations have passed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1_000, max: 10_000_000 }),
      fc.integer({ min: 1, max: 100_000_000 }),
      (stepMs, iteration) => {
        const text = `R/PT${Math.floor(stepMs / 1_000)}.${String(stepMs % 1_000).padStart(3, '0')}S`
        assert.equal(firingOf(parseSchedule(text), NOW, iteration), NOW + iteration * stepMs)
      },
    ),
  )
})

test('the iteration at or after an instant is the one a walk over the grid finds', () => {
  fc.assert(
    fc.property(
      cycles,
      starts,
      fc.integer({ min: 0, max: 62 }),
      fc.integer({ min: -1, max: 1 }),
      (schedule, now, near, shift) => {
        const anchorAt = schedule.startAt ?? now
        const target = addDuration(anchorAt, schedule.duration, near, schedule.timeZone) + shift
        let walked: number | null = null
        for (let iteration = 1; iteration <= (schedule.repetitions ?? 100) && walked === null; iteration += 1) {
          if ((firingOf(schedule, anchorAt, iteration) ?? 0) >= target) walked = iteration
        }
        assert.equal(
          nextIteration(
            { ...schedule, schedule: schedule.text, anchorAt, iteration: 0, uuid: '0', nominalAt: -1 },
            target,
          )?.iteration ?? null,
          walked,
        )
      },
    ),
    { numRuns: 300 },
  )
})

test('the first firing is never before now, and no grid point between now and it is left out', () => {
  fc.assert(
    fc.property(cycles, starts, (schedule, now) => {
      try {
        const { dueAt, anchorAt, iteration } = firstFiring(schedule, now)
        const previous = firingOf(schedule, anchorAt, iteration - 1)
        assert.ok(dueAt >= now)
        assert.ok(previous === null || previous < now)
      } catch (error) {
        if (!fault('past')(error)) throw error
        const last = firingOf(schedule, schedule.startAt ?? now, schedule.repetitions ?? 0)
        assert.ok(last !== null && last < now)
      }
    }),
    { numRuns: 300 },
  )
})
