import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysOfICalendar } from './icalendar.ts'

const file = (...events: readonly string[][]): string =>
  ['BEGIN:VCALENDAR', ...events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']), 'END:VCALENDAR'].join(
    '\r\n',
  )

test('what is not iCalendar, has no event, has a time or repeats in another way is refused', () => {
  assert.throws(() => daysOfICalendar('2026-12-25'), /not iCalendar/)
  assert.throws(() => daysOfICalendar(file()), /no event/)
  assert.throws(
    () => daysOfICalendar(file(['SUMMARY:Lunch', 'DTSTART:20261225T120000Z'])),
    /"Lunch" is not an all-day event/,
  )
  const monthly = ['SUMMARY:Cleaning', 'DTSTART;VALUE=DATE:20261225', 'RRULE:FREQ=MONTHLY']
  assert.throws(() => daysOfICalendar(file(monthly)), /"Cleaning" repeats by the rule FREQ=MONTHLY/)
})

test('all-day events are days, ranges of days, and days of every year', () => {
  const events = [
    ['SUMMARY:Christmas', 'DTSTART;VALUE=DATE:20261225', 'DTEND;VALUE=DATE:20261226', 'RRULE:FREQ=YEARLY'],
    ['DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20270102', 'SUMMARY:Closed\r\n , as every year'],
    ['DTSTART;VALUE=DATE:20270503'],
    ['DTSTART;VALUE=DATE:20270503'],
  ]
  assert.deepEqual(daysOfICalendar(file(...events)), ['--12-25', '2026-12-24/2027-01-01', '2027-05-03'])
})
