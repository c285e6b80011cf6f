// Which node should own which shard, computed by every node for itself from the list of living ones: rendezvous
// hashing, so that a node that comes or goes moves little but its own share, with a bound on each node's load, so
// that no node has more than one shard above another.

import type { ShardId } from '../timer/timer.ts'

/** The owner of each shard, by shard id. The order of `nodes` does not matter; empty in, empty out. */
export function assignShards(shards: number, nodes: readonly string[]): string[] {
  const names = [...new Set(nodes)].toSorted()
  if (names.length === 0) return []
  const evenShare = Math.floor(shards / names.length)
  let extras = shards % names.length // so many nodes may have one more
  const load = new Map(names.map((name) => [name, 0]))
  const owners: string[] = []
  for (let shard = 0; shard < shards; shard++) {
    const owner = byPreference(shard as ShardId, names).find(
      (name) => load.get(name)! < evenShare + (extras > 0 ? 1 : 0),
    )!
    if (load.get(owner) === evenShare) extras--
    load.set(owner, load.get(owner)! + 1)
    owners.push(owner)
  }
  return owners
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
