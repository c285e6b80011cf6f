import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareKeys } from '../../core/timer/order.ts'
import { NEVER } from '../../core/timer/timer.ts'
import type { Millis, TimerUuid } from '../../core/timer/timer.ts'
import { WHEEL_LEVELS, wheelPosition } from '../../core/statistics/wheel-levels.ts'
import { TimingWheel } from './timing-wheel.ts'
import type { WheelItem } from './timing-wheel.ts'

const NOW = Date.UTC(2026, 0, 31, 10, 20, 30, 456)
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

let serial = 0
/** Its uuid is not in the order of making. */
function item(wakeAt: Millis): WheelItem {
  const uuid = ((serial++ * 7_919) % 65_536).toString(16).padStart(32, '0') as TimerUuid
  return { wakeAt, uuid, slot: null }
}

function wheelWith(times: readonly Millis[], now = NOW): { wheel: TimingWheel<WheelItem>; items: WheelItem[] } {
  const wheel = new TimingWheel<WheelItem>(now)
  const items = times.map(item)
  for (const each of items) wheel.add(each)
  return { wheel, items }
}

/** Goes where the wheel says, as the driver does, until it has nothing left; how often it was woken. */
function drain(wheel: TimingWheel<WheelItem>, taken: WheelItem[]): number {
  let wakes = 0
  for (let at = wheel.nextAt(); at !== Infinity; at = wheel.nextAt()) {
    wakes++
    for (const due of wheel.takeDue(at, 1_000)) {
      assert.equal(due.wakeAt, at, 'woken at another time than its own')
      taken.push(due)
    }
  }
  return wakes
}

test('an empty wheel never wants to be woken, and jumps any distance', () => {
  const { wheel } = wheelWith([])
  assert.equal(wheel.nextAt(), Infinity)
  assert.deepEqual(wheel.takeDue(NOW + 500 * YEAR, 10), [])
  assert.deepEqual([wheel.size, wheel.nextAt()], [0, Infinity])
})

test('nothing comes out a millisecond early, at any distance', () => {
  const distances = [
    0,
    1,
    543,
    544,
    SECOND,
    MINUTE,
    HOUR,
    DAY,
    2 ** 31 - 1,
    2 ** 31,
    25 * DAY,
    YEAR,
    100 * YEAR,
    101 * YEAR,
    500 * YEAR,
  ]
  for (const distance of distances) {
    const { wheel } = wheelWith([NOW + distance])
    assert.equal(wheel.takeDue(NOW + distance - 1, 1).length, 0, `${distance} ms`)
    assert.equal(wheel.takeDue(NOW + distance, 1).length, 1, `${distance} ms`)
  }
})

test('an overdue timer comes out at once, and its wake time says how overdue it is', () => {
  for (const wakeAt of [NOW - 1, NOW - 5 * DAY, -62_167_219_200_000]) {
    const { wheel } = wheelWith([wakeAt])
    assert.equal(wheel.nextAt(), wakeAt)
    assert.equal(wheel.takeDue(NOW, 1).length, 1)
  }
})

test('a timer that is removed does not come out, wherever it was', () => {
  const { wheel, items } = wheelWith([NOW, NOW + 100, NOW + MINUTE, NOW + HOUR, NOW + 200 * YEAR, NEVER])
  for (const each of items) wheel.remove(each)
  for (const each of items) wheel.remove(each)
  assert.deepEqual([wheel.size, wheel.nextAt(), wheel.levelCounts()], [0, Infinity, [0, 0, 0, 0, 0]])
  assert.deepEqual(wheel.takeDue(NEVER, 10), [])
})

test('a timer that was taken out may be added again', () => {
  const { wheel } = wheelWith([NOW])
  const [taken] = wheel.takeDue(NOW, 1)
  wheel.add(taken!)
  assert.deepEqual([wheel.size, wheel.takeDue(NOW, 5)], [1, [taken]])
})

test('no more than asked for are taken, and the rest comes next', () => {
  const { wheel } = wheelWith([NOW, NOW, NOW])
  assert.deepEqual([wheel.takeDue(NOW, 2).length, wheel.nextAt(), wheel.takeDue(NOW, 2).length], [2, NOW, 1])
})

test('a clock that is set back makes nothing early, and loses nothing that is added meanwhile', () => {
  const { wheel } = wheelWith([NOW + 10 * MINUTE, NOW + 2 * HOUR])
  assert.deepEqual(wheel.takeDue(NOW + 5 * MINUTE, 5), [])
  wheel.add(item(NOW + SECOND))
  assert.deepEqual(wheel.takeDue(NOW, 5), [])
  assert.equal(wheel.nextAt(), NOW + SECOND)
  const taken: WheelItem[] = []
  drain(wheel, taken)
  assert.deepEqual(
    taken.map(({ wakeAt }) => wakeAt - NOW),
    [SECOND, 10 * MINUTE, 2 * HOUR],
  )
})

test('a level holds what lies within its reach, its end included', () => {
  const start = 0 // a whole number of slots on every level
  const reaches = [60 * SECOND, 60 * MINUTE, 24 * HOUR, 365 * DAY, 100 * YEAR]
  for (const [level, reach] of reaches.entries()) {
    assert.equal(wheelWith([start + reach], start).wheel.levelCounts()[level], 1, `${level} up to its end`)
    assert.equal(
      wheelWith([start + reach + SECOND], start).wheel.levelCounts()[Math.min(level + 1, 4)],
      1,
      `${level} beyond its end`,
    )
  }
  assert.deepEqual(wheelWith([start], start).wheel.levelCounts(), [1, 0, 0, 0, 0])
})

