// The layout: which shards there are, which of them a timer can be in, and which nodes may own them. All nodes use the same one;
// it is stored beside the shards (see store/layout-row.ts) and changed as a whole.
//
// A group is a range of shards with a rule. Most namespaces share one group. A namespace can have a group of its own: only
// then its timers can be pinned to nodes, as a shard has one owner, whatever is in it.

import { invalidInput } from '../errors.ts'
import { LABEL_CHARS_MAX, SHARDS_MAX } from '../limits.ts'
import { shardOf } from '../timer/ids.ts'
import type { Namespace, ShardId, TimerUuid } from '../timer/timer.ts'

/** `wait`: the timers are late rather than on another node. */
export type WhenNoneLives = 'wait' | 'others'

export type ShardGroup = {
  readonly first: number
  readonly count: number
  /** Nodes with this label own the shards; null: all nodes. */
  readonly label: string | null
  /** What becomes of the shards while no node with the label lives. */
  readonly whenNoneLives: WhenNoneLives
}

export type ShardGroups = {
  readonly shared: ShardGroup
  /** Of namespaces with shards of their own. */
  readonly own: ReadonlyMap<Namespace, ShardGroup>
}

export type Layout = ShardGroups & {
  /** Grows with every change; 0 for a database in which nothing was ever changed. */
  readonly version: number
  /** Timers are being moved to these groups. */
  readonly next: Reshard | null
}

/**
 * How far a reshard is. `offline`: nobody may own a shard until it is done. The others are for nodes that run, see split.ts: first all
 * nodes hear of it (`announced`), then they split their shards (`splitting`).
 */
export type Reshard = ShardGroups & {
  readonly phase: 'offline' | 'announced' | 'splitting'
  /** Shards of the current layout in which nothing was found any more. They are looked at once more, now that this is stored. */
  readonly emptied: ReadonlySet<ShardId>
  /** Shards of the current layout that have been split: their timers are in shards of the next one, all of them. */
  readonly done: ReadonlySet<ShardId>
}

const LABEL_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._=-]*$/

/** Labels are listed in settings and shown in tables. */
export function parseLabel(text: string): string {
  if (text.length === 0 || text.length > LABEL_CHARS_MAX || !LABEL_PATTERN.test(text))
    throw invalidInput(
      'label',
      `label must be 1 to ${LABEL_CHARS_MAX} letters, digits, '.', '-', '_' or '=', and start with a letter or digit`,
    )
  return text
}

/** What says in which shard a timer is. */
export type PlacedTimer = { readonly namespace: Namespace; readonly uuid: TimerUuid }

export const NO_RULE = { label: null, whenNoneLives: 'others' } as const

export function initialLayout(shards: number): Layout {
  return { version: 0, shared: { first: 0, count: shards, ...NO_RULE }, own: new Map(), next: null }
}

/** The shard that a timer is in. */
export function shardIn({ shared, own }: ShardGroups, { namespace, uuid }: PlacedTimer): ShardId {
  const { first, count } = (own.size === 0 ? undefined : own.get(namespace)) ?? shared
  return (first + shardOf(uuid, count)) as ShardId
}

export function groupsOf({ shared, own }: ShardGroups): ShardGroup[] {
  return [shared, ...own.values()]
}

export function shardsOf(groups: ShardGroups): ShardId[] {
  return groupsOf(groups).flatMap(shardsIn)
}

export function shardsIn({ first, count }: ShardGroup): ShardId[] {
  return Array.from({ length: count }, (_, index) => (first + index) as ShardId)
}

/**
 * The same with another number of shards for the namespace, or for those that share (null). 0 gives a namespace's timers back to the
 * shared shards. The shards are new ones, so that where a timer is found says whether it has been moved.
 */
export function resized(groups: ShardGroups, namespace: Namespace | null, count: number): ShardGroups {
  const before = namespace === null ? groups.shared : groups.own.get(namespace)
  const group = { ...NO_RULE, ...before, count, first: freeRange(groupsOf(groups), count) }
  if (namespace === null) return { shared: group, own: groups.own }
  const own = new Map(groups.own)
  if (count === 0) own.delete(namespace)
  else own.set(namespace, group)
  return { shared: groups.shared, own }
}

/** The same with another rule for the namespace, or for those that share (null). Null: the namespace has no shards of its own. */
export function pinned(
  groups: ShardGroups,
  namespace: Namespace | null,
  rule: Pick<ShardGroup, 'label' | 'whenNoneLives'>,
): ShardGroups | null {
  if (namespace === null) return { shared: { ...groups.shared, ...rule }, own: groups.own }
  const group = groups.own.get(namespace)
  return group === undefined
    ? null
    : { shared: groups.shared, own: new Map(groups.own).set(namespace, { ...group, ...rule }) }
}

/** What a layout must not be; null when nothing is wrong with it. */
export function layoutFault(groups: ShardGroups): string | null {
  const total = groupsOf(groups).reduce((sum, { count }) => sum + count, 0)
  return total > SHARDS_MAX ? `that would be ${total} shards in all, and there can be ${SHARDS_MAX}` : null
}

/** Numbers of shards that were used before are used again: there is no end to resharding. */
function freeRange(groups: readonly ShardGroup[], count: number): number {
  let first = 0
  for (const group of groups.toSorted((a, b) => a.first - b.first)) {
    if (group.first - first >= count) break
    first = group.first + group.count
  }
  return first
}
