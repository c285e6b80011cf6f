import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCalendar, isAllowedBy } from '../calendar/calendar.fixture.ts'
import { Calendar } from '../calendar/calendar.ts'
import type { WrittenCalendar } from '../calendar/calendar.ts'
import type { CalendarRule, FiringRules } from '../firing-rules.ts'
import { firstFiring, insteadOf, lastIterationUntil, nextIteration } from '../firings.ts'
import { previewFirings } from '../preview.ts'
import type { Iteration, Scheduled } from '../firings.ts'
import { parseSchedule } from '../schedule.ts'

const NOW = Date.parse('2027-03-12T00:00:00Z')
const QUARTER = 15 * 60_000
const DAY = 86_400_000
const UUID = '0123456789abcdef0123456780000000'

const HOURS: WrittenCalendar = { name: 'c', timeZone: 'UTC', exclude: [], allow: ['MON-FRI 09:00-17:00'] }

type Subject = { readonly schedule: string; readonly rules: FiringRules; readonly written: WrittenCalendar | null }

function made({ schedule, rules, written }: Subject, now = NOW) {
  const calendars = new Map(written === null ? [] : [['c', new Calendar(written)]])
  const parsed = parseSchedule(schedule, 'Europe/Berlin', rules)
  const first = firstFiring(parsed, now, UUID, calendars)
  const timer: Scheduled & Iteration = { ...first, uuid: UUID, schedule, timeZone: 'Europe/Berlin' }
  return { calendars, timer, parsed }
}

function firingsOf(subject: Subject, until: number): Iteration[] {
  const { calendars, timer } = made(subject)
  const all: Iteration[] = []
  for (let next: Iteration | null = timer; next !== null && next.dueAt <= until;) {
    all.push(next)
    next = nextIteration({ ...timer, ...next }, null, calendars)
  }
  return all
}

const rule = (onExcluded: CalendarRule['onExcluded'], more: FiringRules = {}): FiringRules => ({
  ...more,
  calendar: { name: 'c', onExcluded },
})

test('a schedule of which the calendar leaves nothing is refused, and so is one whose calendar leaves nothing until its end', () => {
  assert.throws(() => made({ schedule: '0 3 * * *', rules: rule('skip'), written: HOURS }), {
    message: /never fires: the calendar "c" excludes all of its next iterations/,
  })
  const endAt = Date.parse('2027-03-12T05:00:00Z') // a Friday, before nine
  for (const onExcluded of ['skip', 'move'] as const)
    assert.throws(
      () => made({ schedule: '0 3 * * *', rules: rule(onExcluded, { endAt }), written: HOURS }),
      /No iteration of/,
    )
})

test('iterations that move to one moment fire once, and those that are passed over count for maxFirings', () => {
  const hourly = { schedule: 'R/2027-03-12T00:30:00Z/PT1H', written: HOURS } // a Friday
  const moved = firingsOf({ ...hourly, rules: rule('move', { maxFirings: 100 }) }, NOW + 5 * DAY)
  const times = moved.map(({ dueAt }) => new Date(dueAt).toISOString().slice(8, 16))
  assert.deepEqual(times.slice(0, 3), ['12T09:00', '12T09:30', '12T10:30'])
  assert.deepEqual(times.slice(8, 11), ['12T16:30', '15T09:00', '15T09:30'])
  assert.deepEqual([moved[0]!.iteration, moved[9]!.iteration], [9, 81])
  assert.equal(moved.at(-1)!.iteration, 108) // the first one that fires is the 9th
  const few = firingsOf({ ...hourly, rules: rule('move', { maxFirings: 20 }) }, NOW + 5 * DAY)
  assert.deepEqual([few.at(-1)!.iteration, new Date(few.at(-1)!.dueAt).toISOString()], [28, '2027-03-15T09:00:00.000Z'])
})

test('what is left of a schedule agrees with an independent model, also where clocks change: never twice, never none, in order', () => {
  const schedules = fc.constantFrom('0 */5 * * *', '30 2 * * *', '15 9 * * MON-FRI', 'R/PT7H', 'R/2027-03-01T06:45:00Z/P1D', 'FREQ=HOURLY;INTERVAL=9', '*/45 1-3 * * *') // oxfmt-ignore
  fc.assert(
    fc.property(schedules, anyCalendar, fc.constantFrom('skip', 'move'), (schedule, written, onExcluded) => {
      const until = NOW + 25 * DAY
      const judged = new Map<number, boolean>()
      const judge = (at: number): boolean => {
        const moment = () => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(written.timeZone)
        if (!judged.has(at)) judged.set(at, isAllowedBy(written, moment()))
        return judged.get(at)!
      }
      const plain = firingsOf({ schedule, rules: {}, written: null }, until).map(({ dueAt }) => dueAt)
      let subject: Iteration[]
      try {
        subject = firingsOf({ schedule, rules: rule(onExcluded), written }, until)
      } catch (error) {
        assert.match((error as Error).message, /never fires|too far ahead/)
        subject = []
      }
      const expected = new Set<number>()
      for (const at of plain) {
        let fires = at
        // Entries begin and end at quarters of an hour.
        if (onExcluded === 'move')
          while (!judge(fires) && fires <= until) fires = (Math.floor(fires / QUARTER) + 1) * QUARTER
        if (judge(fires) && fires <= until) expected.add(fires)
      }
      assert.deepEqual(subject.map(({ dueAt }) => dueAt), [...expected]) // oxfmt-ignore
      for (const [index, { iteration, nominalAt, dueAt }] of subject.entries()) {
        assert.ok(iteration > (subject[index - 1]?.iteration ?? 0) || schedule === '30 2 * * *')
        assert.ok(nominalAt <= dueAt)
      }
    }),
    { numRuns: 200 },
  )
})

