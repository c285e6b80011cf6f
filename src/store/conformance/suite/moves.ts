// What every store must do about the layout and about timers that change their shard. Part of the suite in conformance.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initialLayout, resized } from '../../../core/cluster/layout.ts'
import { Status } from '../../../core/timer/timer.ts'
import type { Epoch, Namespace, ShardId, Timer, TimerId } from '../../../core/timer/timer.ts'
import { changeLayout, clusterLook, readLayout } from '../../layout/layout-row.ts'
import { claimed, countsOf, getOne, idsOf, listAll, OWNER, SHARD } from '../owned-store.ts'
import type { Owned, Setup } from '../owned-store.ts'
import { sampleTimer } from '../sample-timer.ts'

const NEXT = 5 as ShardId

export function storeMoves(name: string, setup: Setup): void {
  test(`${name}: the layout is that of the first use until it is changed, and every beat tells it`, async (t) => {
    const { store } = await setup(t)
    const { shards } = store.capabilities
    const first = await readLayout(store)
    assert.deepEqual(first, { ...initialLayout(shards), text: null })
    const groups = {
      ...resized(first, 'eu' as Namespace, 4),
      next: {
        ...resized(first, null, 128),
        phase: 'splitting',
        emptied: new Set([SHARD, NEXT]),
        done: new Set([SHARD]),
      },
    } as const
    const changed = await changeLayout(store, first, groups)
    assert.deepEqual(changed, { ...groups, version: 1, text: changed!.text })
    assert.deepEqual(await readLayout(store), changed)
    const beat = clusterLook(await store.beat({ node: 'n', address: null, leaving: false, beat: 1, now: 1 }), shards)
    assert.deepEqual(beat.layout, changed)
    assert.deepEqual(
      beat.shards.map(({ shard }) => shard),
      [SHARD],
    )
  })

  test(`${name}: of two changes of the same layout one is refused`, async (t) => {
    const { store } = await setup(t)
    const first = await readLayout(store)
    const to = (count: number) => changeLayout(store, first, { ...resized(first, null, count), next: null })
    const changed = (await Promise.all([to(2), to(3)])).filter((layout) => layout !== null)
    assert.equal(changed.length, 1)
    assert.deepEqual(await readLayout(store), changed[0])
    assert.equal(await to(4), null)
  })

  test(`${name}: the rows of a shard are read in order, live and finished ones by themselves`, async (t) => {
    const owned = await setup(t)
    const timers = [3, 1, 2].map((n) => at(`live ${n}`, 1_000 * n))
    const ended = [5, 4].map((n) => finished(at(`finished ${n}`, 1_000 * n)))
    await owned.add(...timers, ...ended)
    const scan = (isFinished: boolean, after: Timer | null, limit = 10) =>
      owned.store.scan({ shard: SHARD, finished: isFinished, after, limit })
    assert.deepEqual(idsOf(await scan(false, null)), ['live 1', 'live 2', 'live 3'])
    assert.deepEqual(idsOf(await scan(true, null)), ['finished 4', 'finished 5'])
    assert.deepEqual(await scan(false, timers[1]!, 1), [timers[2]])
    assert.deepEqual(await owned.store.scan({ shard: NEXT, finished: false, after: null, limit: 10 }), [])
  })

  test(`${name}: moved timers are in the other shard as they were, and nothing is counted`, async (t) => {
    const { owned, to, timers } = await moving(t, setup)
    const counts = await countsOf(owned.store)
    assert.equal(await owned.store.move({ from: owned.fence, to, timers: timers.slice(1) }), true)
    assert.deepEqual(await rowsOf(owned, SHARD), [timers[0]])
    assert.deepEqual(await rowsOf(owned, NEXT), timers.slice(1))
    for (const timer of timers.slice(1)) assert.deepEqual(await getOne(owned.store, timer, NEXT), timer)
    assert.deepEqual(await countsOf(owned.store), counts)
    assert.deepEqual(idsOf(await listAll(owned.store, {}, 2)).toSorted(), idsOf(timers).toSorted())
  })

  test(`${name}: a move that is done again changes nothing, and neither does one of timers that are elsewhere`, async (t) => {
    const { owned, to, timers } = await moving(t, setup)
    const move = { from: owned.fence, to, timers }
    for (let times = 0; times < 2; times++) assert.equal(await owned.store.move(move), true)
    assert.deepEqual(await rowsOf(owned, SHARD), [])
    assert.deepEqual(await rowsOf(owned, NEXT), timers)
    assert.equal(await owned.store.move({ ...move, timers: [at('nowhere', 1_000)] }), true)
  })

  test(`${name}: timers are moved only under the fences of both shards`, async (t) => {
    const { owned, to, timers } = await moving(t, setup)
    const stale = { ...to, epoch: (to.epoch + 1) as Epoch }
    assert.equal(await owned.store.move({ from: owned.fence, to: stale, timers }), false)
    assert.equal(await owned.store.move({ from: owned.fence, to: { ...to, owner: 'b' }, timers }), false)
    assert.deepEqual(await rowsOf(owned, SHARD), timers)
    assert.deepEqual(await rowsOf(owned, NEXT), [])
  })

  test(`${name}: a moved timer is changed, and deleted, in its new shard alone`, async (t) => {
    const { owned, to, timers } = await moving(t, setup)
    await owned.store.move({ from: owned.fence, to, timers })
    const [before] = timers
    const after = { ...before!, version: before!.version + 1, wakeAt: before!.wakeAt + 1 }
    const part = { puts: [{ before: before!, after }], deletes: [], counters: [], events: [] }
    const [refused] = await owned.store.commit([{ ...owned.fence, ...part }])
    assert.equal(refused!.type, 'missed')
    assert.deepEqual(await owned.store.commit([{ ...to, ...part }]), [{ type: 'written' }])
    assert.deepEqual(await getOne(owned.store, after, NEXT), after)
  })
}

async function moving(t: Parameters<Setup>[0], setup: Setup) {
  const owned = await setup(t)
  const to = { shard: NEXT, epoch: await claimed(owned.store, NEXT), owner: OWNER }
  const timers = [at('first', 1_000), at('second', 2_000), finished(at('third', 3_000))]
  await owned.add(...timers)
  return { owned, to, timers }
}

function at(id: string, wakeAt: number): Timer {
  return sampleTimer({ id: id as TimerId, wakeAt })
}

function finished(timer: Timer): Timer {
  return { ...timer, status: Status.completed }
}

async function rowsOf({ store }: Owned, shard: ShardId): Promise<Timer[]> {
  const scans = [false, true].map((isFinished) => store.scan({ shard, finished: isFinished, after: null, limit: 100 }))
  return (await Promise.all(scans)).flat()
}
