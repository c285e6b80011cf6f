import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Namespace } from '../core/timer/timer.ts'
import { CounterSums } from './counter-sums.ts'

const counter = (name: string, amount: number, { namespace = 'a', slotAt = 0 } = {}) => ({
  namespace: namespace as Namespace,
  slotAt,
  name,
  amount,
})

test('counters of one namespace, slot and name are added up, and others stay apart', () => {
  const sums = new CounterSums()
  const places = [
    counter('created', 1),
    counter('created', 2),
    counter('created', 4, { namespace: 'b' }),
    counter('created', 8, { slotAt: 60_000 }),
    counter('failed', 16),
    counter('created', 32),
  ].map((one) => sums.add(one))
  assert.deepEqual(places, [0, 0, 1, 2, 3, 0])
  assert.deepEqual(
    sums.all().map(({ amount }) => amount),
    [35, 4, 8, 16],
  )
})

test('what comes to nothing keeps its place, but is not counted', () => {
  const sums = new CounterSums()
  for (const amount of [1, -1]) sums.add(counter('pending', amount))
  sums.add(counter('created', 1))
  assert.deepEqual(sums.counters(), [counter('created', 1)])
  assert.equal(sums.all().length, 2)
})

test('many counters are told apart like few', () => {
  const sums = new CounterSums()
  for (let round = 0; round < 2; round++)
    for (let n = 0; n < 100; n++) {
      const place = sums.add(counter(`wake:${n % 50}`, 1, { namespace: n < 50 ? 'a' : 'b' }))
      assert.equal(place, n)
    }
  assert.ok(sums.counters().every(({ amount }) => amount === 2))
})
