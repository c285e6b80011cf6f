import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { BeatWatch } from './beat-watch.ts'

const LEASE_MS = 5_000

/** `beats`: what the rows of the nodes say at a look; `owner` has a shard. */
function setup() {
  const clock = new ManualClock()
  const watch = new BeatWatch({ node: 'self', clock, leaseMs: LEASE_MS })
  const look = (beats: Record<string, number>, owner: string | null = null) => {
    const nodes = Object.entries({ self: clock.monotonic(), ...beats }).map(([node, beat]) => ({
      node,
      address: null,
      leaving: false,
      labels: [],
      beat,
      clockSkewMs: 0,
    }))
    watch.look({ nodes, shards: [{ shard: 0 as ShardId, epoch: 1 as Epoch, owner }] })
  }
  const names = (rows: readonly { readonly node: string }[]) => rows.map(({ node }) => node).join()
  return { clock, watch, look, names }
}

test('a node whose beat stays the same is silent when the lease is over, and not a moment before', async () => {
  const { clock, watch, look, names } = setup()
  look({ a: 1 })
  await clock.advance(LEASE_MS - 1)
  look({ a: 1 })
  assert.deepEqual([watch.isSilent('a'), names(watch.present())], [false, 'a'])
  await clock.advance(1)
  look({ a: 1 })
  assert.deepEqual([watch.isSilent('a'), names(watch.present()), watch.beatOf('a')], [true, '', 1])
})

test('any change of a beat is a sign of life, also one backwards, as after a restore of the database', async () => {
  const { clock, watch, look, names } = setup()
  for (const beat of [7, 8, 3, 4]) {
    look({ a: beat })
    await clock.advance(LEASE_MS - 1)
  }
  look({ a: 4 })
  assert.deepEqual([watch.isSilent('a'), names(watch.living())], [false, 'a'])
})

test('time in which nobody looked does not make a node silent', async () => {
  const { clock, watch, look } = setup()
  look({ a: 1 })
  await clock.advance(10 * LEASE_MS)
  assert.equal(watch.isSilent('a'), false)
  look({ a: 2 })
  assert.equal(watch.isSilent('a'), false)
})

test('at its first look a node does not know who lives; who appears later does', async () => {
  const { watch, look, names } = setup()
  look({ dead: 9, alive: 1 })
  assert.deepEqual([names(watch.living()), names(watch.present())], ['', 'dead,alive'])
  look({ dead: 9, alive: 2, fresh: 1 })
  assert.equal(names(watch.living()), 'alive,fresh')
})

test('a node whose row was removed is waited for as long as one that is silent', async () => {
  const { clock, watch, look, names } = setup()
  look({ a: 1 }, 'b')
  look({ a: 2 }, 'b')
  look({}, 'b')
  assert.deepEqual(
    [names(watch.present()), watch.isSilent('a'), watch.isSilent('b'), watch.beatOf('b')],
    ['a', false, false, null],
  )
  await clock.advance(LEASE_MS)
  look({}, 'b')
  assert.deepEqual([names(watch.present()), watch.isSilent('b')], ['', true])
  look({ a: 3 }, 'b')
  assert.equal(names(watch.living()), 'a')
})
