// A store with one shard owned, and what the tests of stores ask of it most.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { NEVER } from '../../core/timer/timer.ts'
import type { Epoch, Millis, ShardId, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { deletingPart, partOf, partsWithin } from '../commit-sheet.ts'
import type { Change } from '../commit-sheet.ts'
import { COUNTS } from '../counters.ts'
import type { Counter, DueScan, ListFilter, ListQuery, OwnedShard, PartResult, Put, Store } from '../store.ts'

export const SHARD = 0 as ShardId
export const UNOWNED = 0 as Epoch
/** Of all shards that `claimed` claims. */
export const OWNER = 'a'

export class Owned {
  readonly store: Store
  readonly epoch: Epoch

  constructor(store: Store, epoch: Epoch) {
    this.store = store
    this.epoch = epoch
  }

  static async open(t: TestContext, openStore: () => Promise<Store>): Promise<Owned> {
    const store = await openStore()
    t.after(() => store.close())
    return new Owned(store, await claimed(store, SHARD))
  }

  get fence(): OwnedShard {
    return { shard: SHARD, epoch: this.epoch, owner: OWNER }
  }

  /** The rows in the way; all were written when there are none. */
  async put(...changes: readonly Change[]): Promise<ReadonlyMap<TimerUuid, Timer | null>> {
    const parts = partsWithin(this.store.capabilities.partMax, changes, (some) => partOf(this.fence, some))
    const results = await this.store.commit(parts.map(({ part }) => part))
    return new Map(results.flatMap((result) => [...missedOf(result)]))
  }

  /** These counters, whatever the timers are. A namespace is known by its counts, so it gets one. */
  async count(...counters: readonly Counter[]): Promise<void> {
    const namespaces = new Set(counters.map(({ namespace }) => namespace))
    const counts = Array.from(namespaces, (namespace) => ({ namespace, slotAt: COUNTS, name: '0.0', amount: 1 }))
    const [result] = await this.store.commit([{ ...partOf(this.fence, []), counters: [...counters, ...counts] }])
    assert.deepEqual(result, { type: 'written' })
  }

  async prune({ now, limit }: { readonly now: Millis; readonly limit: number }): Promise<number> {
    const rows = await this.store.expired({ shards: [SHARD], before: now, limit })
    const parts = partsWithin(this.store.capabilities.partMax, rows, (some) => deletingPart(this.fence, some))
    for (const result of await this.store.commit(parts.map(({ part }) => part)))
      assert.deepEqual(result, { type: 'written' })
    return rows.length
  }

  async add(...timers: readonly Timer[]): Promise<void> {
    assert.equal((await this.put(...timers.map(absent))).size, 0)
  }

  async get(timer: Timer): Promise<Timer | null> {
    return getOne(this.store, timer, SHARD)
  }

  async dueIds(scan: Partial<DueScan> = {}): Promise<string[]> {
    return idsOf(await this.store.due({ shard: SHARD, after: null, until: NEVER - 1, limit: 100, ...scan }))
  }

  /** Every page, one after the other. */
  async listIds(filter: ListFilter = {}, limit = 2): Promise<string[]> {
    return idsOf(await listAll(this.store, filter, limit))
  }
}

export type OpenEmptyStore = () => Promise<Store>
export type Setup = (t: TestContext) => Promise<Owned>

export function absent(timer: Timer): Put {
  return { before: null, after: timer }
}

export function changed(timer: Timer, from: Timer): Put {
  return { before: from, after: timer }
}

export async function getOne(store: Store, { namespace, id, uuid }: Timer, shard: ShardId): Promise<Timer | null> {
  const [timer] = await store.getMany([{ namespace, id, uuid, shard }])
  return timer!
}

export async function claimed(store: Store, shard: ShardId): Promise<Epoch> {
  const epoch = await store.claim({ shard, expected: UNOWNED, from: null, owner: OWNER })
  assert.equal(epoch, 1)
  return epoch
}

/** All pages of a list; a store may give short ones, so the end is where `next` is null. */
export async function listAll(store: Store, filter: ListFilter, limit: number): Promise<Timer[]> {
  const timers: Timer[] = []
  let after: ListQuery['after'] = null
  do {
    const page = await store.list({ filter, after, limit })
    assert(page.timers.length <= limit)
    timers.push(...page.timers)
    if (after !== null) assert.notDeepEqual(page.next, after, 'the cursor does not move')
    after = page.next
  } while (after !== null)
  return timers
}

export async function countsOf(store: Store): Promise<string[]> {
  const { counts } = await store.stats()
  return counts
    .map(({ namespace, status, kind, count }) => `${namespace} ${status}${kind === 'once' ? '' : ` ${kind}`} ${count}`)
    .toSorted()
}

export function missedOf(result: PartResult | undefined): ReadonlyMap<TimerUuid, Timer | null> {
  if (result?.type === 'failed') throw result.error
  assert(result !== undefined && result.type !== 'fenced')
  return result.type === 'missed' ? result.rows : new Map()
}

export function idsOf(timers: readonly Timer[]): string[] {
  return timers.map(({ id }) => id)
}
