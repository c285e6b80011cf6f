import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TallySums, Upcoming, UpcomingQuery } from '../../store/store.ts'
import { DAY_MS, forecastOf, HOUR_MS } from './forecast.ts'

const NOW = Date.UTC(2030, 0, 1, 12, 0, 30)
const STEP = 60_000
const FIRST = Math.floor(NOW / STEP)

type Others = { readonly complete?: boolean; readonly tallies?: Readonly<Record<string, number>> }

function storeWith(counts: Readonly<Record<number, number>>, { complete = true, tallies = {} }: Others = {}) {
  const sums = Object.entries(tallies).map(([name, amount]) => ({ name, amount }))
  const asked: UpcomingQuery[] = []
  return {
    asked,
    upcoming: async (query: UpcomingQuery): Promise<Upcoming> => {
      asked.push(query)
      return {
        steps: Object.entries(counts).map(([index, count]) => ({ step: FIRST + Number(index), count })),
        complete,
      }
    },
    tallies: async (): Promise<TallySums> => ({ sums, firstSlotAt: null }),
  }
}

test('what is due already is told apart, and what lies behind the last step is not asked for', async () => {
  const store = storeWith({ [-3]: 2, 0: 1, 1: 5 })
  const forecast = await forecastOf(store, { stepMs: STEP, steps: 3 }, NOW)
  assert.deepEqual(
    forecast.steps.map(({ at, count }) => [at - FIRST * STEP, count]),
    [
      [0, 1],
      [STEP, 5],
      [2 * STEP, 0],
    ],
  )
  assert.deepEqual([forecast.overdue, forecast.total, forecast.peak], [2, 6, { at: (FIRST + 1) * STEP, count: 5 }])
  assert.deepEqual(store.asked, [{ stepMs: STEP, until: (FIRST + 3) * STEP - 1 }])
})

test('nothing due has no peak, and a store that stopped counting says so', async () => {
  const { peak, complete } = await forecastOf(storeWith({}, { complete: false }), { stepMs: STEP, steps: 2 }, NOW)
  assert.deepEqual([peak, complete], [null, false])
})

test('hot is what is many, and many more than usual', async () => {
  const hot = async (counts: Readonly<Record<number, number>>) => {
    return (await forecastOf(storeWith(counts), { stepMs: STEP, steps: 4 }, NOW)).steps.map((step) => step.hot)
  }
  assert.deepEqual(await hot({ 1: 9 }), [false, false, false, false])
  assert.deepEqual(await hot({ 1: 10 }), [false, true, false, false])
  assert.deepEqual(await hot({ 0: 100, 1: 100, 2: 100, 3: 200 }), [false, false, false, false])
})

test('days are added up from tallies, however many timers there are', async () => {
  const [day, hour] = [Math.floor(NOW / DAY_MS), Math.floor(NOW / HOUR_MS)]
  const hours = { [`wake.h.${hour}`]: 2, [`wake.h.${hour + 12}`]: 5 }
  const tallies = { ...hours, [`wake.d.${day - 1}`]: 4, [`wake.d.${day + 1}`]: 1_000_000, 'interval.PT1M': 9 }
  const store = storeWith({}, { tallies })
  const { steps, overdue, complete } = await forecastOf(store, { stepMs: DAY_MS, steps: 3 }, NOW)
  assert.deepEqual(
    steps.map(({ count }) => count),
    [2, 1_000_005, 0],
  )
  assert.deepEqual([overdue, complete, store.asked], [4, true, []])
})

test('hours with too many timers to count are estimated from tallies, and say so', async () => {
  const [day, hour] = [Math.floor(NOW / DAY_MS), Math.floor(NOW / HOUR_MS)]
  const store = storeWith({ 0: 1 }, { complete: false, tallies: { [`wake.h.${hour + 1}`]: 7, [`wake.d.${day}`]: 240 } })
  const { steps, complete } = await forecastOf(store, { stepMs: HOUR_MS, steps: 2 }, NOW)
  assert.deepEqual([steps.map(({ count }) => count), complete], [[10, 17], false])
})
