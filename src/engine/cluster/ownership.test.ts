import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resized } from '../../core/cluster/layout.ts'
import { announced } from '../../core/cluster/split.ts'
import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import { silentLogger } from '../../runtime/telemetry/logger.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { changeLayout, readLayout } from '../../store/layout/layout-row.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import { StoreError } from '../../store/store.ts'
import type { Store } from '../../store/store.ts'
import { DELIVERY } from '../delivery/remote-delivery.fixture.ts'
import type { RemoteDelivery } from '../delivery/remote-delivery.ts'
import type { Neighbours } from './handover.ts'
import { Ownership } from './ownership.ts'
import type { OwnershipOptions } from './ownership.ts'

const SHARDS = 12 // half of which move in one group
const LEASE_MS = 5_000
const BEAT_MS = LEASE_MS / 5

/** Some nodes on one store and one clock. Each can be cut off from the store, or frozen as SIGSTOP would. */
function setup() {
  const clock = new ManualClock()
  const store = new MemoryStore({ shards: SHARDS, shared: true })
  const nodes = new Map<string, Node>()
  /** Nodes of which everybody can tell that their processes have ended. */
  const ended = new Set<string>()
  let onTheWayToB: Promise<void> = Promise.resolve()
  /** Messages to b about moved shards do not arrive before they are let. */
  const held = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    onTheWayToB = promise
    return { arrives: resolve }
  }
  const node = async (name: string, address = name) => {
    const reach = (to: string): Node => {
      const other = nodes.get(to)
      if (other === undefined || other.isUnreachable) throw new Error('connection refused')
      return other
    }
    const neighbours: Neighbours = {
      notify: (to) => void nodes.get(to)?.ownership.lookNow(),
      prepare: async (to) => reach(to.address).ready,
      moved: async (to, moved) => {
        if (to === 'b') await onTheWayToB
        reach(to).ownership.accept(moved)
      },
      report: async () => false,
    }
    const one = new Node({ name, address, clock, store, neighbours, hasEnded: async (other) => ended.has(other) })
    nodes.set(name, one)
    await one.ownership.start()
    return one
  }
  return { clock, store, node, held, ended }
}

type NodeParts = { name: string; address: string; clock: ManualClock; store: Store; neighbours: Neighbours } & Pick<
  OwnershipOptions,
  'hasEnded'
