import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { initialLayout, resized, shardIn } from '../../core/cluster/layout.ts'
import { announced, partsOf, splitOf } from '../../core/cluster/split.ts'
import { compareKeys } from '../../core/timer/order.ts'
import { NEVER, Status } from '../../core/timer/timer.ts'
import type { Epoch, ShardId, Timer, TimerId } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { silentLogger } from '../../runtime/telemetry/logger.ts'
import { partOf } from '../../store/commit-sheet.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { changeLayout, readLayout } from '../../store/layout/layout-row.ts'
import { MemoryStore } from '../../store/memory/memory-store.ts'
import type { OwnedShard } from '../../store/store.ts'
import { firstOf } from './merged-pages.ts'
import { emptyShard } from './split-mover.ts'
import { SplitShard } from './split-shard.ts'

const SOURCE = 0 as ShardId
const NEXT = resized(initialLayout(1), null, 3)
const PARTS = partsOf(splitOf({ ...initialLayout(1), next: announced(NEXT) })!, SOURCE)
const EVERYTHING = { after: null, until: NEVER, limit: 1_000 }

function timers(count: number): Timer[] {
  return Array.from({ length: count }, (_, n) => {
    const status = n % 4 === 3 ? Status.completed : Status.pending
    return sampleTimer({ id: `t${n}` as TimerId, wakeAt: 1_000 + (n % 7), status })
  })
}

async function setup(rows: readonly Timer[]) {
  const store = new MemoryStore({ shards: 1 })
  const clock = new ManualClock()
  const claim = async (owner: string): Promise<OwnedShard> => {
    const { epoch: expected, owner: from } = (await store.shards()).find(({ shard }) => shard === SOURCE) ?? {
      epoch: 0 as Epoch,
      owner: null,
    }
    return { shard: SOURCE, epoch: (await store.claim({ shard: SOURCE, expected, from, owner }))!, owner }
  }
  const first = await claim('before')
  await store.commit([
    partOf(
      first,
      rows.map((after) => ({ before: null, after })),
    ),
  ])
  const layout = await readLayout(store)
  await changeLayout(store, layout, { ...layout, next: { ...announced(NEXT), phase: 'splitting' } })
  const fenced: OwnedShard[] = []
  const split = async (owner: string, had = new Map<ShardId, Epoch>()) => {
    const fence = await claim(owner)
    const onFenced = (one: OwnedShard) => fenced.push(one)
    return new SplitShard({ store, clock, logger: silentLogger(), fence, parts: PARTS, had, next: NEXT, onFenced })
  }
  const stored = async (shard: ShardId) => {
    const scans = [false, true].map((finished) => store.scan({ shard, finished, after: null, limit: 1_000 }))
    return (await Promise.all(scans)).flat()
  }
  return { store, clock, split, stored, fenced }
}

const idsOf = (some: readonly Timer[]) => some.map(({ id }) => id)

test('the first timers of some shards together are the first of all of them', () => {
  const pages = fc.array(fc.uniqueArray(fc.nat(60), { maxLength: 20 }), { maxLength: 5 })
  fc.assert(
    fc.property(pages, fc.integer({ min: 1, max: 30 }), (all, limit) => {
      const asTimers = all.map((ns) =>
        ns.map((n) => sampleTimer({ id: `t${n}` as TimerId, wakeAt: n % 9 })).toSorted(compareKeys),
      )
      const different = new Map(asTimers.flat().map((timer) => [timer.uuid, timer]))
      const expected = [...different.values()].toSorted(compareKeys).slice(0, limit)
      const cut = asTimers.map((page) => page.slice(0, limit))
      assert.deepEqual(idsOf(firstOf(limit, cut)).slice(0, limit), idsOf(expected))
    }),
  )
})

