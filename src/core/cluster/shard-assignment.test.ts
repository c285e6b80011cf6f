import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Namespace } from '../timer/timer.ts'
import { initialLayout, NO_RULE, pinned, resized, shardsIn, shardsOf } from './layout.ts'
import type { ShardGroup, ShardGroups, WhenNoneLives } from './layout.ts'
import { assignShards } from './shard-assignment.ts'
import type { LabelledNode } from './shard-assignment.ts'

const nodeNames = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 12 })
const EU = 'eu' as Namespace

/** The owners of the shards of one group that nobody is pinned to. */
function ownersOf(shards: number, names: readonly string[]): string[] {
  return [...assignShards(initialLayout(shards), names.map(unlabelled)).values()]
}

function unlabelled(node: string): LabelledNode {
  return { node, labels: [] }
}

function loadsOf(owners: readonly string[], nodes: readonly string[]): number[] {
  return nodes.map((node) => owners.filter((owner) => owner === node).length)
}

/** 64 shared shards, and 8 of a namespace for nodes with its label. */
function withPinned(whenNoneLives: WhenNoneLives): ShardGroups & { readonly eu: ShardGroup } {
  const groups = pinned(resized(initialLayout(64), EU, 8), EU, { label: 'eu', whenNoneLives })!
  return { ...groups, eu: groups.own.get(EU)! }
}

test('without nodes nothing is assigned', () => {
  assert.deepEqual(ownersOf(64, []), [])
})

test('no node has more than one shard above another, and every shard has an owner', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), nodeNames, (shards, nodes) => {
      const owners = ownersOf(shards, nodes)
      assert.equal(owners.length, shards)
      const loads = loadsOf(owners, nodes)
      assert.ok(Math.max(...loads) - Math.min(...loads) <= 1, loads.join(', '))
    }),
  )
})

test('every node computes the same, in whatever order it knows the others', () => {
  fc.assert(
    fc.property(nodeNames, (nodes) => {
      assert.deepEqual(ownersOf(64, nodes), ownersOf(64, nodes.toReversed()))
    }),
  )
})

test('a node that joins takes little more than its share from the others', () => {
  const before = ownersOf(256, ['a', 'b', 'c'])
  const after = ownersOf(256, ['a', 'b', 'c', 'd'])
  const moved = before.filter((owner, shard) => owner !== after[shard]).length
  assert.ok(moved <= 2 * (256 / 4), `${moved} of 256 shards moved`)
})

test('the shards of a pinned namespace are owned by nodes with its label, and by all others as much in all', () => {
  const { eu, ...groups } = withPinned('wait')
  const owners = assignShards(groups, [unlabelled('a'), { node: 'b', labels: ['ssd', 'eu'] }, unlabelled('c')])
  assert.deepEqual([...new Set(shardsIn(eu).map((shard) => owners.get(shard)))], ['b'])
  assert.deepEqual(loadsOf([...owners.values()], ['a', 'b', 'c']), [24, 24, 24])
})

test('while no node with the label lives the shards wait, or others have them', () => {
  const nodes = ['a', 'c'].map(unlabelled)
  const waiting = withPinned('wait')
  const owners = assignShards(waiting, nodes)
  assert.ok(shardsIn(waiting.eu).every((shard) => !owners.has(shard)))
  assert.equal(owners.size, 64)
  assert.equal(assignShards(withPinned('others'), nodes).size, 72)
})

test('where those that share are pinned, too, a node can be for one namespace alone', () => {
  const { eu, ...groups } = withPinned('wait')
  const rest = pinned(groups, null, { label: 'general', whenNoneLives: 'others' })!
  const owners = assignShards(rest, [
    { node: 'a', labels: ['general'] },
    { node: 'b', labels: ['eu'] },
  ])
  assert.deepEqual(loadsOf([...owners.values()], ['a', 'b']), [64, eu.count])
})

test('whatever the rules are, every shard has an owner that it may have or none, and loads that can be even are', () => {
  const labels = fc.subarray(['x', 'y', 'z'])
  const node = fc.record({ node: fc.string({ minLength: 1 }), labels })
  const rule = fc.record({
    count: fc.integer({ min: 1, max: 40 }),
    label: fc.constantFrom(null, 'x', 'y', 'z'),
    whenNoneLives: fc.constantFrom<WhenNoneLives>('wait', 'others'),
  })
  const nodesArbitrary = fc.uniqueArray(node, { selector: (one) => one.node, minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(nodesArbitrary, fc.array(rule, { minLength: 1, maxLength: 5 }), (nodes, rules) => {
      const [shared, ...own] = groupsBy(rules)
      const groups = { shared: shared!, own: new Map(own.map((group, index) => [`n${index}` as Namespace, group])) }
      const owners = assignShards(groups, nodes)
      for (const group of [shared!, ...own]) {
        const meant = nodes.filter(({ labels: has }) => group.label === null || has.includes(group.label))
        const allowed = meant.length > 0 ? meant : group.whenNoneLives === 'others' ? nodes : []
        for (const shard of shardsIn(group)) {
          const owner = owners.get(shard)
          assert.equal(owner !== undefined, allowed.length > 0)
          assert.ok(owner === undefined || allowed.some((one) => one.node === owner))
        }
      }
      assert.ok(owners.size <= shardsOf(groups).length)
    }),
  )
})

/** One range behind the other. */
function groupsBy(rules: readonly Omit<ShardGroup, 'first'>[]): ShardGroup[] {
  let next = 0
  return rules.map((rule) => {
    const first = next
    next += rule.count
    return { ...NO_RULE, ...rule, first }
  })
}