test('a wheel that waits for a hundred years is woken a few times, not every second', () => {
  for (const distance of [25 * DAY, YEAR - 1, 100 * YEAR - 1, 100 * YEAR + DAY, 1_000 * YEAR + 12_345]) {
    const taken: WheelItem[] = []
    const wakes = drain(wheelWith([NOW + distance]).wheel, taken)
    assert.equal(taken.length, 1)
    assert.ok(wakes <= 6 + distance / (100 * YEAR), `${wakes} wakes for ${distance / DAY} days`)
  }
})

const distances = fc.oneof(
  fc.integer({ min: -3 * SECOND, max: 3 * SECOND }),
  fc.integer({ min: 0, max: 3 * MINUTE }),
  fc.integer({ min: 0, max: 3 * HOUR }),
  fc.integer({ min: 0, max: 60 * DAY }),
  fc.integer({ min: 0, max: 300 * YEAR }),
  // The edges of slots and levels, and of 32-bit waits.
  fc
    .tuple(
      fc.constantFrom(SECOND, MINUTE, HOUR, DAY, YEAR),
      fc.constantFrom(1, 2, 23, 24, 59, 60, 61, 100, 364, 365, 366),
    )
    .map(([unit, n]) => unit * n),
  fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2_142_720_000),
)
const steps = fc.record({
  type: fc.constantFrom('add', 'add', 'add', 'advance', 'stepBack', 'remove', 'next', 'next', 'putBack'),
  ms: distances,
  pick: fc.nat(),
})

test('against a sorted list: never early, never lost, in the order of their times, over jumps and steps of the clock', () => {
  let taken = 0
  fc.assert(
    fc.property(fc.array(steps, { minLength: 30, maxLength: 80 }), (sequence) => {
      const wheel = new TimingWheel<WheelItem>(NOW)
      let held: WheelItem[] = []
      let lastTaken: WheelItem[] = []
      let now = NOW
      const takeAll = (limit: number): void => {
        const expected = held.filter(({ wakeAt }) => wakeAt <= now).slice(0, limit)
        lastTaken = wheel.takeDue(now, limit)
        assert.deepEqual(times(lastTaken), times(expected))
        assert.ok(lastTaken.every((each) => held.includes(each)))
        held = held.filter((each) => !lastTaken.includes(each))
        taken += lastTaken.length
      }
      const add = (each: WheelItem): void => {
        wheel.add(each)
        held = [...held, each].toSorted(compareKeys)
      }
      for (const { type, ms, pick } of sequence) {
        if (type === 'add') add(item(now + ms))
        else if (type === 'advance') {
          now += Math.max(ms, 0)
          takeAll(1 + (pick % 5))
        } else if (type === 'stepBack') {
          now -= Math.abs(ms)
          takeAll(10)
        } else if (type === 'next') {
          const at = wheel.nextAt()
          if (at !== Infinity) now = at
          takeAll(1_000)
        } else if (type === 'putBack') {
          const again = lastTaken.pop()
          if (again !== undefined) add(again)
        } else if (type === 'remove' && held.length > 0) {
          const [gone] = held.splice(pick % held.length, 1)
          wheel.remove(gone!)
        }
        assert.equal(wheel.size, held.length)
        assert.equal(
          wheel.levelCounts().reduce((sum, count) => sum + count, 0),
          held.length,
        )
        assert.ok(wheel.levelCounts().every((count) => count >= 0))
        assert.ok(wheel.nextAt() <= (held[0]?.wakeAt ?? Infinity), 'woken later than the first is due')
      }
      const rest: WheelItem[] = []
      const wakes = drain(wheel, rest)
      assert.deepEqual(times(rest), times(held))
      assert.deepEqual(new Set(rest), new Set(held))
      assert.ok(wakes <= 10 * (rest.length + 1), `${wakes} wakes for ${rest.length} timers`)
    }),
    { numRuns: 300 },
  )
  assert.ok(taken > 300, `only ${taken} were taken`)
})

const times = (items: readonly WheelItem[]): Millis[] => items.map(({ wakeAt }) => wakeAt)

test('a timer is put on the level that wheelPosition tells, wherever it lies', () => {
  const delay = fc.oneof(
    fc.integer({ min: 0, max: 2 * HOUR }),
    fc.integer({ min: -DAY, max: 3 * DAY }),
    fc.integer({ min: 0, max: 120 * YEAR }),
  )
  const border = fc
    .constantFrom(...WHEEL_LEVELS.map(({ slots, slotMs }) => slots * slotMs))
    .chain((reach) => fc.integer({ min: reach - 2_000, max: reach + 2_000 }))
  fc.assert(
    fc.property(fc.nat({ max: 5 * DAY }), fc.oneof(delay, border), (later, delayMs) => {
      const now = NOW + later
      const { wheel } = wheelWith([now + delayMs], now)
      assert.equal(wheel.levelCounts().indexOf(1), wheelPosition(now + delayMs, now).level)
    }),
  )
})
