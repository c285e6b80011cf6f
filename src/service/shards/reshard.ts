// Moves every timer to the shard that another layout has it in, while no node serves the database. The next layout is stored before
// the first timer is moved, and takes the place of the current one when all are where it has them. In between no node touches a
// timer. Every step can be done again: whoever is stopped runs it again, and it goes on by what it finds.

import { groupsOf, pinned, resized, shardIn, shardsOf } from '../../core/cluster/layout.ts'
import type { ShardGroup, ShardGroups } from '../../core/cluster/layout.ts'
import type { LifecycleEvent } from '../../core/events/lifecycle-event.ts'
import type { OrderKey } from '../../core/timer/order.ts'
import type { Namespace, ShardId, Timer } from '../../core/timer/timer.ts'
import { partsWithin } from '../../store/commit-sheet.ts'
import { changeLayout } from '../../store/layout/layout-row.ts'
import type { StoredLayout } from '../../store/layout/layout-row.ts'
import { MOVED_MAX } from '../../store/store.ts'
import type { OutboxEvent, Store } from '../../store/store.ts'
import type { SoleOwner } from '../transfer/sole-owner.ts'
import { TransferError } from '../transfer/transfer-error.ts'

/** Another number of shards, and a rule if one is given, for a namespace or for those that share (null). */
export type Resize = {
  readonly namespace: Namespace | null
  readonly count: number
  readonly rule?: Pick<ShardGroup, 'label' | 'whenNoneLives'>
}

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
const EVENTS_AT_ONCE = 500
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

/** What was begun before is gone on with. */
async function begin({ store, owner, wanted }: ReshardOptions): Promise<{ layout: StoredLayout; next: ShardGroups }> {
  const { layout } = owner
  if (layout.next !== null) {
    if (wanted !== null && sizeOf(layout.next, wanted.namespace) !== wanted.count)
      throw new TransferError(
        'Another reshard of this database was begun: run `duetime reshard` without flags to finish it first.',
      )
    return { layout, next: layout.next }
  }
  if (wanted === null) throw new TransferError('No reshard of this database was begun: say --to how many shards.')
  const { namespace, count, rule } = wanted
  if (sizeOf(layout, namespace) === count) throw new TransferError(alreadySo(namespace, count))
  const groups = resized(layout, namespace, count)
  const next = (rule === undefined ? null : pinned(groups, namespace, rule)) ?? groups
  const begun = await changeLayout(store, layout, { ...layout, next })
  if (begun === null) throw interfered()
  return { layout: begun, next }
}

/** 0 for a namespace that has no shards of its own. */
function sizeOf({ shared, own }: ShardGroups, namespace: Namespace | null): number {
  return (namespace === null ? shared : own.get(namespace))?.count ?? 0
}

function alreadySo(namespace: Namespace | null, count: number): string {
  if (namespace === null) return `The namespaces that share their shards have ${count} already.`
  return count === 0
    ? `Namespace '${namespace}' has no shards of its own.`
    : `Namespace '${namespace}' has ${count} shards already.`
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
    await moveEvents(shard, next, { store, owner })
  }
  return { found, moved }
}

async function moveSome(
  from: ShardId,
  to: ShardId,
  timers: readonly Timer[],
  { store, owner }: Pick<ReshardOptions, 'store' | 'owner'>,
): Promise<number> {
  const isMoved = await store
    .move({ from: owner.fenceOf(from), to: owner.fenceOf(to), timers })
    .catch((error: unknown) => {
      throw new TransferError(`${(error as Error).message}\n${AGAIN}`, { cause: error })
    })
  if (!isMoved) throw new TransferError(`Somebody else took a shard over: stop every node first. ${AGAIN}`)
  return timers.length
}

/** What waits to be published. Cut short, some of it is there twice: receivers know events by their ids. */
async function moveEvents(
  shard: ShardId,
  next: ShardGroups,
  { store, owner }: Pick<ReshardOptions, 'store' | 'owner'>,
): Promise<void> {
  for (let after = 0; ;) {
    const events = await store.readEvents({ shard, after, limit: EVENTS_AT_ONCE })
    if (events.length === 0) return
    after = events.at(-1)!.number
    for (const [to, some] of Map.groupBy(events, (event) => shardIn(next, event))) {
      if (to === shard) continue
      await addEvents(to, some, { store, owner })
      await store.removeEvents({ shard, numbers: some.map(({ number }) => number) })
    }
  }
}

async function addEvents(
  to: ShardId,
  events: readonly OutboxEvent[],
  { store, owner }: Pick<ReshardOptions, 'store' | 'owner'>,
): Promise<void> {
  const fence = owner.fenceOf(to)
  const parts = partsWithin(store.capabilities.partMax, events, (some) => {
    return { ...fence, puts: [], deletes: [], counters: [], events: some.map(withoutNumber) }
  })
  for (const { part } of parts) {
    const [result] = await store.commit([part])
    if (result!.type === 'failed') throw new TransferError(`${result!.error.message}\n${AGAIN}`)
    if (result!.type !== 'written') throw interfered()
  }
}

function withoutNumber({ uuid, namespace, type, id, at, body }: OutboxEvent): LifecycleEvent {
  return { uuid, namespace, type, id, at, body }
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

function interfered(): TransferError {
  return new TransferError(
    'Somebody else has changed the layout of the shards meanwhile. Look at it with `duetime shards`, and run the command again.',
  )
}
