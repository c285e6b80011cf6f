// A store with one shard owned, and what the tests of stores ask of it most.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { NEVER } from '../core/timer.ts'
import type { Epoch, ShardId, Timer } from '../core/timer.ts'
import { kindOf } from '../core/timer-kind.ts'
import type { DueScan, ListFilter, ListQuery, PartResult, Put, Store } from './store.ts'

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

  async put(...puts: readonly Put[]): Promise<ReadonlyMap<number, Timer | null>> {
    const [result] = await this.store.commit([{ shard: SHARD, epoch: this.epoch, owner: OWNER, puts }])
    return missedOf(result)
  }

  async add(...timers: readonly Timer[]): Promise<void> {
    assert.equal((await this.put(...timers.map(absent))).size, 0)
  }

  async get(timer: Timer): Promise<Timer | null> {
    return this.store.get({ ...timer, shard: SHARD })
  }

  async dueIds(scan: Partial<DueScan> = {}): Promise<string[]> {
    return idsOf(await this.store.due({ shard: SHARD, after: null, until: NEVER - 1, limit: 100, ...scan }))
  }

  /** Every page, one after the other. */
  async listIds(filter: ListFilter = {}, limit = 2): Promise<string[]> {
    return idsOf(await listAll(this.store, filter, limit))
  }
}

export type Setup = (t: TestContext) => Promise<Owned>

export function absent(timer: Timer): Put {
  return { timer, expect: 'absent' }
}

type Known = Pick<Timer, 'version' | 'status'> & Partial<Pick<Timer, 'anchorAt' | 'schedule' | 'metadata'>>

export function changed(timer: Timer, from: Known): Put {
  const kind = kindOf({ anchorAt: from.anchorAt ?? null, schedule: from.schedule ?? null })
  return { timer, expect: { version: from.version, status: from.status, kind, metadata: from.metadata ?? null } }
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
  return counts.map(({ namespace, status, kind, count }) => `${namespace} ${status}${kind === 'once' ? '' : ` ${kind}`} ${count}`).toSorted()
}

export function missedOf(result: PartResult | undefined): ReadonlyMap<number, Timer | null> {
  assert(result !== undefined && !result.fenced)
  return result.missed
}

export function idsOf(timers: readonly Timer[]): string[] {
  return timers.map(({ id }) => id)
}
