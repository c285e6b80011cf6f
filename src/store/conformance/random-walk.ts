// Random operations on a store and on the memory store side by side: every answer must be the same. A failure
// prints the seed and the shortest series of operations that shows it. Every adapter's tests call this.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { STANDING, talliesOf } from '../../core/statistics/tallies.ts'
import { NEVER } from '../../core/timer/timer.ts'
import type { Epoch, ShardId, Timer } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import { eventOf } from './suite/events.ts'
import { faultyStore } from './faulty-store.ts'
import type { Fault } from './faulty-store.ts'
import { deletingPart, partOf } from '../commit-sheet.ts'
import type { Change } from '../commit-sheet.ts'
import { claimed, countsOf, getOne, listAll, OWNER } from './owned-store.ts'
import { MemoryStore } from '../memory/memory-store.ts'
import { StoreError } from '../store.ts'
import type { CommitPart, Store, TallyQuery, UpcomingQuery } from '../store.ts'
import {
  homeOf,
  SHARDS,
  shard,
  epoch,
  time,
  timer,
  fault,
  part,
  filter,
  sort,
  pageFilter,
  tallyQuery,
  scope,
} from './walk-values.ts'

const RUNS = 12
const OPERATIONS_MAX = 60 // with `size: 'max'`, or fast-check makes series of ten, which find nothing

/** `next`: what happens to the next call of the real store. */
type Pair = { readonly model: Store; real: Store; readonly reopen: () => Promise<Store>; next: Fault | null }
type Command = fc.AsyncCommand<object, Pair>

/** `openNew` opens a new empty store, with more than 300 shards if it counts them; what it gives opens the same one again. */
export function storeRandomWalk(name: string, openNew: () => Promise<() => Promise<Store>>): void {
  test(`${name}: answers every series of operations as the memory store does`, async () => {
    const walk = fc.asyncProperty(
      fc.commands(commands(), { maxCommands: OPERATIONS_MAX, size: 'max' }),
      async (series) => {
        const open = await openNew()
        const reopen = async (): Promise<Store> => faultyStore(await open(), () => taken(pair), systemClock)
        const pair: Pair = { model: new MemoryStore(), real: await open(), reopen, next: null }
        pair.real = faultyStore(pair.real, () => taken(pair), systemClock)
        try {
          for (const store of [pair.model, pair.real]) for (const owned of SHARDS) await claimed(store, owned)
          await fc.asyncModelRun(() => ({ model: {}, real: pair }), series)
        } finally {
          await pair.real.close()
        }
      },
    )
    await fc.assert(walk, { numRuns: RUNS })
  })
}

function taken(pair: Pair): Fault | null {
  const { next } = pair
  pair.next = null
  return next
}

async function sumsOf(store: Store, query: TallyQuery): Promise<unknown> {
  const { sums, firstSlotAt } = await store.tallies(query)
  return { sums: sums.map(({ name, amount }) => `${name} ${amount}`).toSorted(), firstSlotAt }
}

/** Numbers may have gaps, which are no business of anybody. */
async function takeEvents(
  store: Store,
  { shard: of, skip, limit }: { shard: ShardId; skip: number; limit: number },
): Promise<unknown> {
  const skipped = skip === 0 ? [] : await store.readEvents({ shard: of, after: 0, limit: skip })
  const events = await store.readEvents({ shard: of, after: skipped.at(-1)?.number ?? 0, limit })
  await store.removeEvents({ shard: of, numbers: events.map(({ number }) => number) })
  return events.map((event) => ({ ...event, number: null }))
}

/** What stands in the tallies is what a look at all rows would find. */
function standingIsTrue(): Command {
  return {
    check: () => true,
    run: async (_, { model, real }) => {
      const { sums } = await real.tallies({ since: null })
      const standing = new Map<string, number>()
      for (const row of await listAll(model, {}, 100)) {
        for (const { name, slotAt } of talliesOf(null, row))
          if (slotAt === STANDING) standing.set(name, (standing.get(name) ?? 0) + 1)
      }
      const isStanding = /^(?:wake|interval)\./
      assert.deepEqual(
        new Map(sums.filter(({ name }) => isStanding.test(name)).map(({ name, amount }) => [name, amount])),
        standing,
      )
    },
    toString: () => 'standing tallies',
  }
}

