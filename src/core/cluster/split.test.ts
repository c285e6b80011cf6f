import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { timerUuid } from '../timer/ids.ts'
import type { Namespace, TimerId } from '../timer/timer.ts'
import { initialLayout, resized, shardIn, shardsIn, shardsOf } from './layout.ts'
import type { Layout } from './layout.ts'
import {
  announced,
  changedGroup,
  desiredOwners,
  isAllDone,
  isSplitting,
  partsOf,
  placeOf,
  placesOf,
  reshardProgress,
  servedShards,
  splitOf,
  withDone,
} from './split.ts'

const EU = 'eu' as Namespace
const NODES = ['a', 'b', 'c'].map((node) => ({ node, labels: [] }))

/** With the first so many shards split. */
function begun(count: number, times: number, done = 0): Layout {
  const layout = initialLayout(count)
  const next = shardsIn(layout.shared)
    .slice(0, done)
    .reduce(withDone, announced(resized(layout, null, count * times)))
  return { ...layout, next: { ...next, phase: 'splitting' } }
}

const sizes = fc.record({ count: fc.integer({ min: 1, max: 40 }), times: fc.integer({ min: 2, max: 5 }) })
const steps = sizes.chain(({ count, times }) =>
  fc.record({ count: fc.constant(count), times: fc.constant(times), done: fc.integer({ min: 0, max: count }) }),
)
const timers = fc.nat(1_000).map((n) => ({ namespace: EU, uuid: timerUuid(EU, `${n}` as TimerId) }))

test('a shard becomes parts of its own, and a timer moves from a shard to one of its parts', () => {
  fc.assert(
    fc.property(sizes, timers, ({ count, times }, timer) => {
      const layout = begun(count, times)
      const split = splitOf(layout)!
      const parts = shardsIn(split.from).flatMap((shard) => partsOf(split, shard))
      assert.deepEqual(
        parts.toSorted((a, b) => a - b),
        shardsIn(split.to),
      )
      const [source, part] = [shardIn(layout, timer), shardIn(layout.next!, timer)]
      assert.ok(partsOf(split, source).includes(part))
      assert.deepEqual(placesOf(layout, timer), [source, part])
    }),
  )
})

test('at every step a timer is in the hands of one shard that has an owner, and is found where readers look', () => {
  fc.assert(
    fc.property(steps, timers, ({ count, times, done }, timer) => {
      const layout = begun(count, times, done)
      const place = placeOf(layout, timer)
      const owners = desiredOwners(layout, NODES)
      assert.deepEqual(new Set(owners.keys()), new Set(servedShards(layout)))
      assert.ok(owners.has(place) && placesOf(layout, timer).includes(place))
      assert.equal(isSplitting(layout, place), place === shardIn(layout, timer))
      assert.equal(isAllDone(splitOf(layout)!, layout.next!), done === count)
      assert.deepEqual(reshardProgress(layout), { online: true, done, total: count, shards: count * times })
    }),
  )
})

test('before all nodes have heard of it no shard is split', () => {
  const layout = begun(4, 2)
  const early: Layout = { ...layout, next: { ...layout.next!, phase: 'announced' } }
  assert.ok(shardsOf(layout).every((shard) => isSplitting(layout, shard) && !isSplitting(early, shard)))
  assert.equal(placesOf(early, { namespace: EU, uuid: timerUuid(EU, 'x' as TimerId) }).length, 2)
})

test('while nodes run, only a multiple of the shards of one group can be made', () => {
  const layout = initialLayout(8)
  assert.notEqual(changedGroup(layout, resized(layout, null, 16)), null)
  assert.equal(changedGroup(layout, resized(layout, null, 12)), null)
  assert.equal(changedGroup(layout, resized(layout, null, 4)), null)
  assert.equal(changedGroup(layout, resized(layout, EU, 4)), null)
  const own = resized(layout, EU, 4)
  assert.deepEqual(changedGroup(own, resized(own, EU, 8))!.from, own.own.get(EU))
  assert.equal(changedGroup(own, resized(resized(own, EU, 8), null, 16)), null)
})

test('while timers are moved without nodes, nobody owns a shard', () => {
  const layout = begun(4, 2)
  const offline: Layout = { ...layout, next: { ...layout.next!, phase: 'offline' } }
  assert.equal(desiredOwners(offline, NODES).size, 0)
  assert.deepEqual(servedShards(offline), shardsOf(offline))
  assert.equal(splitOf(offline), null)
  assert.equal(reshardProgress(offline)!.online, false)
})
