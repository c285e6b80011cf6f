// What this node does for an online reshard, a step after each look at the cluster. Every step leaves what the next owner can go on
// from, and none is ever undone:
//
// 1. All nodes hear of it and look for timers in both places. A node that has known of it for a lease says that splitting may begin: whoever
//    has not heard of it by then could not beat for as long, and knows that it may be out of date.
// 2. A node claims one of its shards anew and opens it as one that is being split (split-shard.ts). The new epoch comes after the layout that
//    says so: a claim by an older layout fails.
// 3. When a shard is empty the layout is told, and its parts are opened in its place, by new epochs. It is told twice: a fail-over of the
//    database may undo moves after the shard was found empty. It undoes what was stored after them, too; so a shard that is empty while the
//    layout says so stays empty for as long as the layout says so.
// 4. When all are done the next layout becomes the current one.

import { shardsIn } from '../../../core/cluster/layout.ts'
import type { Reshard } from '../../../core/cluster/layout.ts'
import { isAllDone, splitOf, withDone, withEmptied } from '../../../core/cluster/split.ts'
import type { Split } from '../../../core/cluster/split.ts'
import type { Millis, ShardId } from '../../../core/timer/timer.ts'
import { isEmptyShard } from '../../../store/layout/empty-shard.ts'
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

/** What comes after what is stored: the same when nothing is left to do, null when the reshard is over. */
type Step = (next: Reshard) => Promise<Reshard | null>

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
    const isKnown = this.#hasBeenKnown(split)
    if (split === null || !lease.isCertain || lease.isInDoubt) return
    const { next } = layout.current
    if (next!.phase === 'announced') {
      if (isKnown) this.#change(split, async (stored) => begun(stored))
    } else if (isAllDone(split, next!)) {
      // A fail-over may have forgotten that one of them is.
      this.#change(split, async (stored) => (isAllDone(split, stored) ? null : stored))
    } else {
      this.#splitOne(split, desired)
    }
  }

  /** Nothing was found any more in a shard that is being split. */
  emptied(source: ShardId): void {
    const split = splitOf(this.#options.layout.current)
    if (split === null) return
    this.#change(split, async (next) => {
      if (next.done.has(source)) return next
      if (!next.emptied.has(source)) return withEmptied(next, source)
      return (await isEmptyShard(this.#options.store, source)) ? withDone(next, source) : next
    })
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

  /** For a lease. Null: none is under way, so the next one is another one, wherever it moves timers to. */
  #hasBeenKnown(split: Split | null): boolean {
    const { clock, leaseMs } = this.#options
    const now = clock.monotonic()
    const first = split?.to.first ?? null
    if (first === null) this.#known = null
    else if (this.#known?.first !== first) this.#known = { first, sinceMono: now }
    return this.#known !== null && now - this.#known.sinceMono >= leaseMs
  }

  /** One change is under way at a time; who is refused asks again. */
  #change(split: Split, step: Step): void {
    if (this.#isChanging) return
    this.#isChanging = true
    const { logger, lookNow } = this.#options
    this.#changeNow(split, step)
      .then(lookNow)
      .catch((error: unknown) => logger.warn({ err: error }, 'could not take a step of the reshard; trying again'))
      .finally(() => (this.#isChanging = false))
  }

  async #changeNow(split: Split, step: Step): Promise<void> {
    const { store } = this.#options
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const current = await readLayout(store)
      // Another one, or none, may be under way by now.
      if (current.next === null || splitOf(current)?.to.first !== split.to.first) return
      const next = await step(current.next)
      if (next === current.next) return
      await changeLayout(store, current, next === null ? { ...current.next, next } : { ...current, next })
    }
    throw new Error('too many others change the layout at once')
  }
}

function begun(next: Reshard): Reshard {
  return next.phase === 'announced' ? { ...next, phase: 'splitting' } : next
}