function commands(): fc.Arbitrary<Command>[] {
  const shardCall = fc.record({ shard, epoch, owner: fc.constantFrom(OWNER, 'b') })
  const commit = fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fault)
    .map(([parts, next]) => new Commit(parts, next))
  const claim = fc
    .record({
      shard,
      expected: epoch,
      from: fc.constantFrom(null, OWNER, 'b'),
      owner: fc.constantFrom(OWNER, 'b'),
      above: epoch,
    })
    .map((asked) => same('claim', asked, (store, argument) => store.claim(argument)))
  return [
    claim,
    claim,
    commit,
    commit,
    commit,
    shardCall.map((owned) => same('release', owned, (store, argument) => store.release(argument))),
    timer.map((key) => same('get', key, (store, argument) => getOne(store, argument, homeOf(argument)))),
    fc
      .record({
        shard,
        after: fc.option(timer),
        until: fc.oneof(time, fc.constant(NEVER)),
        limit: fc.integer({ min: 1, max: 4 }),
      })
      .map((scan) => same('due', scan, (store, argument) => store.due(argument))),
    fc
      .record({ filter, limit: fc.integer({ min: 1, max: 5 }) })
      .map((query) => same('list', query, (store, argument) => listAll(store, argument.filter, argument.limit))),
    fc
      .record({
        filter: pageFilter,
        sort,
        descending: fc.boolean(),
        offset: fc.nat({ max: 3 }),
        limit: fc.nat({ max: 5 }),
      })
      .map((query) => same('page', query, (store, argument) => store.page(argument))),
    tallyQuery.map((query) => same('tallies', query, sumsOf)),
    fc
      .record({ ...scope, until: time, stepMs: fc.constantFrom(1, 3) }, { requiredKeys: ['until', 'stepMs'] })
      .map((query) => same('upcoming', query as UpcomingQuery, (store, argument) => store.upcoming(argument))),
    fc.constant(standingIsTrue()),
    fc.record({ now: time, limit: fc.integer({ min: 1, max: 4 }) }).map((options) => same('prune', options, prune)),
    fc
      .record({ shard, skip: fc.nat({ max: 2 }), limit: fc.integer({ min: 1, max: 5 }) })
      .map((take) => same('take events', take, takeEvents)),
    fc.constant(same('count events', SHARDS, (store, shards) => store.countEvents(shards))),
    fc.constant(same('stats', null, countsOf)),
    fc.constant(same('shards', null, (store) => store.shards())),
    fc.constant(new Reopen()),
  ]
}

/** The same call on both stores, and the same answer. */
function same<Argument>(
  name: string,
  argument: Argument,
  call: (store: Store, argument: Argument) => Promise<unknown>,
): Command {
  return {
    check: () => true,
    run: async (_, { model, real }) => assert.deepEqual(await call(real, argument), await call(model, argument)),
    toString: () => `${name}(${fc.stringify(argument)})`,
  }
}

type PlannedPart = {
  readonly shard: ShardId
  readonly isStale: boolean
  readonly timers: readonly (readonly [Timer, boolean])[]
}

class Commit implements Command {
  readonly #parts: readonly PlannedPart[]
  readonly #fault: Fault | null

  constructor(parts: readonly PlannedPart[], next: Fault | null) {
    this.#parts = parts
    this.#fault = next
  }

  check(): boolean {
    return true
  }

  /** Each timer once per commit. A put says what the model has, so that counters come out right, or that it expects nothing. */
  async run(_: unknown, pair: Pair): Promise<void> {
    const { model, real } = pair
    const seen = new Set<string>()
    const parts: CommitPart[] = []
    const rows = new Map((await model.shards()).map((row) => [row.shard, row]))
    for (const { shard: of, isStale: stale, timers } of this.#parts) {
      const changes: Change[] = []
      for (const [after, isNew] of timers) {
        if (seen.has(after.uuid) || homeOf(after) !== of) continue
        seen.add(after.uuid)
        const before = isNew ? null : ((await getOne(model, after, of)) ?? { ...after, version: 1 })
        changes.push({ before, after, events: [eventOf(after, 'a'), eventOf(after, 'b')] })
      }
      const { epoch: current, owner } = rows.get(of)!
      parts.push(partOf({ shard: of, epoch: (current - Number(stale)) as Epoch, owner: owner ?? OWNER }, changes))
    }
    if (this.#fault === null) return assert.deepEqual(await real.commit(parts), await model.commit(parts))
    pair.next = this.#fault
    await assert.rejects(real.commit(parts), StoreError)
    const isDone = this.#fault.type === 'lost' && this.#fault.doneAfterMs !== null
    if (isDone) await model.commit(parts)
  }

  toString(): string {
    return `commit(${fc.stringify(this.#parts)}, ${fc.stringify(this.#fault)})`
  }
}

/** What has expired is deleted as the engine does it, in one part for each shard. */
async function prune(store: Store, { now, limit }: { readonly now: number; readonly limit: number }): Promise<unknown> {
  const rows = await store.expired({ shards: SHARDS, before: now, limit })
  const fences = new Map(
    (await store.shards()).map(({ shard: of, epoch: current, owner }) => [
      of,
      { shard: of, epoch: current, owner: owner ?? OWNER },
    ]),
  )
  const parts = [...Map.groupBy(rows, ({ shard: of }) => of)].map(([of, expired]) =>
    deletingPart(fences.get(of)!, expired),
  )
  return [rows, await store.commit(parts)]
}

class Reopen implements Command {
  check(): boolean {
    return true
  }

  async run(_: unknown, pair: Pair): Promise<void> {
    await pair.real.close()
    pair.real = await pair.reopen()
  }

  toString(): string {
    return 'reopen()'
  }
}
