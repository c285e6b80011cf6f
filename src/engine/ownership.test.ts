import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Epoch, ShardId } from '../core/timer.ts'
import { silentLogger } from '../runtime/logger.ts'
import type { Logger } from '../runtime/logger.ts'
import { ManualClock } from '../runtime/manual-clock.ts'
import { MemoryStore } from '../store/memory/memory-store.ts'
import { StoreError } from '../store/store.ts'
import type { Store } from '../store/store.ts'
import type { Neighbours } from './hand-over.ts'
import { Ownership } from './ownership.ts'

const SHARDS = 16
const LEASE_MS = 5_000
const BEAT_MS = LEASE_MS / 5

/** Some nodes on one store and one clock. Each can be cut off from the store, or frozen as SIGSTOP would. */
function setup() {
  const clock = new ManualClock()
  const store = new MemoryStore({ shards: SHARDS, shared: true })
  const nodes = new Map<string, Node>()
  const node = async (name: string, address = name) => {
    const reach = (to: string): Node => {
      const other = nodes.get(to)
      if (other === undefined || other.isUnreachable) throw new Error('connection refused')
      return other
    }
    const neighbours: Neighbours = {
      notify: (to) => void nodes.get(to)?.ownership.lookNow(),
      prepare: async (to) => reach(to.address).ready,
      moved: async (to, moved) => reach(to).ownership.accept(moved),
      land: async () => false,
    }
    const one = new Node({ name, address, clock, store, neighbours })
    nodes.set(name, one)
    await one.ownership.start()
    return one
  }
  return { clock, store, node }
}

type NodeParts = { name: string; address: string; clock: ManualClock; store: Store; neighbours: Neighbours }

class Node {
  readonly name: string
  readonly owned = new Map<ShardId, Epoch>()
  readonly ownership: Ownership
  isCutOff = false
  /** By the other nodes. */
  isUnreachable = false
  /** When it is ready to take shards. */
  ready: Promise<void> = Promise.resolve()

  readonly errors: string[] = []

