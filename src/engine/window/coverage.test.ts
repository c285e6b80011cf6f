import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastKeyAt } from '../../core/timer/order.ts'
import type { Millis, Namespace, Timer, TimerId } from '../../core/timer/timer.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { Coverage, OTHERS } from './coverage.ts'

const NOW = Date.UTC(2030, 0, 1)
const MINUTE = 60_000
const [flood, calm] = ['flood', 'calm'] as [Namespace, Namespace]

const at = (inMs: Millis, namespace = flood): Timer =>
  sampleTimer({ id: `in ${inMs}` as TimerId, namespace, dueAt: NOW + inMs })
const key = (inMs: Millis) => lastKeyAt(NOW + inMs)

/** Everything up to a minute ahead is in memory. */
function setup() {
  const coverage = new Coverage()
  coverage.extend(coverage.pageOf(OTHERS, NOW), key(MINUTE))
  const covered = (namespace: Namespace): Millis[] =>
    [0, 30_000, MINUTE, 65_000, 90_000].filter((inMs) => coverage.covers(at(inMs, namespace)))
  return { coverage, covered }
}

test('nothing is covered before the first page, and everything after the last', () => {
  const coverage = new Coverage()
  assert.equal(coverage.covers(at(-1e12)), false)
  const page = coverage.pageOf(OTHERS, NOW)
  assert.deepEqual([page.scan.after, page.scan.group, page.scan.except], [null, undefined, undefined])
  coverage.extend(page, null)
  assert.deepEqual([coverage.covers(at(1e12)), coverage.cursorAt(OTHERS)], [true, Infinity])
})

test('a page that was read while its cursor was pulled back is no use', () => {
  const { coverage, covered } = setup()
  const page = coverage.pageOf(OTHERS, NOW)
  coverage.pullBack(key(30_000))
  assert.equal(coverage.extend(page, key(90_000)), false)
  assert.deepEqual(covered(calm), [0, 30_000])
  const again = coverage.pageOf(OTHERS, NOW)
  coverage.pullBack(key(MINUTE))
  assert.equal(coverage.extend(again, key(90_000)), true, 'a cursor that is before the new one already has not moved')
})

test('a page of a separated namespace that was read while it was pulled back, or let go, is no use', () => {
  for (const happens of ['retreats', 'is let go'] as const) {
    const { coverage, covered } = setup()
    coverage.separate(flood, key(30_000))
    const page = coverage.pageOf(flood, NOW)
    if (happens === 'retreats') coverage.separate(flood, key(0))
    else coverage.pullBack(key(0))
    assert.equal(coverage.extend(page, null), false, happens)
    assert.deepEqual(covered(flood), [0])
  }
})

test('a separated namespace stays behind while the others go on, and its own pages reach to the others', () => {
  const { coverage, covered } = setup()
  coverage.separate(flood, key(30_000))
  assert.deepEqual(
    [covered(flood), covered(calm)],
    [
      [0, 30_000],
      [0, 30_000, MINUTE],
    ],
  )
  const others = coverage.pageOf(OTHERS, NOW + MINUTE)
  assert.deepEqual(others.scan, { after: key(MINUTE), until: NOW + MINUTE + 10_000, except: [flood] })
  coverage.extend(others, null)
  assert.deepEqual(
    [covered(flood), covered(calm)],
    [
      [0, 30_000],
      [0, 30_000, MINUTE, 65_000],
    ],
  )
  const own = coverage.pageOf(flood, NOW + MINUTE)
  assert.deepEqual(own.scan, { after: key(30_000), until: NOW + MINUTE + 10_000, group: flood })
  coverage.extend(own, key(MINUTE))
  assert.deepEqual([covered(flood), [...coverage.separated.keys()]], [[0, 30_000, MINUTE], [flood]])
  coverage.extend(coverage.pageOf(flood, NOW + MINUTE), null)
  assert.deepEqual([covered(flood), coverage.separated.size], [covered(calm), 0])
})

test('a separated namespace is let go when its last row is at the cursor of the others, and when that is pulled back to it', () => {
  const { coverage } = setup()
  coverage.separate(flood, key(30_000))
  coverage.extend(coverage.pageOf(flood, NOW), key(MINUTE))
  assert.equal(coverage.separated.size, 0)
  coverage.separate(flood, key(30_000))
  coverage.pullBack(key(45_000))
  assert.equal(coverage.separated.size, 1)
  coverage.pullBack(key(30_000))
  assert.equal(coverage.separated.size, 0)
})

test('parking never claims more than was covered', () => {
  const { coverage, covered } = setup()
  coverage.separate(flood, key(90_000))
  assert.deepEqual(covered(flood), [0, 30_000, MINUTE])
  coverage.separate(flood, key(0))
  coverage.separate(flood, key(30_000))
  coverage.separate(flood)
  assert.deepEqual(covered(flood), [0])
})

test('a namespace that is one too many to be separated takes the others back with it', () => {
  const { coverage, covered } = setup()
  for (let n = 0; n < 1_000; n++) coverage.separate(`n${n}` as Namespace, key(MINUTE))
  coverage.separate(flood, key(30_000))
  assert.deepEqual([coverage.separated.has(flood), covered(flood), covered(calm)], [false, [0, 30_000], [0, 30_000]])
})
