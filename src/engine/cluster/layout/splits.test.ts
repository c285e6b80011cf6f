import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { resized } from '../../../core/cluster/layout.ts'
import type { Reshard } from '../../../core/cluster/layout.ts'
import { announced } from '../../../core/cluster/split.ts'
import type { Epoch, ShardId, TimerId } from '../../../core/timer/timer.ts'
import { ManualClock } from '../../../runtime/clock/manual-clock.ts'
import { silentLogger } from '../../../runtime/telemetry/logger.ts'
import { partOf } from '../../../store/commit-sheet.ts'
import { sampleTimer } from '../../../store/conformance/sample-timer.ts'
import { changeLayout, readLayout } from '../../../store/layout/layout-row.ts'
import { MemoryStore } from '../../../store/memory/memory-store.ts'
import type { TimerStore } from '../../../store/store.ts'
import type { RemoteDelivery } from '../../delivery/remote-delivery.ts'
import { Claims } from '../claims.ts'
import type { LocalShards } from '../claims.ts'
import { ClusterMap } from '../cluster-map.ts'
import { Lease } from '../lease.ts'
import { KnownLayout } from './known-layout.ts'
import { Splits } from './splits.ts'

const NODE = 'n'
const SOURCE = 0 as ShardId
const LEASE_MS = 5_000
const BEATS = 5
const NO_SHARDS: LocalShards = {
  open: () => {},
  close: async () => {},
  handOver: () => ({ deliveries: () => [], end: () => {} }),
  drop: () => {},
  told: () => {},
  isOpen: () => false,
  splitOf: () => null,
  seen: () => {},
}

/** A node of a database with one shard, which is being split in two. */
async function setup(progress: Partial<Reshard> = {}) {
  const database = new MemoryStore({ shards: 1, shared: true })
  const first = await readLayout(database)
  const next = { ...announced(resized(first, null, 2)), phase: 'splitting', ...progress } as const
  await changeLayout(database, first, { ...first, next })
  const clock = new ManualClock()
  const logger = silentLogger()
  const stored = async () => (await readLayout(database)).next
  const splits = async (store: TimerStore = database) => {
    const layout = new KnownLayout(1, logger)
    layout.take(await readLayout(database))
    const options = { store, clock, logger, node: NODE, shards: NO_SHARDS }
    const claims = new Claims(options, new ClusterMap(), () => layout.shards)
    const lease = new Lease(clock, LEASE_MS)
    lease.renewed(lease.now())
    let looked = Promise.withResolvers<void>()
    const one = new Splits({
      ...options,
      leaseMs: LEASE_MS,
      claims,
      layout,
      lease,
      lookNow: async () => looked.resolve(),
    })
    const changed = async (): Promise<void> => {
      await looked.promise
      looked = Promise.withResolvers()
    }
    return { splits: one, layout, lease, changed }
  }
  const fill = async () => {
    const claim = { shard: SOURCE, expected: 0 as Epoch, from: null, owner: NODE }
    const fence = { shard: SOURCE, epoch: (await database.claim(claim))!, owner: NODE }
    await database.commit([partOf(fence, [{ before: null, after: sampleTimer({ id: 'back' as TimerId }) }])])
  }
  return { database, clock, splits, stored, fill }
}

test('a shard is done when nothing was found in it after the layout said that it is empty', async () => {
  const { database, splits, stored } = await setup()
  const seen: (readonly ShardId[])[] = []
  const store: TimerStore = Object.assign(Object.create(database) as MemoryStore, {
    capabilities: database.capabilities,
    shards: () => database.shards(),
    claim: (claim: Parameters<TimerStore['claim']>[0]) => database.claim(claim),
    readEvents: (read: Parameters<TimerStore['readEvents']>[0]) => database.readEvents(read),
    scan: async (scan: Parameters<TimerStore['scan']>[0]) => {
      seen.push([...(await stored())!.emptied])
      return database.scan(scan)
    },
  })
  const node = await splits(store)
  node.splits.emptied(SOURCE)
  await node.changed()
  assert.deepEqual((await stored())!.done, new Set([SOURCE]))
  assert.deepEqual(seen, [[SOURCE], [SOURCE]])
})

test('a shard to which a fail-over has brought a timer back is not done', async () => {
  const { splits, stored, fill } = await setup()
  const node = await splits()
  await fill()
  node.splits.emptied(SOURCE)
  await node.changed()
  assert.deepEqual((await stored())!.done, new Set())
})

test('the next layout does not become the current one when a fail-over has forgotten that a shard is done', async () => {
  const { database, splits, stored } = await setup({ done: new Set([SOURCE]) })
  const node = await splits()
  const layout = await readLayout(database)
  await changeLayout(database, layout, { ...layout, next: { ...layout.next!, done: new Set() } })
  node.splits.step(new Map())
  await node.changed()
  assert.equal((await stored())!.phase, 'splitting')
})

test('a reshard that is announced anew is waited for as long as the first one', async () => {
  const { database, clock, splits, stored } = await setup({ phase: 'announced' })
  const { layout, lease, splits: steps } = await splits()
  const look = async () => {
    lease.renewed(lease.now())
    layout.take(await readLayout(database))
    steps.step(new Map())
  }
  const waitAlmostALease = async () => {
    for (let beats = 0; beats < BEATS; beats++) {
      await look()
      await clock.advance(LEASE_MS / BEATS - 1)
    }
  }
  await waitAlmostALease()
  const announcement = await readLayout(database)
  await changeLayout(database, announcement, { ...announcement, next: null })
  await look()
  await changeLayout(database, await readLayout(database), announcement)
  await waitAlmostALease()
  await look()
  await setImmediate()
  assert.equal((await stored())!.phase, 'announced')
  await clock.advance(BEATS)
  await look()
  await setImmediate()
  assert.equal((await stored())!.phase, 'splitting')
})

test('the deliveries of a shard that was split go to its parts, also to those that nobody has claimed yet', async () => {
  const PART = 1 as ShardId
  const delivery = { uuid: 'u', deliveryId: 'd' } as RemoteDelivery
  const opened: unknown[] = []
  const shards = { ...NO_SHARDS, open: (...told: unknown[]) => void opened.push(told) }
  const options = { store: new MemoryStore({ shared: true }), clock: new ManualClock(), logger: silentLogger() }
  const claims = new Claims({ ...options, node: NODE, shards }, new ClusterMap(), () => [PART])
  let hasEnded = false
  const handover = { deliveries: () => [delivery], end: () => void (hasEnded = true) }
  claims.adoptParts({ parts: [PART], held: new Map(), isFinishing: true, partOf: () => PART }, handover)
  claims.dropWhatIsLost()
  assert.equal(hasEnded, false)
  await claims.claimMissing(
    new Map([[PART, NODE]]),
    () => true,
    () => null,
  )
  assert.deepEqual(opened, [[PART, 1, [delivery]]])
  assert.equal(hasEnded, true)
})