  constructor({ name, address, clock, store, neighbours }: NodeParts) {
    this.name = name
    this.ownership = new Ownership({
      store: this.#connection(store),
      clock,
      logger: Object.assign(Object.create(silentLogger()) as Logger, { error: (_fields: unknown, text: string) => this.errors.push(text) }),
      node: name,
      address: () => address,
      leaseMs: LEASE_MS,
      shards: {
        open: (shard, epoch) => this.owned.set(shard, epoch),
        close: async (shard) => void this.owned.delete(shard),
        depart: (shard) => {
          this.owned.delete(shard)
          return { flights: () => [], end: () => {} }
        },
        drop: (shard) => this.owned.delete(shard),
        told: (shard, flights) => this.told.push([shard, flights.length]),
        seen: () => {},
      },
      neighbours,
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
  const owned = nodes.flatMap((node) => Array.from(node.owned.keys()))
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
    const owned = [a, b, c].flatMap((one) => Array.from(one.owned.keys()))
    assert.equal(new Set(owned).size, owned.length)
  }
  everyShardOnce(a, b, c)
  assert.ok(Math.max(a.count, b.count, c.count) - Math.min(a.count, b.count, c.count) <= 1)
})

test('a node that leaves hands everything over without anyone waiting for a lease or a beat', async () => {
  const { clock, node } = setup()
  const [a, b, c] = [await node('a'), await node('b'), await node('c')]
  await clock.advance(2 * BEAT_MS)
  await b.ownership.leave()
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
  const epoch = a.owned.get(3 as ShardId)!
  await store.claim({ shard: 3 as ShardId, expected: epoch, owner: 'somebody' })
  a.ownership.lost(3 as ShardId, epoch)
  assert.equal(a.owned.has(3 as ShardId), false)
  await clock.advance(2 * BEAT_MS)
  assert.ok(a.owned.get(3 as ShardId)! > 2)
})

test('after a trouble of the store nobody hands anything to a node that died before it', async () => {
  const { clock, node } = setup()
  const [a, b, c] = [await node('a'), await node('b'), await node('c')]
  await clock.advance(3 * BEAT_MS)
  c.isCutOff = true
  await clock.advance(LEASE_MS + 3 * BEAT_MS)
  everyShardOnce(a, b)
  const before = [new Map(a.owned), new Map(b.owned)]
  for (const one of [a, b]) one.isCutOff = true
  await clock.advance(LEASE_MS)
  for (const one of [a, b]) one.isCutOff = false
  for (let ms = 0; ms < 2 * LEASE_MS; ms += 100) {
    await clock.advance(100)
    assert.deepEqual([a.owned, b.owned], before)
  }
})

test('a node that is started long after the last one died takes everything at once', async () => {
  const { clock, node } = setup()
  const a = await node('a')
  a.isCutOff = true
  await clock.advance(2 * LEASE_MS)
  everyShardOnce(await node('b'))
})

test('a node that leaves keeps its shards until the next owner is ready for them', async () => {
  const { clock, node } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(2 * BEAT_MS)
  const before = a.count
  const ready = Promise.withResolvers<void>()
  b.ready = ready.promise
  const leaving = a.ownership.leave()
  await b.ownership.lookNow()
  await clock.advance(BEAT_MS)
  assert.equal(a.count, before)
  ready.resolve()
  await leaving
  everyShardOnce(b)
})

test('a node that leaves passes over those it cannot reach', async () => {
  const { clock, node } = setup()
  const [a, b, c] = [await node('a'), await node('b'), await node('c')]
  await clock.advance(2 * BEAT_MS)
  const before = c.count
  c.isUnreachable = true
  await a.ownership.leave()
  assert.equal(a.count, 0)
  assert.equal(c.count, before)
  everyShardOnce(b, c)
})

test('a node that stays keeps what it cannot hand over, and hands it over later', async () => {
  const { clock, node } = setup()
  const a = await node('a')
  a.ownership.stop()
  const b = await node('b')
  b.isUnreachable = true
  await a.ownership.lookNow()
  await clock.advance(BEAT_MS)
  assert.equal(a.count, SHARDS)
  b.isUnreachable = false
  await a.ownership.lookNow()
  await clock.advance(BEAT_MS)
  everyShardOnce(a, b)
  assert.equal(a.count, b.count)
})

test('a message about a shard that has moved on since changes nothing', async () => {
  const { clock, node } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(2 * BEAT_MS)
  const [shard, epoch] = [...a.owned][0]!
  b.ownership.accept([{ shard, epoch: (epoch - 1) as Epoch, owner: 'b', flights: [] }])
  assert.equal(b.owned.has(shard), false)
  everyShardOnce(a, b)
})

test('a new owner that could not be told of its shards takes them at its next beat', async () => {
  const { clock, store, node } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(2 * BEAT_MS)
  const claim = store.claim.bind(store)
  store.claim = async (one) => {
    if (one.owner === 'b') b.isUnreachable = true
    return claim(one)
  }
  await a.ownership.leave()
  assert.equal(a.count, 0)
  store.claim = claim
  await clock.advance(BEAT_MS)
  everyShardOnce(b)
})

test('a node that stops while the store is away closes its shards and does not wait for the store', async () => {
  const { clock, node } = setup()
  const a = await node('a')
  a.isCutOff = true
  await a.ownership.leave()
  a.ownership.stop()
  assert.equal(a.count, 0)
  assert.equal(clock.waiting, 0)
})

test('a beat that failed is made again sooner than the next one would be', async () => {
  const { clock, node } = setup()
  const a = await node('a')
  await clock.advance(BEAT_MS / 2)
  a.isCutOff = true
  await clock.advance(BEAT_MS / 2)
  a.isCutOff = false
  await clock.advance(BEAT_MS / 4)
  a.isCutOff = true
  await clock.advance(LEASE_MS * 0.8 - 1)
  assert.equal(a.ownership.isCertain, true)
})

test('many who ask for a look at once share one', async () => {
  const { store, node } = setup()
  const a = await node('a')
  let beats = 0
  const beat = store.beat.bind(store)
  store.beat = (one) => {
    beats++
    return beat(one)
  }
  await Promise.all(Array.from({ length: 20 }, () => a.ownership.lookNow()))
  assert.ok(beats <= 2, `${beats} beats`)
})

test('two living nodes with one address are told so, once; a successor at the address of a dead one is not', async () => {
  const { clock, node } = setup()
  const first = await node('first', 'here')
  await clock.advance(BEAT_MS / 2)
  first.isCutOff = true
  const second = await node('second', 'here')
  await clock.advance(2 * LEASE_MS)
  assert.deepEqual(second.errors, [])
  await node('third', 'here')
  await clock.advance(2 * LEASE_MS)
  assert.deepEqual(second.errors, ['another node has the same address: give each its own NODE_URL'])
})