>

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
  /** What it has under way of every shard that it gives away. */
  deliveries: RemoteDelivery[] = []
  readonly handedOver: ShardId[] = []
  readonly dropped: ShardId[] = []
  /** Shards that it knows deliveries of, and how many. */
  readonly told: [ShardId, number][] = []

  constructor({ name, address, clock, store, neighbours, hasEnded }: NodeParts) {
    this.name = name
    this.ownership = new Ownership({
      store: this.#connection(store),
      clock,
      logger: Object.assign(Object.create(silentLogger()) as Logger, {
        error: (_fields: unknown, text: string) => this.errors.push(text),
      }),
      node: name,
      address: () => address,
      leaseMs: LEASE_MS,
      ...(hasEnded && { hasEnded }),
      shards: {
        open: (shard, epoch, deliveries) => {
          this.owned.set(shard, epoch)
          if (deliveries.length > 0) this.told.push([shard, deliveries.length])
        },
        close: async (shard) => void this.owned.delete(shard),
        handOver: (shard) => {
          this.owned.delete(shard)
          return { deliveries: () => this.deliveries, end: () => this.handedOver.push(shard) }
        },
        drop: (shard) => {
          this.dropped.push(shard)
          this.owned.delete(shard)
        },
        told: (shard, deliveries) => this.told.push([shard, deliveries.length]),
        isOpen: (shard) => this.owned.has(shard),
        splitOf: () => null,
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

/** As soon as a shard is claimed in the node's name, the node cannot be reached: nobody can tell it. */
function losingTouch(store: MemoryStore, owner: string, node: { isUnreachable: boolean }): { ends(): void } {
  const claim = store.claim.bind(store)
  store.claim = async (one) => {
    if (one.owner === owner) node.isUnreachable = true
    return claim(one)
  }
  return { ends: () => (store.claim = claim) }
}

/** Claims in this node's name are refused, until they work again. */
function failingFor(store: MemoryStore, owner: string): { works(): void } {
  const claim = store.claim.bind(store)
  store.claim = async (one) => {
    if (one.owner === owner) throw new StoreError('statement timeout')
    return claim(one)
  }
  return { works: () => (store.claim = claim) }
}

const everyShardOnce = (...nodes: Node[]) => {
  const owned = nodes.flatMap((node) => Array.from(node.owned.keys()))
  assert.deepEqual(
    owned.toSorted((a, b) => a - b),
    Array.from({ length: SHARDS }, (_, shard) => shard),
  )
}

const shardsOf = ({ owned }: Node): ShardId[] => [...owned.keys()].toSorted((one, other) => one - other)

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

test('a node alone whose claim fails or is refused does not start, since there is no later beat to claim by', async () => {
  const neighbours: Neighbours = {
    notify: () => {},
    prepare: async () => {},
    moved: async () => {},
    report: async () => false,
  }
  const startWith = (claim: Store['claim']) => {
    const store = new MemoryStore()
    store.claim = claim
    return new Node({ name: 'a', address: 'a', clock: new ManualClock(), store, neighbours }).ownership.start()
  }
  await assert.rejects(
    startWith(() => Promise.reject(new StoreError('the disk is busy'))),
    /the disk is busy/,
  )
  // A release of the process before, which was on its way all the time, has come between.
  await assert.rejects(
    startWith(() => Promise.resolve(null)),
    /shard 0 .* only one process/,
  )
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

test('when the store was away for everyone, no shard moves', async () => {
  const { clock, node } = setup()
  const nodes = [await node('a'), await node('b'), await node('c')]
  await clock.advance(3 * BEAT_MS)
  const before = nodes.map(shardsOf)
  for (const one of nodes) one.isCutOff = true
  await clock.advance(30_000)
  assert.deepEqual(
    nodes.map(({ ownership }) => ownership.isCertain),
    [false, false, false],
  )
  for (const one of nodes) {
    one.isCutOff = false
    await clock.advance(300)
  }
  await clock.advance(2 * LEASE_MS)
  assert.deepEqual(nodes.map(shardsOf), before)
  assert.deepEqual(
    nodes.map(({ ownership }) => ownership.isCertain),
    [true, true, true],
  )
})

test('a node alone on a shared store goes on with what it had, however long the store was away', async () => {
  const { clock, node } = setup()
  const [dead, a] = [await node('dead'), await node('a')]
  await dead.ownership.leave()
  dead.ownership.stop()
  await clock.advance(2 * LEASE_MS)
  const before = new Map(a.owned)
  a.isCutOff = true
  await clock.advance(60_000)
  a.isCutOff = false
  await clock.advance(2 * LEASE_MS)
  assert.deepEqual(a.owned, before)
  everyShardOnce(a)
})

test('a trouble of the store that is shorter than four fifths of the lease changes nothing', async () => {
  const { clock, node } = setup()
  const nodes = [await node('a'), await node('b')]
  await clock.advance(3 * BEAT_MS)
  const before = nodes.map(({ owned }) => new Map(owned))
  for (const one of nodes) one.isCutOff = true
  await clock.advance(LEASE_MS * 0.6)
  for (const one of nodes) one.isCutOff = false
  await clock.advance(2 * LEASE_MS)
  assert.deepEqual(
    nodes.map(({ owned }) => owned),
    before,
  )
})

test('a node that was away reads its shards again when others may have had them, also if the store has forgotten that', async () => {
  const { clock, store, node } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(3 * BEAT_MS)
  const had = new Map(a.owned)
  const before = await store.shards()
  a.handedOver.length = 0
  a.deliveries = [DELIVERY]
  a.isCutOff = true
  await clock.advance(LEASE_MS + 2 * BEAT_MS)
  everyShardOnce(b)
  // A standby takes over that has the beats and not the claims.
  const forgotten = new MemoryStore({ shards: SHARDS, shared: true })
  for (const { shard, epoch, owner } of before)
    await forgotten.claim({ shard, expected: 0 as Epoch, from: null, owner: owner!, above: (epoch - 1) as Epoch })
  for (const key of ['claim', 'release', 'shards'] as const) store[key] = forgotten[key].bind(forgotten) as never
  const beat = store.beat.bind(store)
  store.beat = async (one) => ({ ...(await beat(one)), shards: await forgotten.shards() })
  a.isCutOff = false
  // Before its own beat, b hears that there is something to see.
  const looksOfB: number[] = []
  const lookNow = b.ownership.lookNow.bind(b.ownership)
  b.ownership.lookNow = () => {
    looksOfB.push(clock.now())
    return lookNow()
  }
  await a.ownership.lookNow()
  assert.equal(looksOfB.length, 1)
  await clock.advance(BEAT_MS)
  for (const [shard, epoch] of had) assert.ok(a.owned.get(shard)! > epoch, `shard ${shard} is as it was in memory`)
  assert.deepEqual([a.owned.size, a.dropped], [had.size, []])
  // What is in flight goes on, and is known to the shard.
  assert.deepEqual([a.told, a.handedOver.length], [Array.from(had.keys(), (shard) => [shard, 1] as const), had.size])
})

test('a commit that was refused drops the shard at once', async () => {
  const { clock, store, node } = setup()
  const a = await node('a')
  const epoch = a.owned.get(3 as ShardId)!
  await store.claim({ shard: 3 as ShardId, expected: epoch, from: 'a', owner: 'somebody' })
  a.ownership.lost(3 as ShardId, epoch)
  assert.equal(a.owned.has(3 as ShardId), false)
  await clock.advance(LEASE_MS + 2 * BEAT_MS)
  assert.ok(a.owned.get(3 as ShardId)! > 2)
})

test('after a trouble of the store nobody hands anything to a node that died before it', async () => {
  const { clock, node } = setup()
  const [a, b, c] = [await node('a'), await node('b'), await node('c')]
  await clock.advance(3 * BEAT_MS)
  c.isCutOff = true
  await clock.advance(LEASE_MS + 3 * BEAT_MS)
  everyShardOnce(a, b)
  const before = [a, b].map(shardsOf)
  for (const one of [a, b]) one.isCutOff = true
  await clock.advance(LEASE_MS)
  for (const one of [a, b]) one.isCutOff = false
  for (let ms = 0; ms < 2 * LEASE_MS; ms += 100) {
    await clock.advance(100)
    assert.deepEqual([a, b].map(shardsOf), before)
  }
})

test('a node that is started long after the last one died watches it for a lease, and then takes everything', async () => {
  const { clock, node } = setup()
  const a = await node('a')
  a.isCutOff = true
  await clock.advance(2 * LEASE_MS)
  const b = await node('b')
  await clock.advance(LEASE_MS - 1)
  assert.equal(b.count, 0)
  await clock.advance(1)
  everyShardOnce(b)
})

test('a node takes the shards of those whose processes have ended at once, and of no others', async () => {
  const { clock, node, ended } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(2 * BEAT_MS)
  const lost = [...a.owned]
  a.isCutOff = true
  ended.add('a')
  const next = await node('a2', 'a')
  assert.deepEqual(new Set(next.owned.keys()), new Set(lost.map(([shard]) => shard)))
  for (const [shard, epoch] of lost) assert.ok(next.owned.get(shard)! > epoch)
  everyShardOnce(next, b)
  await clock.advance(2 * LEASE_MS)
  everyShardOnce(next, b)
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
  b.ownership.accept([{ shard, epoch: (epoch - 1) as Epoch, owner: 'b', deliveries: [], layout: 0 }])
  assert.equal(b.owned.has(shard), false)
  everyShardOnce(a, b)
})

test('a new owner that could not be told of its shards takes them half a second after its next beat', async () => {
  const { clock, store, node } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(2 * BEAT_MS)
  const losing = losingTouch(store, 'b', b)
  await a.ownership.leave()
  assert.equal(a.count, 0)
  losing.ends()
  await clock.advance(BEAT_MS + 500)
  everyShardOnce(b)
})

test('a shard that is handed back to a node that had given it away is opened there, also when the message is lost', async () => {
  const { clock, store, node } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(2 * BEAT_MS)
  assert.deepEqual([a.count, b.count], [SHARDS / 2, SHARDS / 2])
  const losing = losingTouch(store, 'a', a)
  await b.ownership.leave()
  b.ownership.stop()
  losing.ends()
  await clock.advance(BEAT_MS + 500)
  everyShardOnce(a)
})

test('a shard that is in the name of a node that does not have it open is noticed after a moment, and no longer when it is open', async () => {
  const { clock, store, node } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(2 * BEAT_MS)
  assert.deepEqual([a.ownership.unopenedShards, a.ownership.unopenedMs], [0, 0])
  const losing = losingTouch(store, 'b', b)
  await a.ownership.leave()
  a.ownership.stop()
  losing.ends()
  const claim = failingFor(store, 'b')
  await clock.advance(BEAT_MS)
  assert.equal(b.ownership.unopenedShards, SHARDS / 2)
  await clock.advance(5 * BEAT_MS)
  assert.equal(b.ownership.unopenedShards, SHARDS / 2)
  assert.ok(b.ownership.unopenedMs >= 4 * BEAT_MS)
  claim.works()
  await clock.advance(BEAT_MS)
  everyShardOnce(b)
  assert.deepEqual([b.ownership.unopenedShards, b.ownership.unopenedMs], [0, 0])
})

test('a shard whose handover could not be stored stays with its owner, and moves later', async () => {
  const { clock, store, node } = setup()
  const a = await node('a')
  await clock.advance(BEAT_MS / 2)
  const claim = failingFor(store, 'b')
  const b = await node('b')
  await clock.advance(10)
  assert.deepEqual([a.count, b.count], [SHARDS / 2, 0])
  claim.works()
  await clock.advance(BEAT_MS)
  everyShardOnce(a)
  await clock.advance(BEAT_MS)
  everyShardOnce(a, b)
  assert.equal(a.count, b.count)
})

test('what was in flight when a handover could not be stored is known to the shard when it is open again', async () => {
  const { clock, store, node } = setup()
  const a = await node('a')
  a.deliveries = [DELIVERY]
  await clock.advance(BEAT_MS / 2)
  failingFor(store, 'b')
  await node('b')
  await clock.advance(10)
  const stayed = Array.from({ length: SHARDS }, (_, shard) => shard as ShardId).filter((shard) => !a.owned.has(shard))
  assert.deepEqual([stayed.length, a.handedOver], [SHARDS / 2, []])
  await clock.advance(BEAT_MS / 2)
  assert.deepEqual(
    a.told,
    stayed.map((shard) => [shard, 1]),
  )
  assert.deepEqual(a.handedOver, stayed)
})

test('a handover that was stored although its answer was lost ends at the new owner', async () => {
  const { clock, store, node } = setup()
  const a = await node('a')
  await clock.advance(BEAT_MS / 2)
  const claim = store.claim.bind(store)
  store.claim = async (one) => {
    const epoch = await claim(one)
    if (one.owner === 'b') throw new StoreError('the answer was lost', { outcomeUnknown: true })
    return epoch
  }
  const b = await node('b')
  await clock.advance(10)
  store.claim = claim
  await clock.advance(BEAT_MS + 500)
  everyShardOnce(a, b)
  assert.equal(a.count, b.count)
  assert.equal(a.handedOver.length, b.count)
})

test('a node that leaves while handovers cannot be stored for a moment leaves no shard behind in its name', async () => {
  const { clock, store, node } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(2 * BEAT_MS)
  const failed = new Set<ShardId>()
  const claim = store.claim.bind(store)
  store.claim = async (one) => {
    if (one.owner !== 'b' || failed.has(one.shard)) return claim(one)
    failed.add(one.shard)
    throw new StoreError('statement timeout')
  }
  await a.ownership.leave()
  everyShardOnce(b)
})

test('while a handover is being stored its owner does not claim the shard for itself', async () => {
  const { clock, store, node } = setup()
  const a = await node('a')
  await clock.advance(BEAT_MS / 2)
  const stored = Promise.withResolvers<void>()
  const claimedBy: string[] = []
  const claim = store.claim.bind(store)
  store.claim = async (one) => {
    claimedBy.push(one.owner)
    await stored.promise
    return claim(one)
  }
  const b = await node('b')
  await clock.advance(2 * BEAT_MS)
  assert.deepEqual(new Set(claimedBy), new Set(['b']))
  stored.resolve()
  await clock.advance(10)
  everyShardOnce(a, b)
})

test('a shard that was handed over without a word is taken by whom the store names, also when a third should have it by then', async () => {
  const { clock, store, node } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(2 * BEAT_MS)
  losingTouch(store, 'b', b)
  await a.ownership.leave()
  b.isUnreachable = false
  const c = await node('c')
  await clock.advance(4 * BEAT_MS)
  everyShardOnce(b, c)
  assert.equal(b.count, c.count)
})

test('a beat that is quicker than the message of the old owner does not hide which deliveries are under way', async () => {
  const { clock, node, held } = setup()
  const a = await node('a')
  a.deliveries = [DELIVERY]
  await clock.advance(BEAT_MS / 2)
  const message = held()
  const b = await node('b')
  await clock.advance(10)
  await b.ownership.lookNow()
  assert.equal(b.count, 0)
  message.arrives()
  await clock.advance(0)
  everyShardOnce(a, b)
  assert.equal(b.told.length, b.count)
})

test('a message that comes when the shard has been claimed without it still tells which deliveries are under way', async () => {
  const { clock, node, held } = setup()
  const a = await node('a')
  a.deliveries = [DELIVERY]
  await clock.advance(BEAT_MS / 2)
  const message = held()
  const b = await node('b')
  await clock.advance(BEAT_MS + 500)
  everyShardOnce(a, b)
  assert.deepEqual(b.told, [])
  message.arrives()
  await clock.advance(0)
  assert.equal(b.told.length, b.count)
})

test('a message that comes while the shard is being claimed counts, whatever comes of the claim', async () => {
  for (const fails of [false, true]) {
    const { clock, store, node, held } = setup()
    const a = await node('a')
    a.deliveries = [DELIVERY]
    await clock.advance(BEAT_MS / 2)
    const message = held()
    const b = await node('b')
    await clock.advance(10)
    const claimed = Promise.withResolvers<void>()
    const claim = store.claim.bind(store)
    store.claim = async (one) => {
      await claimed.promise
      if (fails) throw new StoreError('statement timeout')
      return claim(one)
    }
    await clock.advance(BEAT_MS + 500)
    assert.equal(b.count, 0)
    message.arrives()
    await clock.advance(0)
    claimed.resolve()
    await clock.advance(0)
    everyShardOnce(a, b)
    assert.equal(b.told.length, b.count)
  }
})

test('a message that comes while the shard is being claimed is worth nothing when somebody else was faster', async () => {
  const { clock, store, node, held } = setup()
  const a = await node('a')
  await clock.advance(BEAT_MS / 2)
  const message = held()
  const b = await node('b')
  await clock.advance(10)
  const claimed = Promise.withResolvers<void>()
  const claim = store.claim.bind(store)
  store.claim = async (one) => {
    await claimed.promise
    await claim({ ...one, owner: 'somebody' })
    return claim(one)
  }
  await clock.advance(BEAT_MS + 500)
  message.arrives()
  await clock.advance(0)
  claimed.resolve()
  await clock.advance(0)
  assert.deepEqual([a.count, b.count], [SHARDS / 2, 0])
})

test('a node that leaves while shards are on their way to it hands them on', async () => {
  const { clock, node, held } = setup()
  const a = await node('a')
  await clock.advance(BEAT_MS / 2)
  const message = held()
  const b = await node('b')
  await clock.advance(10)
  const leaving = b.ownership.leave()
  await clock.advance(600)
  await leaving
  assert.equal(b.count, 0)
  message.arrives()
  await clock.advance(2 * BEAT_MS)
  everyShardOnce(a)
})

test('a shard that is handed to a node that has not noticed its loss is not there twice', async () => {
  const { store, node } = setup()
  const a = await node('a')
  const [shard, epoch] = [...a.owned][0]!
  const elsewhere = await store.claim({ shard, expected: epoch, from: 'a', owner: 'b' })
  const back = await store.claim({ shard, expected: elsewhere!, from: 'b', owner: 'a' })
  a.ownership.accept([{ shard, epoch: back!, owner: 'a', deliveries: [], layout: 0 }])
  assert.deepEqual(a.dropped, [shard])
  assert.equal(a.owned.get(shard), back)
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

test('a node that was frozen between its look and its claim does not take the shards of one that lives', async () => {
  const { clock, store, node } = setup()
  const [a, b] = [await node('a'), await node('b')]
  await clock.advance(2 * BEAT_MS)
  const before = [a, b].map(shardsOf)
  const thawed = Promise.withResolvers<void>()
  const claim = store.claim.bind(store)
  let claims = 0
  store.claim = async (one) => {
    claims++
    await thawed.promise
    return claim(one)
  }
  // b sees that a is silent for the lease. Before its claims arrive, a is back.
  a.isCutOff = true
  await clock.advance(LEASE_MS + BEAT_MS)
  assert.equal(claims, SHARDS / 2)
  a.isCutOff = false
  await clock.advance(BEAT_MS)
  thawed.resolve()
  await clock.advance(2 * LEASE_MS)
  assert.deepEqual([a, b].map(shardsOf), before)
})

test('a node whose claims the store has forgotten says so, and owns its shards by epochs that it never had', async () => {
  const { clock, store, node } = setup()
  const a = await node('a')
  const [first, second] = [0, 1] as ShardId[]
  for (const shard of [first!, second!]) await store.claim({ shard, expected: 1 as Epoch, from: 'a', owner: 'a' })
  await clock.advance(2 * BEAT_MS)
  assert.deepEqual([a.owned.get(first!), a.owned.get(second!)], [3, 3])
  // As of before these claims: one was nobody's then, the other somebody's who is gone.
  const rows = store.shards.bind(store)
  const forgotten = new MemoryStore({ shards: SHARDS, shared: true })
  for (const { shard, epoch, owner } of await rows()) {
    const wasOf = shard === first ? 'nobody' : shard === second ? 'somebody' : owner!
    const above = (shard === first || shard === second ? 1 : epoch - 1) as Epoch
    const claimed = (await forgotten.claim({ shard, expected: 0 as Epoch, from: null, owner: wasOf, above }))!
    if (shard === first) await forgotten.release({ shard, epoch: claimed, owner: wasOf })
  }
  for (const key of ['beat', 'claim', 'release', 'shards'] as const)
    store[key] = forgotten[key].bind(forgotten) as never
  await clock.advance(2 * BEAT_MS)
  assert.deepEqual([a.owned.get(first!), a.owned.get(second!), a.ownership.forgottenClaims], [4, undefined, 2])
  await clock.advance(LEASE_MS + BEAT_MS)
  assert.deepEqual([a.owned.get(first!), a.owned.get(second!), a.ownership.forgottenClaims], [4, 4, 2])
  everyShardOnce(a)
  assert.equal(a.errors.filter((text) => text.startsWith('the database has forgotten')).length, 1)
})

test('what is in flight is known of a shard that comes back by an epoch which this node had and the store has forgotten', async () => {
  const { clock, store, node } = setup()
  const b = await node('b')
  const [shard] = [0] as ShardId[]
  await store.claim({ shard: shard!, expected: 1 as Epoch, from: 'b', owner: 'b', above: 6 as Epoch })
  await clock.advance(2 * BEAT_MS)
  const had = b.owned.get(shard!)!
  // The store is as of before that: the shard is of another node, which hands it over.
  const forgotten = new MemoryStore({ shards: SHARDS, shared: true })
  for (const row of await store.shards()) {
    const [owner, above] = row.shard === shard ? ['a', had - 2] : ['b', row.epoch - 1]
    await forgotten.claim({ shard: row.shard, expected: 0 as Epoch, from: null, owner, above: above as Epoch })
  }
  for (const key of ['beat', 'claim', 'release', 'shards'] as const)
    store[key] = forgotten[key].bind(forgotten) as never
  await clock.advance(BEAT_MS)
  assert.equal(b.owned.get(shard!), undefined)
  const epoch = (await forgotten.claim({ shard: shard!, expected: (had - 1) as Epoch, from: 'a', owner: 'b' }))!
  assert.equal(epoch, had)
  b.ownership.accept([{ shard: shard!, epoch, owner: 'b', deliveries: [{} as RemoteDelivery], layout: 0 }])
  await clock.advance(2 * BEAT_MS)
  assert.deepEqual([b.owned.get(shard!), b.told], [had + 1, [[shard, 1]]])
})

test('a message about a shard that comes a second time says nothing about what is in flight later', async () => {
  const { clock, node } = setup()
  const a = await node('a')
  a.deliveries = [DELIVERY]
  const b = await node('b')
  await clock.advance(3 * BEAT_MS)
  const [shard, epoch] = [...b.owned][0]!
  assert.deepEqual(b.told.filter(([of]) => of === shard).length, 1)
  const repeated = { shard, epoch, owner: 'b', deliveries: [DELIVERY], layout: 0 }
  b.ownership.accept([repeated])
  b.isCutOff = true
  await clock.advance(LEASE_MS - BEAT_MS / 2)
  b.isCutOff = false
  await clock.advance(BEAT_MS)
  // It was away, and has claimed its shards anew.
  assert.equal(b.owned.get(shard), epoch + 1)
  assert.deepEqual(b.told.filter(([of]) => of === shard).length, 1)
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

test('a handover that the store has forgotten is taken back at the next beat, also while the next owner cannot be told', async () => {
  const { clock, store, node, held } = setup()
  await node('a')
  await clock.advance(BEAT_MS / 2)
  const forgotten = new MemoryStore({ shards: SHARDS, shared: true })
  for (const { shard } of await store.shards())
    await forgotten.claim({ shard, expected: 0 as Epoch, from: null, owner: 'a' })
  held()
  await node('b')
  await clock.advance(BEAT_MS)
  const claimedBy: string[] = []
  for (const key of ['beat', 'release', 'shards'] as const) store[key] = forgotten[key].bind(forgotten) as never
  store.claim = (claim) => {
    claimedBy.push(claim.owner)
    return forgotten.claim(claim)
  }
  await clock.advance(2 * BEAT_MS)
  assert.ok(claimedBy.includes('a'), 'nobody fires the timers of these shards')
})

test('the next owner is told once, also where the row of a dead node has its address', async () => {
  const clock = new ManualClock()
  const store = new MemoryStore({ shards: SHARDS, shared: true })
  const told: string[] = []
  const neighbours: Neighbours = {
    notify: () => {},
    prepare: async () => {},
    moved: async (address) => void told.push(address),
    report: async () => false,
  }
  const a = new Node({ name: 'a', address: 'a', clock, store, neighbours })
  const beat = (name: string, number: number) =>
    store.beat({ node: name, address: 'here', leaving: false, beat: number, now: 0 })
  await beat('dead', 1)
  await a.ownership.start()
  for (let number = 1; number <= 3; number++) {
    await beat('b', number)
    await clock.advance(BEAT_MS)
  }
  assert.deepEqual(told, ['here'])
})

test('shards are split only when whoever has not heard of it knows that it may be out of date', async () => {
  const { clock, store, node } = setup()
  await node('a')
  const b = await node('b')
  await clock.advance(3 * BEAT_MS)
  b.isCutOff = true
  const layout = await readLayout(store)
  await changeLayout(store, layout, { ...layout, next: announced(resized(layout, null, 2 * SHARDS)) })
  for (let waited = 0; (await readLayout(store)).next!.phase === 'announced'; waited += BEAT_MS / 4) {
    assert.ok(waited < 3 * LEASE_MS)
    await clock.advance(BEAT_MS / 4)
  }
  assert.equal(b.ownership.layout.current.next, null)
  assert.equal(b.ownership.isCertain, false)
})
