// Where the layout is stored: in the row of a shard that has no timers. The row's owner is the layout as text and its epoch is the
// layout's version. So a change is a claim, which is a compare-and-set in every engine, and the answer to every beat has the
// layout: a node that claims a shard by what a beat has told it knows the layout of that moment.

import { initialLayout, layoutFault } from '../../core/cluster/layout.ts'
import type { Layout, Reshard, ShardGroup, ShardGroups, WhenNoneLives } from '../../core/cluster/layout.ts'
import type { Epoch, Namespace, ShardId } from '../../core/timer/timer.ts'
import { StoreError } from '../store.ts'
import type { ClusterState, ShardRow, Store, TimerStore } from '../store.ts'

export const LAYOUT_SHARD = 1_000_000 as ShardId // far above every other one
const TEXT_BYTES_MAX = 256 * 1_024 // of the 400 kB that an item of DynamoDB has

/** `text`: as it is stored; null for the layout that every database has at first. */
export type StoredLayout = Layout & { readonly text: string | null }

/** What a beat tells of the cluster: the layout, and its shards. */
export type ClusterLook = ClusterState & { readonly layout: StoredLayout }

export function clusterLook({ nodes, shards }: ClusterState, initialShards: number): ClusterLook {
  const row = shards.find(({ shard }) => shard === LAYOUT_SHARD)
  return { nodes, shards: shards.filter((one) => one !== row), layout: layoutOf(row, initialShards) }
}

export async function readLayout(store: Pick<TimerStore, 'shards' | 'capabilities'>): Promise<StoredLayout> {
  const rows = await store.shards()
  return layoutOf(
    rows.find(({ shard }) => shard === LAYOUT_SHARD),
    store.capabilities.shards,
  )
}

/** The layout as it is then; null when somebody else has changed it since `before` was read. */
export async function changeLayout(
  store: Pick<Store, 'claim'>,
  before: StoredLayout,
  after: Omit<Layout, 'version'>,
): Promise<StoredLayout | null> {
  const fault = layoutFault(after) ?? (after.next === null ? null : layoutFault(after.next))
  if (fault !== null) throw new StoreError(fault, { retryable: false })
  const text = textOf(after)
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX)
    throw new StoreError('too many namespaces would have shards of their own', { retryable: false })
  const [expected, from] = [before.version as Epoch, before.text]
  const version = await store.claim({ shard: LAYOUT_SHARD, expected, from, owner: text })
  return version === null ? null : { ...after, version, text }
}

type GroupText = readonly [first: number, count: number, label: string | null, whenNoneLives: WhenNoneLives]
type ReshardText = GroupsText & {
  readonly phase: Reshard['phase']
  readonly emptied: readonly ShardId[]
  readonly done: readonly ShardId[]
}
type GroupsText = { readonly shared: GroupText; readonly own: Readonly<Record<string, GroupText>> }

function textOf({ next, ...groups }: Omit<Layout, 'version'>): string {
  return JSON.stringify({ ...groupsText(groups), ...(next !== null && { next: reshardText(next) }) })
}

function reshardText({ phase, emptied, done, ...groups }: Reshard): ReshardText {
  return { ...groupsText(groups), phase, emptied: [...emptied], done: [...done] }
}

function reshardOfText({ phase, emptied, done, ...groups }: ReshardText): Reshard {
  return { ...groupsOfText(groups), phase, emptied: new Set(emptied), done: new Set(done) }
}

function groupsText({ shared, own }: ShardGroups): GroupsText {
  return {
    shared: groupText(shared),
    own: Object.fromEntries(Array.from(own, ([name, group]) => [name, groupText(group)])),
  }
}

function groupText({ first, count, label, whenNoneLives }: ShardGroup): GroupText {
  return [first, count, label, whenNoneLives]
}

function layoutOf(row: ShardRow | undefined, initialShards: number): StoredLayout {
  if (row === undefined || row.owner === null) return { ...initialLayout(initialShards), text: null }
  const { next, ...groups } = JSON.parse(row.owner) as GroupsText & { readonly next?: ReshardText }
  return {
    version: row.epoch,
    ...groupsOfText(groups),
    next: next === undefined ? null : reshardOfText(next),
    text: row.owner,
  }
}

function groupsOfText({ shared, own }: GroupsText): ShardGroups {
  const groups = Object.entries(own).map(([name, text]) => [name as Namespace, groupOfText(text)] as const)
  return { shared: groupOfText(shared), own: new Map(groups) }
}

function groupOfText([first, count, label, whenNoneLives]: GroupText): ShardGroup {
  return { first, count, label, whenNoneLives }
}
