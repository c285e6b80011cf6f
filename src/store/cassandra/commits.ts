// A part of a commit is one conditional batch on one partition; see keyed/fenced-commits.ts. Besides the fence, this node knows of a
// shard that it alone writes what its counters are, and where ordered rows begin.

import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import { counterGroups, withAmounts } from '../keyed/counter-groups.ts'
import type { Fence, FencedShards } from '../keyed/fenced-commits.ts'
import { eventItems } from '../keyed/keyed-engine.ts'
import { AFTER_ALL, movesOf } from '../keyed/sort-keys.ts'
import type { Item } from '../keyed/timer-fields.ts'
import { rowsInTheWay } from '../keyed/rows-in-the-way.ts'
import type { CommitPart } from '../store.ts'
import { firstsOf, itemOf, readItems, readRows, readTimers } from './rows.ts'
import { RUNS, runOf } from './schema.ts'
import type { Firsts, Run } from './schema.ts'
import { statement } from './session.ts'
import type { Session } from './session.ts'
import { deleteStatement, IN_ORDER, putStatement, REMOVE, REMOVE_RANGE, SET } from './statements.ts'

/** `removed`: rows that went since somebody looked for the first ones. `counters`: as they are stored, by key. */
export type ShardState = Fence & { readonly firsts: Firsts; removed: number; readonly counters: Map<string, Item> }

const REMOVED_MAX = 1_000 // tombstones that a read meets: Cassandra warns of more
const COUNTERS_MAX = 500 // rows of a shard: some namespaces, by slot of time
const READ_FENCE = `SELECT sort, epoch, owner, commits, last_commit, firsts FROM timers WHERE shard = ? AND sort = 'fence'`
const RAISE_FENCE = `UPDATE timers SET commits = ?, last_commit = ?, firsts = ?
  WHERE shard = ? IF epoch = ? AND owner = ? AND commits = ?`

export function fencedShards(session: Session): FencedShards<ShardState> {
  return {
    readFence: (shard) => readFence(session, shard),

    async write(part, before, { number, name }) {
      const { shard, epoch, owner, puts, deletes } = part
      const moves = movesOf(part)
      const counters = await newCounters(session, part, before.counters)
      const events = eventItems(part, number)
      const looks = before.removed >= REMOVED_MAX
      const firsts = looks ? await readFirsts(session, shard, before.firsts) : { ...before.firsts }
      for (const sort of [...moves.added, ...events.map((event) => event.sort)])
        if (sort < firsts[runOf(sort)!]) firsts[runOf(sort)!] = sort
      const raised = RUNS.filter((run) => firsts[run] > before.firsts[run])
      const isApplied = await session.write([
        statement(RAISE_FENCE, number, name, JSON.stringify(firsts), shard, epoch, owner, number - 1),
        ...puts.map((put) => putStatement(shard, put)),
        ...deletes.map((row) => deleteStatement(shard, row)),
        ...(puts.length + deletes.length === 0 ? [statement(IN_ORDER, shard)] : []),
        ...moves.added.map((sort) => statement(SET, shard, sort, undefined)),
        ...moves.removed.map((sort) => statement(REMOVE, shard, sort)),
        ...raised.map((run) => statement(REMOVE_RANGE, shard, before.firsts[run], firsts[run])),
        ...[...counters, ...events].map(({ sort, fields }) => statement(SET, shard, sort, JSON.stringify(fields))),
      ])
      if (!isApplied) {
        const fence = await readFence(session, shard)
        const found = await readTimers(session, shard, [...puts.map(({ after }) => after), ...deletes])
        return { type: 'refused', fence, rows: rowsInTheWay(part, found) }
      }
      if (before.counters.size > COUNTERS_MAX) before.counters.clear()
      for (const { sort, fields } of counters) before.counters.set(sort, fields)
      const removed = (looks ? 0 : before.removed) + moves.removed.length
      return { type: 'written', fence: { ...before, number, name, firsts, removed } }
    },
  }
}

export async function readFence(session: Session, shard: ShardId): Promise<ShardState | null> {
  const [row] = await session.run(READ_FENCE, [shard], { isSerial: true })
  if (row === undefined) return null
  return {
    epoch: Number(row['epoch']) as Epoch,
    owner: row['owner'] as string | null,
    number: Number(row['commits']),
    name: row['last_commit'] as string | null,
    firsts: firstsOf(row),
    removed: REMOVED_MAX, // whoever had the shard before may have removed many without a look
    counters: new Map(),
  }
}

/**
 * A conditional batch cannot add to a number, so the owner writes what the sum is; nobody else writes it, or the batch is refused.
 * Rows that are not known are read first.
 */
async function newCounters(session: Session, { shard, counters }: CommitPart, known: ReadonlyMap<string, Item>) {
  const groups = counterGroups(counters)
  const unknown = groups.map(({ sort }) => sort).filter((sort) => !known.has(sort))
  const rows = await readRows(session, shard, unknown, 'item')
  return groups.map((group) => {
    const stored = known.get(group.sort) ?? itemOf(rows.get(group.sort) ?? { item: null })
    return { sort: group.sort, fields: withAmounts(stored, group) }
  })
}

/**
 * Where ordered rows begin. Nothing can come before that until the part is written, or its number is not the expected one and the
 * look is made again.
 */
async function readFirsts(session: Session, shard: ShardId, before: Firsts): Promise<Record<Run, string>> {
  const look = async (run: Run): Promise<[Run, string]> => {
    const last = `${run}/${AFTER_ALL}`
    const [first] = await readItems(session, { shard, from: before[run], to: last, limit: 1 })
    return [run, first?.sort ?? last]
  }
  return Object.fromEntries(await Promise.all(RUNS.map(look))) as Record<Run, string>
}
