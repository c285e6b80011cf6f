import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Epoch, ShardId } from '../core/timer.ts'
import { silentLogger } from '../runtime/logger.ts'
import { ManualClock } from '../runtime/manual-clock.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import { StoreError } from '../store/store.ts'
import type { Store } from '../store/store.ts'
import { Ownership } from './ownership.ts'

const SHARDS = 16
const LEASE_MS = 5_000
const BEAT_MS = LEASE_MS / 5

/** Some nodes on one store and one clock. Each can be cut off from the store, or frozen as SIGSTOP would. */
function setup() {
  const clock = new ManualClock()
  const store = new MemoryStore({ shards: SHARDS, shared: true })
  const nodes = new Map<string, Node>()
  const node = async (name: string) => {
    const one = new Node(name, clock, store, (address) => void nodes.get(address)?.ownership.lookNow())
    nodes.set(name, one)
    await one.ownership.start()
    return one
  }
  return { clock, store, node }
}

class Node {
  readonly name: string
  readonly owned = new Map<ShardId, Epoch>()
  readonly ownership: Ownership
  isCutOff = false

  constructor(name: string, clock: ManualClock, store: Store, notify: (address: string) => void) {
    this.name = name
    this.ownership = new Ownership({
      store: this.#connection(store),
      clock,
      logger: silentLogger(),
      node: name,
      address: name,
      leaseMs: LEASE_MS,
      open: (shard, epoch) => this.owned.set(shard, epoch),
      close: async (shard) => void this.owned.delete(shard),
      drop: (shard) => this.owned.delete(shard),
      notify,
    })
  }

  get count(): number {
    return this.owned.size
  }

  #connection(store: Store): Store {
    return new Proxy(store, {
      get: (target, key: keyof Store) => {
        const value = target[key]
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          if (this.isCutOff) throw new StoreError('connection refused')
          return (value as (...args: unknown[]) => unknown).apply(target, args)
        }
      },
    })
  }
}

const everyShardOnce = (...nodes: Node[]) => {
  const owned = nodes.flatMap((node) => [...node.owned.keys()])
  assert.deepEqual(owned.toSorted((a, b) => a - b), Array.from({ length: SHARDS }, (_, shard) => shard))
}

test('a node that cannot reach the store is uncertain before its lease is over, and nobody has taken its shards yet', async () => {
  const { clock, node } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(2 * BEAT_MS)
  const before = a.count
  a.isCutOff = true
  await clock.advance(LEASE_MS * 0.7)
  assert.equal(a.ownership.isCertain, true)
  await clock.advance(LEASE_MS * 0.15)
  assert.equal(a.ownership.isCertain, false)
  assert.equal(b.count, SHARDS - before)
})

test('the shards of a silent node are taken within a lease and a beat or two, with higher epochs', async () => {
  const { clock, node } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(2 * BEAT_MS)
  const lost = [...a.owned]
  a.isCutOff = true
  await clock.advance(LEASE_MS + 2 * BEAT_MS)
  assert.equal(b.count, SHARDS)
  for (const [shard, epoch] of lost) assert.ok(b.owned.get(shard)! > epoch)
})

test('a node that comes back after its lease drops what others have taken, then gets its share again', async () => {
  const { clock, node } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(2 * BEAT_MS)
  a.isCutOff = true
  await clock.advance(LEASE_MS + 3 * BEAT_MS)
  a.isCutOff = false
  await clock.advance(5 * BEAT_MS)
  everyShardOnce(a, b)
  assert.ok(Math.abs(a.count - b.count) <= 1)
})

test('a node alone owns everything at once', async () => {
  const { node } = setup()
  everyShardOnce(await node('a'))
})

test('a node that joins gets its share within a beat, and no shard has two owners on the way', async () => {
  const { clock, node } = setup()
  const a = await node('a')
  const b = await node('b')
  const c = await node('c')
  for (let ms = 0; ms < 2 * BEAT_MS; ms += 50) {
    await clock.advance(50)
    const owned = [a, b, c].flatMap((one) => [...one.owned.keys()])
    assert.equal(new Set(owned).size, owned.length)
  }
  everyShardOnce(a, b, c)
  assert.ok(Math.max(a.count, b.count, c.count) - Math.min(a.count, b.count, c.count) <= 1)
})

test('a node that leaves hands everything over without anyone waiting for a lease or a beat', async () => {
  const { clock, node } = setup()
  const [a, b, c] = [await node('a'), await node('b'), await node('c')]
  await clock.advance(2 * BEAT_MS)
  await b.ownership.stop()
  await clock.advance(1)
  assert.equal(b.count, 0)
  everyShardOnce(a, c)
})

test('when the store was away for everyone, everyone goes on with what it had', async () => {
  const { clock, node } = setup()
  const nodes = [await node('a'), await node('b'), await node('c')]
  await clock.advance(3 * BEAT_MS)
  const before = nodes.map(({ owned }) => new Map(owned))
  for (const one of nodes) one.isCutOff = true
  await clock.advance(30_000)
  assert.deepEqual(nodes.map(({ ownership }) => ownership.isCertain), [false, false, false])
  for (const one of nodes) {
    one.isCutOff = false
    await clock.advance(300)
  }
  await clock.advance(2 * LEASE_MS)
  assert.deepEqual(nodes.map(({ owned }) => owned), before)
  assert.deepEqual(nodes.map(({ ownership }) => ownership.isCertain), [true, true, true])
})

test('a commit that was refused drops the shard at once', async () => {
  const { clock, store, node } = setup()
  const a = await node('a')
  await store.claim({ shard: 3 as ShardId, expected: a.owned.get(3 as ShardId)!, owner: 'somebody' })
  a.ownership.lost(3 as ShardId)
  assert.equal(a.owned.has(3 as ShardId), false)
  await clock.advance(2 * BEAT_MS)
  assert.ok(a.owned.get(3 as ShardId)! > 2)
})
