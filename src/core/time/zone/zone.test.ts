// Clocks that change, in every zone of the runtime, against a model that asks Temporal about each local time by itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isMeant } from '../cron/cron.fixture.ts'
import { previewFirings } from '../preview.ts'
import { parseSchedule } from '../schedule.ts'
import type { DstPolicy } from './local-rule.ts'
import { Zone, zoneOf } from './zone.ts'
import { runs } from '../../../../test/support/random-runs.ts'

const ZONES = Intl.supportedValuesOf('timeZone')
const DAY = 86_400_000
const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds
const [FROM, TO] = [at('2026-01-01T00:00:00Z'), at('2046-01-01T00:00:00Z')]

/** The instants of one local time, as Temporal sees it. */
function modelInstants(local: Temporal.PlainDateTime, zone: string, { gap, overlap }: DstPolicy): number[] {
  const [earlier, later] = (['earlier', 'later'] as const).map((disambiguation) =>
    local.toZonedDateTime(zone, { disambiguation }),
  ) as [Temporal.ZonedDateTime, Temporal.ZonedDateTime]
  if (!later.toPlainDateTime().equals(local)) return gap === 'skip' ? [] : [later.epochMilliseconds]
  const both = [...new Set([earlier.epochMilliseconds, later.epochMilliseconds])]
  return overlap === 'both' ? both : [overlap === 'first' ? both[0]! : both.at(-1)!]
}

const policies: fc.Arbitrary<DstPolicy> = fc.record({
  gap: fc.constantFrom('shift', 'skip'),
  overlap: fc.constantFrom('first', 'second', 'both'),
})

/** Where something happens: at a transition if the zone has any, else anywhere. */
function momentIn(zone: string, where: number): number {
  const start = FROM + Math.floor(where * (TO - FROM))
  return (zoneOf(zone).transitionAfter(start, TO)?.at ?? start) - DAY
}

test('offsets are those of Temporal, at and around every transition of 20 years in every zone', () => {
  for (const name of ZONES) {
    const zone = zoneOf(name)
    const check = (instant: number) => {
      const expected = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(name).offsetNanoseconds / 1e6
      assert.equal(zone.offsetAt(instant), expected, `${name} at ${instant}`)
    }
    check(FROM)
    for (let next = zone.transitionAfter(FROM, TO); next !== null; next = zone.transitionAfter(next.at, TO)) {
      for (const near of [-1, 0, 1]) check(next.at + near)
    }
  }
})

test('a schedule fires at the same time, whatever was asked about its zone before', () => {
  const zone = new Zone('America/New_York')
  const last = (text: string) => zone.transitionUntil(at(text))?.at ?? null
  assert.equal(last('2039-12-31T00:00:00Z'), at('2039-11-06T06:00:00Z'))
  assert.equal(last('2025-01-01T00:00:00Z'), at('2024-11-03T06:00:00Z'))
  assert.equal(last('2039-12-31T00:00:00Z'), at('2039-11-06T06:00:00Z'))
})

test('cron fires at every local time that is meant, once, in order, in every zone and under every policy', () => {
  const times = fc.tuple(
    fc.constantFrom('*/5', '0', '30', '*/15', '5,50'),
    fc.constantFrom('*', '*/2', '0-4', '0', '1', '2', '3', '23'),
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      policies,
      times,
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      (name, dst, [minute, hour], where) => {
        const text = `${minute} ${hour} * * *`
        const from = momentIn(name, where)
        const found = previewFirings(parseSchedule(text, name, { dst }), from, { count: 1_000, to: from + 2 * DAY })
        const expected = new Set<number>()
        const start = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(name).toPlainDateTime()
        const first = start.subtract({ days: 2 }).round({ smallestUnit: 'minute', roundingIncrement: 5 })
        for (let local = first, steps = 0; steps < 6 * 288; steps++, local = local.add({ minutes: 5 })) {
          if (!isMeant(text, local)) continue
          for (const instant of modelInstants(local, name, dst))
            if (instant >= from && instant < from + 2 * DAY) expected.add(instant)
        }
        assert.deepEqual(
          found.map(({ dueAt }) => dueAt),
          [...expected].toSorted((a, b) => a - b),
        )
      },
    ),
    { numRuns: runs(400) },
  )
})

test('a daily cycle and a daily cron have the same days over 20 years, none twice and none left out', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), policies, fc.integer({ min: 0, max: 23 }), (name, dst, hour) => {
      const begin = Temporal.PlainDateTime.from({ year: 2026, month: 1, day: 5, hour }).toZonedDateTime(name)
      const now = begin.epochMilliseconds
      const schedules = [
        parseSchedule(`0 ${hour} * * *`, name, { dst }),
        parseSchedule(`R/${begin.toInstant().toString()}/P1D`, name, { dst }),
      ]
      const expected: number[] = []
      for (let day = 0; day < 7_305; day++)
        expected.push(...modelInstants(begin.toPlainDateTime().add({ days: day }), name, dst))
      const inOrder = [...new Set(expected)].toSorted((a, b) => a - b).slice(0, 7_000)
      for (const schedule of schedules) {
        const found = previewFirings(schedule, now, { count: 7_000 }).map(({ dueAt }) => dueAt)
        assert.deepEqual(found, inOrder, schedule.text)
      }
    }),
    { numRuns: runs(12) },
  )
})

