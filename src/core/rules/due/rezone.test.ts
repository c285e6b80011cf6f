// Zone data that change under a waiting timer. The data are those of the runtime, with one zone changed: a country that gives up
// its summer time, or moves its clocks.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { parseSchedule } from '../../time/schedule.ts'
import type { FiringRules } from '../../time/firing-rules.ts'
import { temporalZoneData } from '../../time/zone/zone-data.ts'
import type { ZoneData } from '../../time/zone/zone-data.ts'
import { useZoneData } from '../../time/zone/zone.ts'
import { createOf, specOf } from '../command.fixture.ts'
import { decide } from '../decide.ts'
import { assertTimerInvariants } from '../timer-invariants.ts'
import type { Timer } from '../../timer/timer.ts'
import { stepAtDue } from './due-step.ts'
import { rezoned } from './rezone.ts'

const BERLIN = 'Europe/Berlin'
const HOUR = 3_600_000
const OLD = temporalZoneData('2026a')
const at = (text: string): number => Date.parse(text)
const MADE = at('2026-11-16T08:00:00Z')

/** Clocks in Berlin stay at this offset for ever, from 2027 on. */
function fixedFrom2027(offsetMs: number): ZoneData {
  const from = at('2027-01-01T00:00:00Z')
  return {
    version: '2026z',
    offsetAt: (zone, instant) => (zone === BERLIN && instant >= from ? offsetMs : OLD.offsetAt(zone, instant)),
    transitionAfter: (zone, instant) => {
      const next = OLD.transitionAfter(zone, instant)
      if (zone !== BERLIN || (next !== null && next.at < from)) return next
      return instant >= from || offsetMs === HOUR ? null : { at: from, before: HOUR, after: offsetMs }
    },
  }
}

const context = (now: number) => ({ now, retentionMs: HOUR })

function made(text: string, rules: FiringRules | null = null, now = MADE): Timer {
  useZoneData(OLD)
  const schedule = parseSchedule(text, BERLIN, rules)
  return decide(null, createOf({ ...specOf('PT1M'), schedule }), context(now)).timer
}

afterEach(() => useZoneData(temporalZoneData('unknown')))

const shown = ({ dueAt }: Timer): string => new Date(dueAt).toISOString()

for (const [text, before, after] of [
  ['2030-07-01T09:00:00', '2030-07-01T07:00:00.000Z', '2030-07-01T08:00:00.000Z'],
  ['0 9 1 7 *', '2027-07-01T07:00:00.000Z', '2027-07-01T08:00:00.000Z'],
  ['RRULE:FREQ=YEARLY;BYMONTH=7;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0;BYSECOND=0', '2027-07-01T07:00:00.000Z', '2027-07-01T08:00:00.000Z'], // oxfmt-ignore
  ['0 9 1 2 *', '2027-02-01T08:00:00.000Z', '2027-02-01T08:00:00.000Z'],
  ['R/2026-07-01T09:00:00+02:00/P1Y', '2027-07-01T07:00:00.000Z', '2027-07-01T08:00:00.000Z'],
] as const) {
  test(`${text} is at ${after} when there is no summer time any more`, () => {
    // A cycle of days asks the table of transitions, too, where it is told what to do when clocks change.
    const timer = made(text, text.startsWith('R/') ? { dst: { gap: 'shift' } } : null)
    assert.equal(shown(timer), before)
    assert.equal(rezoned(timer, context(MADE)), null, 'with the same data nothing is to be done')
    useZoneData(fixedFrom2027(HOUR))
    const next = rezoned(timer, context(MADE))!
    assert.equal(shown(next), after)
    assertTimerInvariants(next, timer)
    assert.equal(next.iteration, timer.iteration)
    assert.equal(next.firing === timer.firing, before === after, 'another time is another firing')
    assert.equal(rezoned(next, context(MADE)), null)
  })
}

test('a firing that would be early by the new data is not made', () => {
  const timer = made('2030-07-01T09:00:00')
  useZoneData(fixedFrom2027(HOUR))
  const moved = stepAtDue(timer, context(timer.dueAt))
  assert.equal(shown(moved!), '2030-07-01T08:00:00.000Z')
  assert.equal(stepAtDue(moved!, context(moved!.dueAt)), null)
})

test('a firing that is late by the new data is made at once', () => {
  const timer = made('2030-07-01T09:00:00')
  useZoneData(fixedFrom2027(3 * HOUR))
  assert.equal(stepAtDue(timer, context(timer.dueAt)), null)
})

test('what the receiver has moved, what is paused and what has begun keep their times', () => {
  const timer = made('0 9 1 7 *')
  useZoneData(fixedFrom2027(HOUR))
  const movedAt = timer.dueAt + 1_234
  const moved = rezoned({ ...timer, dueAt: movedAt, wakeAt: movedAt }, context(MADE))!
  assert.deepEqual([moved.dueAt, moved.firing], [movedAt, timer.firing])
  const paused = rezoned({ ...timer, status: 'paused', wakeAt: MADE + HOUR }, context(MADE))!
  assert.deepEqual([paused.status, paused.wakeAt, shown(paused)], ['paused', MADE + HOUR, '2027-07-01T08:00:00.000Z'])
  assert.equal(rezoned({ ...timer, attempts: 1, firstAttemptAt: MADE }, context(MADE)), null)
})

test('timers without clocks have nothing to follow', () => {
  useZoneData(OLD)
  for (const schedule of [
    parseSchedule('PT1H', BERLIN),
    parseSchedule('2030-07-01T09:00:00+02:00[Europe/Berlin]'),
    parseSchedule('@daily'),
  ])
    // oxfmt-ignore
    assert.equal(decide(null, createOf({ ...specOf('PT1M'), schedule }), context(MADE)).timer.zoned, null)
})
