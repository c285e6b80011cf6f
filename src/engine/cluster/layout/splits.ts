// What this node does for an online reshard, a step after each look at the cluster. Every step leaves what the next owner can go on
// from, and none is ever undone:
//
// 1. All nodes hear of it and look for timers in both places. A node that has known of it for a lease says that splitting may begin: whoever
//    has not heard of it by then could not beat for as long, and knows that it may be out of date.
// 2. A node claims one of its shards anew and opens it as one that is being split (split-shard.ts). The new epoch comes after the layout that
//    says so: a claim by an older layout fails.
// 3. When a shard is empty the layout is told, and its parts are opened in its place, by new epochs.
// 4. When all are done the next layout becomes the current one.

import { shardsIn } from '../../../core/cluster/layout.ts'
import type { Reshard } from '../../../core/cluster/layout.ts'
import { isAllDone, splitOf, withDone } from '../../../core/cluster/split.ts'
import type { Split } from '../../../core/cluster/split.ts'
import type { Millis, ShardId } from '../../../core/timer/timer.ts'
import { changeLayout, readLayout } from '../../../store/layout/layout-row.ts'
import type { Claims, ClaimsOptions } from '../claims.ts'
import type { KnownLayout } from './known-layout.ts'
import type { Lease } from '../lease.ts'

export type SplitsOptions = ClaimsOptions & {
  readonly leaseMs: Millis
  readonly claims: Claims
  readonly layout: KnownLayout
  readonly lease: Lease
  readonly lookNow: () => Promise<void>
}

const TRIES_MAX = 20 // every node changes the layout for each of its shards

export class Splits {
  readonly #options: SplitsOptions
  #isChanging = false
  /** Since when this node knows of the reshard, by the monotonic clock. */
  #known: { readonly first: number; readonly sinceMono: number } | null = null

  constructor(options: SplitsOptions) {
    this.#options = options
  }

  /** After a look, and before shards are claimed by it. */
  step(desired: ReadonlyMap<ShardId, string>): void {
    const { layout, lease, claims } = this.#options
    for (const shard of claims.all()) if (this.#isDone(shard)) this.#openParts(shard)
    const split = splitOf(layout.current)
    if (split === null || !lease.isCertain || lease.isInDoubt) return
    const { next } = layout.current
    if (next!.phase === 'announced') {
      if (this.#hasBeenKnown(split)) this.#change(split, (known) => ({ ...known, phase: 'splitting' }))
    } else if (isAllDone(split, next!)) {
      this.#change(split, () => null)
    } else {
      this.#splitOne(split, desired)
    }
  }

  /** A shard that is being split has nothing left. */
  emptied(source: ShardId): void {
    const split = splitOf(this.#options.layout.current)
    if (split !== null) this.#change(split, (next) => (next.done.has(source) ? next : withDone(next, source)))
  }

  /** One after the other: each waits for a moment, and moving timers is work for the database. */
  #splitOne({ from }: Split, desired: ReadonlyMap<ShardId, string>): void {
    const { claims, shards, layout, node, logger } = this.#options
    const own = shardsIn(from).filter((shard) => claims.has(shard) && shards.isOpen(shard))
    if (own.some((shard) => shards.splitOf(shard) !== null)) return
    // One that is about to be handed over is split by its next owner.
    const source = own.find((shard) => !layout.current.next!.done.has(shard) && desired.get(shard) === node)
    if (source === undefined) return
    logger.info({ shard: source }, 'a shard is being split')
    claims.reopen(source)
  }

  /** It was split, and is still open here in the place of its parts. */
  #isDone(shard: ShardId): boolean {
    const { layout, shards } = this.#options
    return shards.splitOf(shard) !== null && !layout.shards.includes(shard)
  }

  /** They are claimed anew: what was about to be written by the epochs that the source had is done or refused. What is in flight goes on. */
  #openParts(source: ShardId): void {
    const { claims, shards, logger, store, node } = this.#options
    const split = shards.splitOf(source)!
    const epoch = claims.letGo(source)!
    claims.adoptParts(split, shards.handOver(source))
    claims.gone(source)
    logger.info({ shard: source, parts: split.parts.length }, 'a shard has been split')
    store.release({ shard: source, epoch, owner: node }).catch(() => {})
  }

  #hasBeenKnown({ to }: Split): boolean {
    const { clock, leaseMs } = this.#options
    const now = clock.monotonic()
    if (this.#known?.first !== to.first) this.#known = { first: to.first, sinceMono: now }
    return now - this.#known.sinceMono >= leaseMs
  }

  /** Null: the reshard is over. One change is under way at a time; who is refused asks again. */
  #change(split: Split, step: (next: Reshard) => Reshard | null): void {
    if (this.#isChanging) return
    this.#isChanging = true
    const { logger, lookNow } = this.#options
    this.#changeNow(split, step)
      .then(lookNow)
      .catch((error: unknown) => logger.warn({ err: error }, 'could not take a step of the reshard; trying again'))
      .finally(() => (this.#isChanging = false))
  }

  async #changeNow(split: Split, step: (next: Reshard) => Reshard | null): Promise<void> {
    const { store } = this.#options
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const current = await readLayout(store)
      // Another one, or none, may be under way by now.
      if (current.next === null || splitOf(current)?.to.first !== split.to.first) return
      const next = step(current.next)
      if (next === current.next) return
      const after = next === null ? { ...current.next, next } : { ...current, next }
      if ((await changeLayout(store, current, after)) !== null) return
    }
    throw new Error('too many others change the layout at once')
  }
}