test('weekly cron, rules and cycles fire on each Sunday of 20 years, in the hours in which clocks change', () => {
  // All of them take a minute: ALL_ZONES=1.
  const chosen = ZONES.entries().filter(([index]) => index % 12 === 0 || process.env['ALL_ZONES'] !== undefined)
  for (const [index, name] of chosen) {
    const hour = index % 4
    const dst: DstPolicy = {
      gap: index % 2 === 0 ? 'shift' : 'skip',
      overlap: (['first', 'second', 'both'] as const)[index % 3]!,
    }
    const first = Temporal.PlainDateTime.from({ year: 2026, month: 1, day: 4, hour, minute: 30 })
    const begin = first.toZonedDateTime(name)
    const locals = Array.from({ length: 1_043 }, (_, week) => first.add({ weeks: week }))
    const expected = [...new Set(locals.flatMap((local) => modelInstants(local, name, dst)))].toSorted((a, b) => a - b)
    for (const text of [
      `30 ${hour} * * SUN`,
      `DTSTART:20260104T0${hour}3000\nRRULE:FREQ=WEEKLY`,
      `R/${begin.toInstant().toString()}/P1W`,
    ]) {
      const count = expected.length
      const found = previewFirings(parseSchedule(text, name, { dst }), begin.epochMilliseconds, { count })
      const dueAts = found.map(({ dueAt }) => dueAt)
      assert.deepEqual(dueAts, expected, `${text} in ${name}`)
    }
  }
})

/** zone, the local time that is meant, and when it is: shifted, the first, the second. */
const GOLDEN: readonly (readonly [string, string, string])[] = [
  ['Europe/Berlin', '2027-03-28T02:30', 'gap 2027-03-28T03:30+02:00'],
  ['Europe/Berlin', '2027-10-31T02:30', '2027-10-31T02:30+02:00 2027-10-31T02:30+01:00'],
  ['America/New_York', '2027-03-14T02:30', 'gap 2027-03-14T03:30-04:00'],
  ['America/New_York', '2027-11-07T01:30', '2027-11-07T01:30-04:00 2027-11-07T01:30-05:00'],
  ['Australia/Lord_Howe', '2027-10-03T02:15', 'gap 2027-10-03T02:45+11:00'],
  ['Australia/Lord_Howe', '2027-04-04T01:45', '2027-04-04T01:45+11:00 2027-04-04T01:45+10:30'],
  ['Pacific/Apia', '2011-12-30T09:00', 'gap 2011-12-31T09:00+14:00'],
  ['Africa/Cairo', '2027-04-30T00:30', 'gap 2027-04-30T01:30+03:00'],
  ['Africa/Cairo', '2027-10-28T23:30', '2027-10-28T23:30+03:00 2027-10-28T23:30+02:00'],
  ['Europe/Dublin', '2027-03-28T01:30', 'gap 2027-03-28T02:30+01:00'],
  ['Europe/Dublin', '2027-10-31T01:30', '2027-10-31T01:30+01:00 2027-10-31T01:30+00:00'],
  ['America/Sao_Paulo', '2018-11-04T00:30', 'gap 2018-11-04T01:30-02:00'],
  ['Asia/Tehran', '2022-03-22T00:30', 'gap 2022-03-22T01:30+04:30'],
  ['America/St_Johns', '2027-03-14T02:30', 'gap 2027-03-14T03:30-02:30'],
  ['Antarctica/Troll', '2027-03-28T01:30', 'gap 2027-03-28T03:30+02:00'],
  ['Asia/Kolkata', '2027-03-28T02:30', '2027-03-28T02:30+05:30'],
]

for (const [zone, local, expected] of GOLDEN) {
  test(`${local} in ${zone} is ${expected}`, () => {
    const plain = Temporal.PlainDateTime.from(local)
    const now = plain.toZonedDateTime('UTC').epochMilliseconds - 2 * DAY
    const fires = (dst: DstPolicy) =>
      previewFirings(parseSchedule(`${plain.minute} ${plain.hour} ${plain.day} ${plain.month} *`, zone, { dst }), now, { count: 4, to: now + 4 * DAY }) // oxfmt-ignore
        .map(({ dueAt }) => Temporal.Instant.fromEpochMilliseconds(dueAt).toZonedDateTimeISO(zone).toString({ timeZoneName: 'never', smallestUnit: 'minute' })) // oxfmt-ignore
    const isGap = expected.startsWith('gap ')
    const times = expected.replace('gap ', '').split(' ')
    assert.deepEqual(fires({ gap: 'shift', overlap: 'both' }), times)
    assert.deepEqual(fires({ gap: 'shift', overlap: 'first' }), [times[0]])
    assert.deepEqual(fires({ gap: 'shift', overlap: 'second' }), [times.at(-1)])
    assert.deepEqual(fires({ gap: 'skip', overlap: 'both' }), isGap ? [] : times)
  })
}
