import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from './clock.ts'
import { VirtualClock } from './virtual-clock.ts'
import type { ClockFollower } from './virtual-clock.ts'

/** Has something to do at each of these times, and takes real turns of the event loop for it. */
class Diary implements ClockFollower {
  readonly done: number[] = []
  readonly #clock: VirtualClock
  readonly #times: number[]

  constructor(clock: VirtualClock, times: readonly number[]) {
    this.#clock = clock
    this.#times = [...times]
  }

  get deliveries(): number {
    return this.done.length
  }

  async quiet(): Promise<number> {
    while (this.#times.length > 0 && this.#times[0]! <= this.#clock.now()) {
      this.#times.shift()
      await new Promise((resolve) => setImmediate(resolve))
      this.done.push(this.#clock.now())
    }
    return this.#times[0] ?? Infinity
  }
}

const standing = (startAt: number) => new VirtualClock({ runs: false, startAt })

test('a clock is not moved backwards, by parts of a millisecond, or twice at once', async () => {
  const clock = standing(1_000)
  for (const ms of [-1, 0.5, Number.NaN, Infinity]) await assert.rejects(clock.advance(ms), RangeError)
  const first = clock.advance(10)
  await assert.rejects(clock.advance(10), /being advanced already/)
  await first
  assert.equal(clock.now(), 1_010)
})

test('everything is done in order and at its time, for all who follow the clock', async () => {
  const clock = standing(0)
  const [one, other] = [new Diary(clock, [0, 10, 30, 31]), new Diary(clock, [10, 20, 40])]
  clock.follow(one)
  clock.follow(other)
  assert.deepEqual(await clock.advance(30), { deliveries: 5, isComplete: true })
  assert.deepEqual([one.done, other.done, clock.now()], [[0, 10, 30], [10, 20], 30])
})

test('whoever follows no more is not waited for', async () => {
  const clock = standing(0)
  const diary = new Diary(clock, [10])
  clock.follow(diary)()
  await clock.advance(20)
  assert.deepEqual(diary.done, [])
})

test('after so many stops, or when it is told to, a clock stays where it is', async () => {
  const clock = standing(0)
  const diary = new Diary(clock, [10, 20, 30, 40])
  clock.follow(diary)
  assert.deepEqual(await clock.advance(100, { stopsMax: 2 }), { deliveries: 2, isComplete: false })
  assert.deepEqual([diary.done, clock.now()], [[10, 20], 20])
  const stop = new AbortController()
  assert.equal((await clock.advance(100, { signal: stop.signal, onStop: () => stop.abort() })).isComplete, false)
  assert.deepEqual([diary.done, clock.now()], [[10, 20, 30], 30])
  assert.equal((await clock.advance(100)).isComplete, true)
  assert.deepEqual([diary.done.at(-1), clock.now()], [40, 130])
})

test('a clock that runs stands still while it is advanced, and then runs on from there', async () => {
  const clock = new VirtualClock({ runs: true })
  const before = systemClock.now()
  const diary = new Diary(clock, [before + 60_000])
  clock.follow(diary)
  await clock.advance(3_600_000)
  assert.deepEqual(diary.done, [before + 60_000])
  assert.ok(clock.now() >= before + 3_600_000)
  assert.ok(Math.abs(clock.aheadMs - (clock.now() - systemClock.now())) <= 1)
})
