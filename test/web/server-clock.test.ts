// The service's clock as the page knows it from answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServerClock } from '../../web/src/api/server-clock.ts'

const VIEWER = Date.parse('2030-01-01T00:00:00.000Z')
const iso = (at: number) => new Date(at).toISOString()
const http = (at: number) => new Date(at).toUTCString()

function setup() {
  const viewer = { now: VIEWER }
  const clock = new ServerClock(() => viewer.now)
  return { viewer, clock, offset: () => clock.now() - viewer.now }
}

test('as long as nothing is known the viewer’s clock will do, whatever nonsense a proxy sends', () => {
  const { clock, offset } = setup()
  clock.noteDate(null, { sentAt: VIEWER, arrivedAt: VIEWER })
  clock.noteDate('yesterday', { sentAt: VIEWER, arrivedAt: VIEWER })
  assert.equal(offset(), 0)
})

test('a Date header tells the clock to the second, an answer to the millisecond, and the header does not spoil it', () => {
  const { clock, offset } = setup()
  clock.noteDate(http(VIEWER + 60_000), { sentAt: VIEWER, arrivedAt: VIEWER + 20 })
  assert.equal(offset(), 60_490)
  clock.note(iso(VIEWER + 60_210), { sentAt: VIEWER, arrivedAt: VIEWER + 20 })
  assert.equal(offset(), 60_200)
  clock.noteDate(http(VIEWER + 60_000), { sentAt: VIEWER, arrivedAt: VIEWER + 20 })
  assert.equal(offset(), 60_200)
  clock.note(iso(VIEWER + 60_400), { sentAt: VIEWER, arrivedAt: VIEWER + 400 })
  assert.equal(offset(), 60_200, 'an answer that took long says less')
})

test('a clock that was set is believed again', () => {
  const { clock, offset } = setup()
  clock.note(iso(VIEWER), { sentAt: VIEWER, arrivedAt: VIEWER + 2 })
  clock.noteDate(http(VIEWER - 3_600_000), { sentAt: VIEWER, arrivedAt: VIEWER + 20 })
  assert.equal(Math.round(offset() / 60_000), -60)
})

test('an answer that carries its time is taken for the middle of the exchange', async () => {
  let viewers = 1_000_000
  const clock = new ServerClock(() => viewers)
  const answer = await clock.learnFrom(async () => {
    viewers += 400
    return { now: new Date(2_000_200).toISOString() }
  })
  assert.equal(answer.now, new Date(2_000_200).toISOString())
  assert.equal(clock.now(), 2_000_400)
})
