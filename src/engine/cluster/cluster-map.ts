// Who owns which shard, as far as this node knows: by its last beat, by its own claims, and by what other nodes have said
// about shards that moved since. A beat may have been on its way while a shard moved. So what was learned after a beat was
// sent stands against its answer if it has a higher epoch; in all other cases the answer is the truth, also if its epoch is
// lower: a database that was failed over or restored has forgotten claims, and only what it says now counts.

import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import type { ShardRow } from '../../store/store.ts'

type Known = ShardRow & { readonly learned: number }

export class ClusterMap {
  readonly #rows = new Map<ShardId, Known>()
  /** Counts what was learned, to tell what is newer. */
  #learned = 0

  get rows(): ShardRow[] {
    return Array.from(this.#rows.values(), ({ shard, epoch, owner }) => ({ shard, epoch, owner })).toSorted(
      (a, b) => a.shard - b.shard,
    )
  }

  /** 0 for a shard that nobody ever owned. */
  epochOf(shard: ShardId): Epoch {
    return this.#rows.get(shard)?.epoch ?? (0 as Epoch)
  }

  ownerOf(shard: ShardId): string | null {
    return this.#rows.get(shard)?.owner ?? null
  }

  /** To be taken before a beat is sent. */
  get mark(): number {
    return this.#learned
  }

  /** The answer to a beat that was sent at this mark. Gives the shards whose last claims the store has forgotten. */
  take(rows: readonly ShardRow[], mark: number): ShardId[] {
    const forgotten: ShardId[] = []
    const told = new Map(rows.map((row) => [row.shard, row]))
    for (const shard of new Set([...told.keys(), ...this.#rows.keys()])) {
      const row = told.get(shard) ?? { shard, epoch: 0 as Epoch, owner: null }
      const known = this.#rows.get(shard)
      if (known !== undefined && known.learned > mark && row.epoch <= known.epoch) continue
      if (known !== undefined && isOlder(row, known)) forgotten.push(shard)
      this.#set(row)
    }
    return forgotten
  }

  /** Has been claimed, here or by another node that says so. */
  note(moved: readonly ShardRow[]): void {
    for (const row of moved) if (row.epoch > this.epochOf(row.shard)) this.#set(row)
  }

  #set({ shard, epoch, owner }: ShardRow): void {
    this.#rows.set(shard, { shard, epoch, owner, learned: ++this.#learned })
  }
}

/** By an epoch only one node ever owns a shard, and nobody who let go of it has it again by the same one. */
function isOlder(row: ShardRow, known: ShardRow): boolean {
  return row.epoch < known.epoch || (row.epoch === known.epoch && row.owner !== known.owner && row.owner !== null)
}