test('a timer is seen once, wherever it is, and is in its part before it is written', async () => {
  const rows = timers(20)
  const { store, split, stored } = await setup(rows)
  const shard = await split('owner')
  const live = rows.filter(({ status }) => status === Status.pending).toSorted(compareKeys)
  for (const timer of live.slice(0, 5)) {
    const fence = await shard.place(timer)
    assert.equal(fence!.shard, shardIn(NEXT, timer))
    assert.ok(idsOf(await stored(fence!.shard)).includes(timer.id))
    const after = { ...timer, version: timer.version + 1 }
    assert.deepEqual(await store.commit([partOf(fence!, [{ before: timer, after }])]), [{ type: 'written' }])
    assert.equal((await shard.get(timer))!.version, after.version)
  }
  assert.deepEqual(idsOf(await shard.due(EVERYTHING)), idsOf(live))
  assert.equal((await stored(SOURCE)).length, 15)
})

test('all timers are moved to their parts, and then the shard is empty', async () => {
  const rows = timers(30)
  const { store, clock, split, stored } = await setup(rows)
  const shard = await split('owner')
  const empty = Promise.withResolvers<ShardId>()
  const limits = { pageSize: 4 }
  const running = emptyShard(shard, { store, clock, logger: silentLogger(), limits, onEmpty: empty.resolve })
  assert.equal(await empty.promise, SOURCE)
  shard.stop()
  await running
  assert.deepEqual(await stored(SOURCE), [])
  for (const part of PARTS) {
    const expected = rows.filter((timer) => shardIn(NEXT, timer) === part)
    assert.deepEqual(idsOf(await stored(part)).toSorted(), idsOf(expected).toSorted())
  }
})

test('a timer that is in the shard again after a fail-over of the database is found, and moved again', async () => {
  const rows = timers(4)
  const { store, clock, split, stored } = await setup(rows)
  const shard = await split('owner')
  const empty = Promise.withResolvers<ShardId>()
  const limits = { pageSize: 4 }
  const running = emptyShard(shard, { store, clock, logger: silentLogger(), limits, onEmpty: empty.resolve })
  await empty.promise
  const [timer] = rows
  const part = (await shard.fences()).get(shardIn(NEXT, timer!))!
  const source = (await store.shards()).find((row) => row.shard === SOURCE)!
  await store.move({ from: part, to: { ...source, owner: 'owner' }, timers: [timer!] })
  assert.equal((await shard.get(timer!))?.id, timer!.id)
  assert.ok(idsOf(await shard.due(EVERYTHING)).includes(timer!.id))
  assert.deepEqual(await shard.place(timer!), part)
  assert.deepEqual(await stored(SOURCE), [])
  shard.stop()
  await running
})

test('parts are not claimed by an epoch that this node has had and the database has forgotten', async () => {
  const { split } = await setup([])
  const [part] = PARTS
  const shard = await split('owner', new Map([[part!, 7 as Epoch]]))
  assert.equal((await shard.fences()).get(part!)!.epoch, 8)
})

test('writes that wait for a move are counted', async () => {
  const rows = timers(3)
  const { split } = await setup(rows)
  const shard = await split('owner')
  const page = Promise.withResolvers<Timer[]>()
  const moved = shard.move(() => page.promise)
  const placed = rows.map((timer) => shard.place(timer))
  assert.equal(shard.placing, 3)
  page.resolve([])
  await Promise.all([moved, ...placed])
  assert.equal(shard.placing, 0)
})

test('who owns the shard next has its parts, and the one before can neither move nor write', async () => {
  const rows = timers(4)
  const { store, split, fenced } = await setup(rows)
  const before = await split('a')
  const written = (await before.place(rows[0]!))!
  const after = await split('b')
  assert.equal((await after.fences()).size, PARTS.length)
  assert.deepEqual(await store.commit([partOf(written, [])]), [{ type: 'fenced' }])
  assert.equal(await before.place(rows[1]!), null)
  assert.deepEqual(
    fenced.map(({ owner }) => owner),
    ['a'],
  )
})

test('a shard that has been split meanwhile is not opened once more', async () => {
  const { store, split, fenced } = await setup(timers(4))
  const layout = await readLayout(store)
  await changeLayout(store, layout, { ...layout, next: { ...layout.next!, done: new Set([SOURCE]) } })
  await assert.rejects((await split('late')).fences(), /is not to be split any more/)
  assert.equal(fenced.length, 1)
  assert.deepEqual(
    (await store.shards()).filter(({ shard }) => PARTS.includes(shard)),
    [],
  )
})