test('from any moment, the next one and the last one are those of the whole sequence', () => {
  const schedules = fc.constantFrom('0 */5 * * *', 'R/PT7H', '15 9 * * MON-FRI')
  const moments = fc.integer({ min: 0, max: 20 * 96 }).map((quarter) => NOW + quarter * QUARTER)
  fc.assert(
    fc.property(
      schedules,
      anyCalendar,
      fc.constantFrom('skip', 'move'),
      moments,
      (schedule, written, onExcluded, at) => {
        const subject = { schedule, rules: rule(onExcluded, { spreadMs: 600_000 }), written }
        let all: Iteration[]
        try {
          all = firingsOf(subject, NOW + 25 * DAY)
        } catch {
          return
        }
        if (all.length < 2) return
        const { calendars, timer } = made(subject)
        const later = all.slice(1)
        const next = later.find(({ dueAt }) => dueAt >= at)
        if (next !== undefined) assert.equal(nextIteration(timer, at, calendars)?.dueAt, next.dueAt)
        const last = later.findLast(({ dueAt }) => dueAt <= at)
        assert.equal(lastIterationUntil(timer, at, calendars)?.dueAt, last?.dueAt)
      },
    ),
    { numRuns: 400 },
  )
})

test('a firing is looked at again when it comes due, by the calendar as it is then', () => {
  const { timer } = made({ schedule: '0 9 * * *', rules: rule('skip'), written: { ...HOURS, allow: [] } })
  const closed = new Map([
    ['c', new Calendar({ ...HOURS, allow: [], timeZone: 'Europe/Berlin', exclude: ['2027-03-12/2027-03-14'] })],
  ])
  assert.equal(insteadOf(timer, timer.dueAt, new Map()), undefined) // the calendar is gone
  assert.equal(insteadOf(timer, timer.dueAt, closed)?.dueAt, timer.dueAt + 3 * DAY)
  const asked = { ...timer, dueAt: timer.dueAt + 1_000 } // by its receiver
  assert.equal(insteadOf(asked, asked.dueAt, closed), undefined)
  const moved = { ...timer, rules: rule('move') }
  assert.equal(insteadOf(moved, timer.dueAt, closed)?.dueAt, Date.parse('2027-03-14T23:00:00Z'))
  assert.equal(insteadOf(moved, timer.dueAt + 9 * DAY, closed), undefined) // its time has come, too
  const last = { ...timer, rules: rule('skip', { endAt: timer.dueAt + DAY }) }
  assert.equal(insteadOf(last, timer.dueAt, closed), null)
  const once = made({ schedule: '2027-03-12T09:00:00', rules: rule('move'), written: { ...HOURS, allow: [] } }).timer
  assert.equal(insteadOf(once, once.dueAt, closed)?.dueAt, Date.parse('2027-03-14T23:00:00Z'))
})

test('a preview says what a calendar skipped or moved', () => {
  const preview = (schedule: string, onExcluded: CalendarRule['onExcluded']) => {
    const { parsed, calendars } = made({ schedule, rules: rule(onExcluded), written: HOURS })
    return previewFirings(parsed, NOW, { count: 3, calendars }).map(({ dueAt, reasons, passedOver }) => [
      new Date(dueAt).toISOString().slice(8, 16),
      reasons.join(),
      passedOver,
    ])
  }
  assert.deepEqual(preview('0 11 * * *', 'skip'), [['12T10:00', '', 0], ['15T10:00', 'calendar', 2], ['16T10:00', '', 0]]) // oxfmt-ignore
  assert.deepEqual(preview('0 11 * * *', 'move'), [['12T10:00', '', 0], ['15T09:00', 'calendar', 1], ['15T10:00', '', 0]]) // oxfmt-ignore
  assert.deepEqual(preview('2027-03-13T09:00:00', 'move'), [['15T09:00', 'calendar', 0]])
})

test('a search through what is excluded is bounded, and goes on when it comes due', () => {
  const { timer } = made({ schedule: '0 3 * * *', rules: rule('skip'), written: { ...HOURS, allow: [] } })
  const hours = new Map([['c', new Calendar(HOURS)]])
  const far = nextIteration(timer, null, hours)!
  assert.ok(far.dueAt > timer.dueAt + 300 * DAY && !hours.get('c')!.isAllowed(far.nominalAt))
  const further = insteadOf({ ...timer, ...far }, far.dueAt, hours)!
  assert.ok(further.dueAt > far.dueAt + 300 * DAY)
})
