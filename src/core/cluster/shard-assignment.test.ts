import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assignShards } from './shard-assignment.ts'

const nodeNames = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 12 })

test('without nodes nothing is assigned', () => {
  assert.deepEqual(assignShards(64, []), [])
})

test('no node has more than one shard above another, and every shard has an owner', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), nodeNames, (shards, nodes) => {
      const owners = assignShards(shards, nodes)
      assert.equal(owners.length, shards)
      const loads = nodes.map((node) => owners.filter((owner) => owner === node).length)
      assert.ok(Math.max(...loads) - Math.min(...loads) <= 1, loads.join(', '))
    }),
  )
})

test('every node computes the same, in whatever order it knows the others', () => {
  fc.assert(
    fc.property(nodeNames, (nodes) => {
      assert.deepEqual(assignShards(64, nodes), assignShards(64, nodes.toReversed()))
    }),
  )
})

test('a node that joins takes little more than its share from the others', () => {
  const before = assignShards(256, ['a', 'b', 'c'])
  const after = assignShards(256, ['a', 'b', 'c', 'd'])
  const moved = before.filter((owner, shard) => owner !== after[shard]).length
  assert.ok(moved <= 2 * (256 / 4), `${moved} of 256 shards moved`)
})
