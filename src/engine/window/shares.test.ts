import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonText, Namespace, Timer, TimerId } from '../../core/timer/timer.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { Shares } from './shares.ts'

const [a, b, c] = ['a', 'b', 'c'] as [Namespace, Namespace, Namespace]
const timer = (namespace: Namespace, chars = 0): Timer =>
  sampleTimer({ id: 't' as TimerId, namespace, payload: '0'.repeat(chars) as JsonText })

/** Backlogs of so many timers. */
function setup(backlogs: Partial<Record<string, number>> = {}) {
  const limits = { timersMax: 100, bytesMax: 1_000_000, pageSize: 60 }
  const shares = new Shares(limits)
  const wait = (namespace: string, count: number, chars = 0): void => {
    for (let n = 0; n < count; n++) shares.add(timer(namespace as Namespace, chars))
  }
  const add = (namespace: string, count: number, chars = 0): void => {
    wait(namespace, count, chars)
    for (let n = 0; n < count; n++) shares.addBacklog(timer(namespace as Namespace, chars))
  }
  const deliver = (namespace: string, count: number, chars = 0): void => {
    wait(namespace, count, chars)
    for (let n = 0; n < count; n++) shares.addInFlight(timer(namespace as Namespace, chars))
  }
  for (const [namespace, count] of Object.entries(backlogs)) add(namespace, count!)
  return { shares, add, wait, deliver, limits }
}

test('timers that wait for their time are nobody’s backlog, and nobody gives way for being large', () => {
  const { shares, wait } = setup()
  wait('a', 100)
  assert.deepEqual([shares.isFull, shares.large(), shares.yieldsTo(timer(b)), shares.isLow(a)], [true, [], null, true])
})

test('nobody gives way to a timer whose own namespace has as much as any other', () => {
  const { shares } = setup({ a: 50, b: 50 })
  assert.deepEqual([shares.yieldsTo(timer(a)), shares.yieldsTo(timer(b)), shares.yieldsTo(timer(c))], [a, b, b])
})

test('the largest gives way, by its bytes if those weigh more than its timers', () => {
  const { shares, add } = setup({ a: 60, b: 20 })
  assert.equal(shares.yieldsTo(timer(c)), a)
  add('b', 10, 90_000)
  assert.deepEqual([shares.isFull, shares.yieldsTo(timer(c)), shares.yieldsTo(timer(a))], [false, b, b])
})

test('a backlog gives way down to half of what it is entitled to, and gets its next page at a quarter', () => {
  const isLow = (count: number): boolean => setup({ a: count }).shares.isLow(a)
  assert.deepEqual([setup({ a: 26 }).shares.large(), setup({ a: 25 }).shares.large()], [[a], []])
  assert.deepEqual([isLow(13), isLow(12), setup().shares.isLow(a)], [false, true, true])
  const many = setup(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`n${n}`, 1])))
  assert.deepEqual(
    [many.shares.isFull, many.shares.large().length],
    [true, 100],
    'while backlogs fill the window somebody is large',
  )
})

test('the last one of a backlog gives way only while deliveries are under way, and the next page waits for the end of one', () => {
  const { shares, deliver } = setup({ a: 1 })
  assert.equal(shares.spend(a), false)
  deliver('a', 2)
  assert.deepEqual([shares.spend(a), shares.isLow(a)], [true, false])
  shares.removeInFlight(timer(a))
  assert.equal(shares.isLow(a), true)
})

test('deliveries under way take up room, but never more than half of it', () => {
  const { shares, deliver, wait } = setup()
  deliver('a', 40)
  wait('b', 59)
  assert.equal(shares.isFull, false)
  wait('b', 1)
  assert.equal(shares.isFull, true)
  deliver('a', 400, 100_000)
  assert.equal(shares.isFull, true)
  for (let n = 0; n < 11; n++) shares.remove(timer(b))
  assert.deepEqual([shares.isFull, shares.hasRoom], [false, false])
})

test('a namespace that has left is not counted among those who share', () => {
  const { shares } = setup({ a: 20, b: 1, c: 1 })
  assert.deepEqual(shares.large(), [a])
  for (const gone of [timer(b), timer(c)]) {
    shares.removeBacklog(gone)
    shares.remove(gone)
  }
  assert.deepEqual([shares.large(), shares.bytes], [[], 20 * 700])
})

test('a page is as large as the limits allow; with little room, what can get in or what the namespace is entitled to', () => {
  const { shares, wait, add, limits } = setup()
  wait('a', 40)
  assert.deepEqual([shares.pageSize(null), shares.pageSize(a)], [60, 60])
  wait('b', 40)
  assert.deepEqual([shares.pageSize(null), shares.pageSize(a)], [20, 60])
  add('b', 10)
  assert.deepEqual([shares.pageSize(null), shares.pageSize(b), shares.pageSize(c)], [10, 40, 50])
  add('b', 20)
  assert.equal(shares.pageSize(null), 60, 'others can give way')
  limits.pageSize = 10
  assert.deepEqual([shares.pageSize(null), shares.pageSize(c)], [10, 10])
  limits.bytesMax = 8 * 700
  assert.equal(shares.pageSize(null), 2)
})

test('limits that change are felt at once', () => {
  const { shares, limits } = setup({ a: 40 })
  assert.deepEqual([shares.isFull, shares.hasRoom, shares.large()], [false, true, [a]])
  limits.timersMax = 40
  assert.deepEqual([shares.isFull, shares.hasRoom], [true, false])
  limits.timersMax = 200
  assert.deepEqual([shares.isFull, shares.hasRoom, shares.large()], [false, true, []])
})
