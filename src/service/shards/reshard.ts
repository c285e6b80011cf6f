// Moves every timer to the shard that another layout has it in, while no node serves the database. The next layout is stored before
// the first timer is moved, and takes the place of the current one when all are where it has them. In between no node touches a
// timer. Every step can be done again: whoever is stopped runs it again, and it goes on by what it finds.

import { groupsOf, shardIn, shardsOf } from '../../core/cluster/layout.ts'
import type { Reshard, ShardGroups } from '../../core/cluster/layout.ts'
import { announced } from '../../core/cluster/split.ts'
import type { OrderKey } from '../../core/timer/order.ts'
import type { ShardId, Timer } from '../../core/timer/timer.ts'
import { changeLayout } from '../../store/layout/layout-row.ts'
import type { StoredLayout } from '../../store/layout/layout-row.ts'
import { moveEvents } from '../../store/layout/move-events.ts'
import { MOVED_MAX } from '../../store/store.ts'
import type { Store } from '../../store/store.ts'
import type { SoleOwner } from '../transfer/sole-owner.ts'
import { TransferError } from '../transfer/transfer-error.ts'
import { interfered, wantedGroups } from './wanted-layout.ts'
import type { Resize } from './wanted-layout.ts'

export type ReshardOptions = {
  readonly store: Store
  readonly owner: SoleOwner
  /** Null: only go on with what was begun. */
  readonly wanted: Resize | null
  readonly onProgress?: (done: number, total: number) => void
  readonly signal?: AbortSignal
}

export type ReshardResult = { readonly moved: number; readonly timers: number; readonly shards: number }

const PAGE_BYTES = 4 * 2 ** 20 // of payloads, about
const PAGE_ROWS_FIRST = 50
const PAGE_ROWS_MIN = 5
const AGAIN = 'Run `duetime reshard` to go on. No node serves this database until it is finished.'

export async function reshard(options: ReshardOptions): Promise<ReshardResult> {
  const { store, owner } = options
  const { layout, next } = await begin(options)
  await owner.claim([...shardsOf(layout), ...shardsOf(next)])
  const { found, moved } = await moveAll(layout, next, options)
  const timers = await countIn(shardsOf(next), store)
  if (timers !== found || (await countIn(without(shardsOf(layout), next), store)) > 0)
    throw new TransferError(
      `${found} timers were there before, and ${timers} are where the new layout has them: nothing was switched. ${AGAIN}`,
    )
  if ((await changeLayout(store, layout, { ...next, next: null })) === null) throw interfered()
  return { moved, timers, shards: shardsOf(next).length }
}

/** What was begun before is gone on with, also if nodes have begun it: no node runs now. */
async function begin({ store, owner, wanted }: ReshardOptions): Promise<{ layout: StoredLayout; next: ShardGroups }> {
  const { layout } = owner
  const groups = wantedGroups(layout, wanted)
  if (groups === null && layout.next!.phase === 'offline') return { layout, next: layout.next! }
  const next: Reshard = { ...announced(groups ?? layout.next!), phase: 'offline' }
  const begun = await changeLayout(store, layout, { ...layout, next })
  if (begun === null) throw interfered()
  return { layout: begun, next }
}

async function moveAll(
  layout: StoredLayout,
  next: ShardGroups,
  options: ReshardOptions,
): Promise<{ readonly found: number; readonly moved: number }> {
  const { store, owner, onProgress, signal } = options
  const total = (await store.stats()).counts.reduce((sum, { count }) => sum + count, 0)
  // An earlier run has brought them there.
  let found = await countIn(without(shardsOf(next), layout), store)
  let moved = 0
  for (const shard of shardsOf(layout)) {
    for await (const timers of pagesOf(shard, store)) {
      if (signal?.aborted)
        throw new TransferError(`The reshard was stopped after ${found} of ${total} timers. ${AGAIN}`)
      const elsewhere = [...Map.groupBy(timers, (timer) => shardIn(next, timer))].filter(([to]) => to !== shard)
      const moves = elsewhere.map(([to, some]) => moveSome(shard, to, some, options))
      moved += (await Promise.all(moves)).reduce((sum, count) => sum + count, 0)
      found += timers.length
      onProgress?.(found, Math.max(found, total))
    }
    const fences = new Map(shardsOf(next).map((to) => [to, owner.fenceOf(to)]))
    await moveEvents(shard, { store, fenceFor: (event) => fences.get(shardIn(next, event))! }).catch(failed)
  }
  return { found, moved }
}

async function moveSome(
  from: ShardId,
  to: ShardId,
  timers: readonly Timer[],
  { store, owner }: Pick<ReshardOptions, 'store' | 'owner'>,
): Promise<number> {
  const isMoved = await store.move({ from: owner.fenceOf(from), to: owner.fenceOf(to), timers }).catch(failed)
  if (!isMoved) throw new TransferError(`Somebody else took a shard over: stop every node first. ${AGAIN}`)
  return timers.length
}

function failed(error: unknown): never {
  throw new TransferError(`${(error as Error).message}\n${AGAIN}`, { cause: error })
}

async function countIn(shards: readonly ShardId[], store: Store): Promise<number> {
  let count = 0
  for (const shard of shards) for await (const timers of pagesOf(shard, store)) count += timers.length
  return count
}

/** As many at a time as are about as large as a page may be. */
async function* pagesOf(shard: ShardId, store: Store): AsyncGenerator<readonly Timer[]> {
  let limit = PAGE_ROWS_FIRST
  for (const finished of [false, true]) {
    for (let after: OrderKey | null = null; ;) {
      const timers: readonly Timer[] = await store.scan({ shard, finished, after, limit })
      if (timers.length > 0) yield timers
      if (timers.length < limit) break
      after = timers.at(-1)!
      const bytes = timers.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0)
      const fitting = Math.floor((PAGE_BYTES * timers.length) / Math.max(1, bytes))
      limit = Math.min(MOVED_MAX, Math.max(PAGE_ROWS_MIN, fitting))
    }
  }
}

/** Those that the other layout does not have. */
function without(shards: readonly ShardId[], other: ShardGroups): ShardId[] {
  const groups = groupsOf(other)
  return shards.filter((shard) => !groups.some(({ first, count }) => shard >= first && shard < first + count))
}
