// Which node should own which shard, computed by every node for itself from the layout and the list of living nodes: rendezvous
// hashing, so that a node that comes or goes moves little but its own share, with a bound on each node's load, so
// that no node has more than one shard above another where both may have the same ones.

import type { ShardId } from '../timer/timer.ts'
import { groupsOf, shardsIn } from './layout.ts'
import type { ShardGroup, ShardGroups } from './layout.ts'

export type LabelledNode = { readonly node: string; readonly labels: readonly string[] }

/**
 * The desired owner of each shard. The order of `nodes` does not matter. A shard that no living node may have is not in it. Groups
 * with the fewest nodes to choose from come first: the others make up for it, so that all nodes have the same load if they can.
 */
export function assignShards(groups: ShardGroups, nodes: readonly LabelledNode[]): Map<ShardId, string> {
  const owners = new Map<ShardId, string>()
  const load = new Map(nodes.map(({ node }) => [node, 0]))
  const choices = groupsOf(groups).map((group) => ({ group, names: eligible(group, nodes) }))
  for (const { group, names } of choices.toSorted(
    (a, b) => a.names.length - b.names.length || a.group.first - b.group.first,
  ))
    assignGroup(group, names, load, owners)
  return owners
}

function eligible({ label, whenNoneLives }: ShardGroup, nodes: readonly LabelledNode[]): string[] {
  const meant = label === null ? nodes : nodes.filter(({ labels }) => labels.includes(label))
  const some = meant.length === 0 && whenNoneLives === 'others' ? nodes : meant
  return [...new Set(some.map(({ node }) => node))].toSorted()
}

function assignGroup(
  group: ShardGroup,
  names: readonly string[],
  load: Map<string, number>,
  owners: Map<ShardId, string>,
): void {
  if (names.length === 0) return
  const level = evenLevel(
    group.count,
    names.map((name) => load.get(name)!),
  )
  let extras = group.count - roomBelow(level, names, load) // so many nodes may have one more
  for (const shard of shardsIn(group)) {
    const owner = byPreference(shard, names).find((name) => load.get(name)! < level + (extras > 0 ? 1 : 0))!
    if (load.get(owner) === level) extras--
    load.set(owner, load.get(owner)! + 1)
    owners.set(shard, owner)
  }
}

/** As high as all nodes with less can be brought with so many shards. */
function evenLevel(count: number, loads: readonly number[]): number {
  const sorted = loads.toSorted((a, b) => a - b)
  let sum = count
  for (let lower = 0; ;) {
    sum += sorted[lower]!
    lower++
    const level = Math.floor(sum / lower)
    if (lower === sorted.length || level <= sorted[lower]!) return level
  }
}

function roomBelow(level: number, names: readonly string[], load: ReadonlyMap<string, number>): number {
  return names.reduce((sum, name) => sum + Math.max(0, level - load.get(name)!), 0)
}

function byPreference(shard: ShardId, names: readonly string[]): string[] {
  const weights = new Map(names.map((name) => [name, weight(shard, name)]))
  return names.toSorted((a, b) => weights.get(b)! - weights.get(a)!)
}

/** FNV-1a over the name, then mixed with the shard: cheap, and even enough for some thousand shards. */
function weight(shard: ShardId, name: string): number {
  let hash = 0x811c_9dc5
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x0100_0193)
  hash = Math.imul(hash ^ Math.imul(shard + 1, 0x9e37_79b1), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
