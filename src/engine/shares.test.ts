import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonText, Namespace, Timer, TimerId } from '../core/timer.ts'
import { sampleTimer } from '../store/sample-timer.ts'
import { Shares } from './shares.ts'

const [a, b, c] = ['a', 'b', 'c'] as [Namespace, Namespace, Namespace]
const timer = (namespace: Namespace, chars = 0): Timer => sampleTimer({ id: 't' as TimerId, namespace, payload: '0'.repeat(chars) as JsonText })

function setup(counts: Partial<Record<string, number>> = {}) {
  const limits = { timersMax: 100, bytesMax: 1_000_000, pageSize: 60 }
  const shares = new Shares(limits)
  const add = (namespace: string, count: number, chars = 0): void => {
    for (let n = 0; n < count; n++) shares.add(timer(namespace as Namespace, chars))
  }
  for (const [namespace, count] of Object.entries(counts)) add(namespace, count!)
  return { shares, add, limits }
}

test('nobody gives way to a timer whose own namespace has as much as any other', () => {
  const { shares } = setup({ a: 50, b: 50 })
  assert.deepEqual([shares.yieldsTo(timer(a)), shares.yieldsTo(timer(b)), shares.yieldsTo(timer(c))], [a, b, a])
})

test('the largest gives way, by its bytes if those weigh more than its timers', () => {
  const { shares, add } = setup({ a: 60, b: 20 })
  assert.equal(shares.yieldsTo(timer(c)), a)
  add('b', 10, 90_000)
  assert.deepEqual([shares.isFull, shares.yieldsTo(timer(c)), shares.yieldsTo(timer(a))], [false, b, b])
})

test('while there is no room for a page somebody is large, however many there are', () => {
  const { shares } = setup({ a: 51 })
  assert.deepEqual([shares.hasRoom, shares.large()], [false, [a]])
  const many = setup(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`n${n}`, 1])))
  assert.deepEqual([many.shares.hasRoom, many.shares.large().length], [false, 51])
  const mixed = setup({ a: 90, b: 2, c: 1 })
  assert.deepEqual([mixed.shares.large(), mixed.shares.isModest(b), mixed.shares.isModest('absent' as Namespace)], [[a], true, true])
})

test('a namespace that has left is not counted among those who share', () => {
  const { shares } = setup({ a: 20, b: 1, c: 1 })
  assert.equal(shares.isModest(a), false)
  shares.remove(timer(b))
  shares.remove(timer(c))
  assert.deepEqual([shares.isModest(a), shares.bytes], [true, 20 * 700])
})

test('a page is as large as the limits allow; with little room, what the namespace is entitled to', () => {
  const { shares, add, limits } = setup({ a: 40 })
  assert.deepEqual([shares.pageSize(null), shares.pageSize(a)], [60, 60])
  add('b', 40)
  assert.deepEqual([shares.pageSize(null), shares.pageSize(a), shares.pageSize(c)], [60, 1, 33])
  limits.pageSize = 10
  assert.deepEqual([shares.pageSize(null), shares.pageSize(c)], [10, 10])
  limits.bytesMax = 8 * 700
  assert.equal(shares.pageSize(null), 2)
})

test('limits that change are felt at once', () => {
  const { shares, limits } = setup({ a: 40 })
  assert.deepEqual([shares.isFull, shares.hasRoom, shares.isModest(a)], [false, true, false])
  limits.timersMax = 40
  assert.deepEqual([shares.isFull, shares.hasRoom], [true, false])
  limits.timersMax = 200
  assert.deepEqual([shares.isFull, shares.hasRoom, shares.isModest(a)], [false, true, true])
})
