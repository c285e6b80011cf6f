import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../runtime/clock/manual-clock.ts'
import { StartPace } from './start-pace.ts'

function setup(): { clock: ManualClock; pace: StartPace; most: () => number } {
  const clock = new ManualClock()
  const pace = new StartPace(clock)
  pace.stored()
  /** How many outcomes may wait, by asking. */
  const most = (): number => {
    pace.newTurn()
    let waiting = 0
    while (pace.mayStart(waiting) === 'yes') waiting++
    return waiting
  }
  return { clock, pace, most }
}

test('a burst begins with few outcomes that wait for the store, and has more with those that became durable', () => {
  const { pace, most } = setup()
  const first = most()
  for (let n = 0; n < 800; n++) pace.stored()
  assert.equal(most(), first + 100)
  pace.idle()
  assert.ok(most() <= first)
})

test('a store that pauses does not hold up timers that come due one after the other', async () => {
  const { clock, most } = setup()
  const first = most()
  await clock.advance(100)
  assert.equal(most(), first + 100)
})

test('of many that could start at once, some start in each turn of the event loop', () => {
  const { pace } = setup()
  for (let n = 0; n < 10_000; n++) pace.stored()
  let started = 0
  for (; pace.mayStart(0) === 'yes'; started++) pace.started()
  assert.equal(pace.mayStart(0), 'later')
  assert.ok(started >= 32 && started <= 1_000, `${started} in one turn`)
  pace.newTurn()
  assert.equal(pace.mayStart(0), 'yes')
})

test('those that start one by one never wait for another turn', async () => {
  const { clock, pace } = setup()
  for (let n = 0; n < 1_000; n++) {
    assert.equal(pace.mayStart(0), 'yes')
    pace.started()
    await clock.advance(1)
  }
})
