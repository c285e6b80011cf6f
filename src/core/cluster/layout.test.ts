import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { timerUuid } from '../timer/ids.ts'
import type { Namespace, TimerId } from '../timer/timer.ts'
import {
  groupsOf,
  initialLayout,
  layoutFault,
  parseLabel,
  pinned,
  resized,
  shardIn,
  shardsIn,
  shardsOf,
} from './layout.ts'
import type { ShardGroups } from './layout.ts'

const names = ['a', 'b', 'c'] as Namespace[]

test('a namespace with shards of its own has its timers there, and nobody else has', () => {
  const groups = resized(initialLayout(64), names[0]!, 4)
  const own = new Set(shardsIn(groups.own.get(names[0]!)!))
  for (const namespace of names)
    for (let n = 0; n < 200; n++) {
      const uuid = timerUuid(namespace, `${n}` as TimerId)
      assert.equal(own.has(shardIn(groups, { namespace, uuid })), namespace === names[0])
    }
})

test('after any number of changes no two groups have a shard in common, and changed groups have new shards', () => {
  const change = fc.record({ namespace: fc.constantFrom(null, ...names), count: fc.integer({ min: 1, max: 300 }) })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      let groups: ShardGroups = initialLayout(64)
      for (const { namespace, count } of changes) {
        const before = groups
        groups = resized(groups, namespace, count)
        const group = namespace === null ? groups.shared : groups.own.get(namespace)!
        assert.equal(group.count, count)
        const old = new Set(shardsOf(before))
        assert.ok(shardsIn(group).every((shard) => !old.has(shard)))
        assert.equal(
          new Set(shardsOf(groups)).size,
          groupsOf(groups).reduce((sum, one) => sum + one.count, 0),
        )
      }
      assert.ok(Math.max(...shardsOf(groups)) < 4_000, 'numbers are used again')
    }),
  )
})

test('a namespace can share again, and its rule is forgotten with its shards', () => {
  const own = pinned(resized(initialLayout(64), names[0]!, 4), names[0]!, { label: 'eu', whenNoneLives: 'wait' })!
  assert.deepEqual(resized(own, names[0]!, 0).own, new Map())
})

test('a rule stays when the number of shards changes', () => {
  const rule = { label: 'eu', whenNoneLives: 'wait' } as const
  const own = pinned(resized(initialLayout(64), names[0]!, 4), names[0]!, rule)!
  const { label, whenNoneLives } = resized(own, names[0]!, 8).own.get(names[0]!)!
  assert.deepEqual({ label, whenNoneLives }, rule)
})

test('a namespace that shares its shards cannot be pinned', () => {
  assert.equal(pinned(initialLayout(64), names[0]!, { label: 'eu', whenNoneLives: 'wait' }), null)
})

test('there can be 4096 shards in all', () => {
  assert.equal(layoutFault(resized(initialLayout(4_000), names[0]!, 96)), null)
  assert.match(layoutFault(resized(initialLayout(4_000), names[0]!, 97))!, /4097 shards in all, and there can be 4096/)
})

test('a label is a word', () => {
  assert.equal(parseLabel('disk=ssd.eu-1'), 'disk=ssd.eu-1')
  for (const text of ['', ' ', 'a b', 'a,b', '-a', 'x'.repeat(64)])
    assert.throws(() => parseLabel(text), /label must be/)
})
