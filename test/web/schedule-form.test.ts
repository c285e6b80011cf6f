// What people pick in the form, as the service understands it, and what a schedule is called.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { durationText, scheduleWords } from '../../web/src/format/schedules.ts'
import { emptyForm, readForm } from '../../web/src/schedule/schedule-form.ts'
import type { ScheduleForm } from '../../web/src/schedule/schedule-form.ts'
import { filterOf, readMetadataFilter, readView } from '../../web/src/pages/timers/view.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')

function read(changes: Partial<ScheduleForm>) {
  const reading = readForm({ ...emptyForm(NOW), zone: 'Europe/Berlin', ...changes })
  return reading.ok ? reading.timing : reading.message
}

test('amounts that are none are refused before the service is asked', () => {
  for (const value of ['', '0', '-1', '1.5', '1e3', 'ten', ' '])
    assert.equal(durationText({ value, unit: 'hour' }), null, value)
  assert.equal(read({ mode: 'cycle', times: '0' }), 'Times: 1 to 1000, or empty for ever')
  assert.equal(read({ mode: 'at', at: '' }), 'Choose a date and time')
  assert.equal(read({ mode: 'text', text: ' ' }), 'Type cron, an instant, a duration, a cycle or a rule')
})

test('a form becomes the fields of a request', () => {
  assert.deepEqual(read({ mode: 'after', after: { value: '1.25', unit: 'second' } }), { schedule: 'PT1.25S' })
  assert.deepEqual(read({ mode: 'after', after: { value: '3', unit: 'month' } }), {
    schedule: 'P3M',
    timeZone: 'Europe/Berlin',
  })
  assert.deepEqual(read({ mode: 'cycle', every: { value: '10', unit: 'minute' }, times: '3' }), {
    schedule: 'R3/PT10M',
  })
  assert.deepEqual(read({ mode: 'cycle', every: { value: '1', unit: 'day' }, start: '2030-02-01T09:00:00Z' }), {
    schedule: 'R/2030-02-01T09:00:00.000Z/P1D',
    timeZone: 'Europe/Berlin',
  })
  assert.deepEqual(read({ mode: 'text', text: '2030-02-01T09:00:00Z' }), { schedule: '2030-02-01T09:00:00Z' })
})

test('schedules are told in words', () => {
  const told = ['PT10M', 'R/PT1H', 'R3/PT1H30M', 'R1/2030-01-01T00:00:00Z/P1M', '2030-01-01T00:00:00Z', 'R/odd'].map(
    scheduleWords,
  )
  assert.deepEqual(told, [
    '10 minutes after creation',
    'every hour',
    'every 1 hour 30 minutes, 3 times',
    'every month, 1 time',
    'once',
    'every odd',
  ])
})

test('a metadata filter takes text, numbers and booleans for what they are', () => {
  const asked = (text: string) => Object.values(readMetadataFilter(text))
  assert.deepEqual(['', 'team', 'team=a=b', 'n=42', 'n="42"', 'on=true', 'x='].map(asked), [
    [],
    ['team'],
    ['team', 'a=b'],
    ['n', 42],
    ['n', '42'],
    ['on', true],
    ['x'],
  ])
})

test('a URL that somebody mangled still shows the list', () => {
  const view = readView(new URLSearchParams('status=failed,nonsense&page=-3&size=7&due=never&from=x&sort=evil'))
  assert.deepEqual(
    [view.statuses, view.page, view.size, view.due, view.from, view.sort, view.order],
    [['failed'], 1, 50, null, null, 'createdAt', 'desc'],
  )
  assert.deepEqual(filterOf(view, NOW), { namespace: '*', status: ['failed'] })
  const searching = readView(new URLSearchParams('q=a&due=hour&meta=b'))
  assert.deepEqual(filterOf(searching, NOW), { namespace: '*', search: 'a' })
})
