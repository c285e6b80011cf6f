// An online reshard splits the shards of one group while nodes run: every shard, the *source*, becomes some new ones, its *parts*.
// Until it is done the source is what a node owns, and its timers are in it or in its parts already: they move in that direction
// only. Then the parts take its place.

import type { ShardId } from '../timer/timer.ts'
import { shardIn, shardsIn, shardsOf } from './layout.ts'
import type { Layout, PlacedTimer, Reshard, ShardGroup, ShardGroups } from './layout.ts'
import { assignShards } from './shard-assignment.ts'
import type { LabelledNode } from './shard-assignment.ts'

/** Of the one group that changes. */
export type Split = { readonly from: ShardGroup; readonly to: ShardGroup }

/** Null when no reshard is under way that nodes do. */
export function splitOf(layout: Layout): Split | null {
  return layout.next === null || layout.next.phase === 'offline' ? null : changedGroup(layout, layout.next)
}

/** How one becomes the other while nodes run; null when it takes that no node runs: a shard can only be split. */
export function changedGroup(before: ShardGroups, after: ShardGroups): Split | null {
  if (before.own.size !== after.own.size) return null
  const pairs = [
    { from: before.shared, to: after.shared },
    ...Array.from(before.own, ([namespace, from]) => ({ from, to: after.own.get(namespace) })),
  ].filter(({ from, to }) => to?.first !== from.first || to.count !== from.count)
  const [pair] = pairs
  if (pairs.length !== 1 || pair!.to === undefined || pair!.to.count % pair!.from.count !== 0) return null
  return { from: pair!.from, to: pair!.to }
}

/** The shards that a shard becomes. */
export function partsOf({ from, to }: Split, source: ShardId): ShardId[] {
  const first = to.first + source - from.first
  return Array.from({ length: to.count / from.count }, (_, index) => (first + index * from.count) as ShardId)
}

/** Its timers may be in its parts already. */
export function isSplitting(layout: Layout, shard: ShardId): boolean {
  if (layout.next?.phase !== 'splitting' || layout.next.done.has(shard)) return false
  const { first, count } = splitOf(layout)!.from
  return shard >= first && shard < first + count
}

/** The shard whose owner has the timer. */
export function placeOf(layout: Layout, timer: PlacedTimer): ShardId {
  const shard = shardIn(layout, timer)
  return layout.next !== null && layout.next.done.has(shard) ? shardIn(layout.next, timer) : shard
}

/** Where a timer may be stored. Whoever looks there in this order finds it: it moves from the first to the second, if at all. */
export function placesOf(layout: Layout, timer: PlacedTimer): readonly ShardId[] {
  const shard = shardIn(layout, timer)
  const next = layout.next === null || layout.next.phase === 'offline' ? shard : shardIn(layout.next, timer)
  return next === shard ? [shard] : [shard, next]
}

/** The shards that can have an owner. */
export function servedShards(layout: Layout): ShardId[] {
  const split = splitOf(layout)
  if (split === null) return shardsOf(layout)
  const { done } = layout.next!
  return shardsOf(layout).flatMap((shard) => (done.has(shard) ? partsOf(split, shard) : [shard]))
}

/** The desired owner of each of them. While timers are moved without nodes there are none. */
export function desiredOwners(layout: Layout, nodes: readonly LabelledNode[]): ReadonlyMap<ShardId, string> {
  if (layout.next === null) return assignShards(layout, nodes)
  if (layout.next.phase === 'offline') return new Map()
  const [before, after] = [assignShards(layout, nodes), assignShards(layout.next, nodes)]
  const owners = new Map<ShardId, string>()
  const split = splitOf(layout)!
  const isPart = (shard: ShardId) => shard >= split.to.first && shard < split.to.first + split.to.count
  for (const shard of servedShards(layout)) {
    const owner = (isPart(shard) ? after : before).get(shard)
    if (owner !== undefined) owners.set(shard, owner)
  }
  return owners
}

export function announced(next: ShardGroups): Reshard {
  return { ...next, phase: 'announced', emptied: new Set(), done: new Set() }
}

export function withEmptied(next: Reshard, source: ShardId): Reshard {
  return { ...next, emptied: new Set([...next.emptied, source]) }
}

export function withDone(next: Reshard, source: ShardId): Reshard {
  return { ...next, done: new Set([...next.done, source]) }
}

export function isAllDone({ from }: Split, { done }: Reshard): boolean {
  return shardsIn(from).every((source) => done.has(source))
}

/** `online`: nodes run and split their shards; if not, nobody fires. `done` of `total` shards are; `shards`: how many there will be. */
export type ReshardProgress = {
  readonly online: boolean
  readonly done: number
  readonly total: number
  readonly shards: number
}

/** Null when none is under way. Of one without nodes only who does it knows more. */
export function reshardProgress(layout: Layout): ReshardProgress | null {
  if (layout.next === null) return null
  const split = splitOf(layout)
  const total = split === null ? shardsOf(layout).length : split.from.count
  return { online: split !== null, done: layout.next.done.size, total, shards: shardsOf(layout.next).length }
}
