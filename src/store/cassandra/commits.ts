// A part of a commit is one conditional batch on one partition. Every one changes the shard's fence: it counts commits, on the
// condition that owner, epoch and count are the expected ones. So commits of a shard come one after the other; one that got
// lost on its way can never be done after a later one; one whose answer was lost is recognised by its name, which the
// fence keeps; and what is known here of the shard's counters is true when the batch is done.

import { randomUUID } from 'node:crypto'
import type { Epoch, Millis, ShardId, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { statusOf } from '../row/codes.ts'
import { StoreError } from '../store.ts'
import type { CommitPart, PartResult, StoredRow } from '../store.ts'
import { ShardTurns } from '../shard-turns.ts'
import { CounterRows } from './counter-rows.ts'
import { deleteStatement, eventStatements, firstEvent, forgetStatements, movesOf } from './part-statements.ts'
import { moveStatements, placeOfTimer, putStatement, removeBefore, removeEventStatements } from './part-statements.ts'
import type { Moves, Place } from './part-statements.ts'
import { RUNS, Type } from './schema.ts'
import type { Run } from './schema.ts'
import { numberOf } from './session.ts'
import type { Session, Statement } from './session.ts'
import { readColumns, readPlaces, readTimers } from './timer-rows.ts'

/** `count`: of commits. `name`: of the last one. */
export type Fence = {
  readonly epoch: Epoch
  readonly owner: string | null
  readonly count: number
  readonly name: string | null
  readonly firsts: Readonly<Record<Run, number>>
}

/** Of the shard, after the last commit by this fence. `removed`: rows that went since somebody looked for the first one. */
type Known = { fence: Fence; readonly removed: Record<Run, number>; readonly counters: CounterRows }

const TRIES_MAX = 10
const REMOVED_MAX = 1_000 // tombstones that a read meets: Cassandra warns of more
const EVENTS_REMOVED_MAX = 500 // by one batch
const ALL_RUNS = [Type.live, Type.finished, Type.event] as const
const READ_FENCE = `SELECT position, epoch, owner, commits, last_commit, ${Object.values(RUNS).join(', ')} FROM timers
  WHERE shard = ? AND row_type = ${Type.fence} AND position = 0 AND name = ''`
const RAISE_FENCE = `UPDATE timers SET commits = ?, last_commit = ?, ${ALL_RUNS.map((run) => `${RUNS[run]} = ?`).join(', ')}
  WHERE shard = ? IF epoch = ? AND owner = ? AND commits = ?`
const WRITTEN: PartResult = { type: 'written' }
const FENCED: PartResult = { type: 'fenced' }

export class Commits {
  readonly #session: Session
  readonly #turns = new ShardTurns()
  readonly #known = new Map<ShardId, Known>()

  constructor(session: Session) {
    this.#session = session
  }

  commit(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    return this.#turns.commit(parts, async (part) => {
      try {
        return await this.#write(part)
      } catch (error) {
        this.#known.delete(part.shard)
        throw error
      }
    })
  }

  async removeEvents(shard: ShardId, numbers: readonly number[]): Promise<void> {
    for (let n = 0; n < numbers.length; n += EVENTS_REMOVED_MAX) {
      const some = numbers.slice(n, n + EVENTS_REMOVED_MAX)
      await this.#turns.take(shard, () => this.#session.write(removeEventStatements(shard, some)))
      const known = this.#known.get(shard)
      if (known !== undefined) known.removed[Type.event] += some.length
    }
  }

  /** Counters of the slots from `from` to before `to`. */
  async forget(shard: ShardId, from: Millis, to: Millis): Promise<void> {
    await this.#turns.take(shard, () => this.#session.write(forgetStatements(shard, from, to)))
  }

  async #write(part: CommitPart): Promise<PartResult> {
    const { shard } = part
    const name = randomUUID()
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const known = await this.#knownOf(part)
      if (known === null) return FENCED
      const count = known.fence.count + 1
      const places = await this.#placesOf(shard, part.deletes)
      const moves = movesOf(part, places)
      const changes = await known.counters.add(this.#session, part.counters)
      const { firsts, looked, swept } = await this.#sweep(part, known, moves)
      const { isApplied } = await this.#session.write([
        raiseFence(part, { count, name, firsts }),
        ...part.puts.map((put) => putStatement(shard, put)),
        ...part.deletes.map((row) => deleteStatement(shard, row)),
        ...moveStatements(shard, moves),
        ...swept,
        ...known.counters.statements(changes),
        ...eventStatements(part, count),
      ])
      if (isApplied) {
        known.counters.note(changes)
        for (const type of looked) known.removed[type] = 0
        for (const { type } of moves.removed) known.removed[type]++
        known.fence = { ...known.fence, count, name, firsts }
        return WRITTEN
      }
      const fence = await readFence(this.#session, shard)
      if (fence?.count === known.fence.count && isOwned(fence, part)) {
        const rows = await this.#inTheWay(part)
        if (rows.size > 0) return { type: 'missed', rows }
      }
      this.#known.delete(shard)
      if (fence?.name === name) return WRITTEN
      if (!isOwned(fence, part)) return FENCED
    }
    throw new StoreError(`shard ${shard} is written to by too many others at once`)
  }

  /** Null when the part's fence is not the shard's. */
  async #knownOf(part: CommitPart): Promise<Known | null> {
    const { shard } = part
    const known = this.#known.get(shard)
    if (known !== undefined && isOwned(known.fence, part)) return known
    const fence = await readFence(this.#session, shard)
    if (fence === null || !isOwned(fence, part)) return null
    // Whoever had the shard before may have removed many rows without a look.
    const removed = { [Type.live]: REMOVED_MAX, [Type.finished]: REMOVED_MAX, [Type.event]: REMOVED_MAX }
    const fresh = { fence, removed, counters: new CounterRows(shard) }
    this.#known.set(shard, fresh)
    return fresh
  }

  /**
   * Where ordered rows can begin when the part is written. After many were removed it looks where they do begin: nothing can come
   * before that until the part is written, or its count is not the expected one and the look is made again.
   */
  async #sweep({ shard, events }: CommitPart, { fence, removed }: Known, { added }: Moves) {
    const looked = ALL_RUNS.filter((type) => removed[type] >= REMOVED_MAX)
    const found = await Promise.all(looked.map((type) => this.#firstOf(shard, type)))
    const firsts = { ...fence.firsts }
    for (const [n, type] of looked.entries()) firsts[type] = found[n]!
    const news = events.length === 0 ? added : [...added, eventPlace(fence.count + 1)]
    for (const { type, position } of news) firsts[type] = Math.min(firsts[type], position)
    const raised = looked.filter((type) => firsts[type] > fence.firsts[type])
    return { firsts, looked, swept: raised.map((type) => removeBefore(shard, type, firsts[type])) }
  }

  async #firstOf(shard: ShardId, type: Run): Promise<number> {
    const scan = { shard, type, after: null, until: Number.MAX_SAFE_INTEGER, limit: 1 }
    return (await readPlaces(this.#session, scan))[0]?.wakeAt ?? Number.MAX_SAFE_INTEGER
  }

  /** What a deletion is told of a row does not say where its place is. */
  async #placesOf(shard: ShardId, deletes: readonly StoredRow[]): Promise<Place[]> {
    const uuids = deletes.map(({ uuid }) => uuid)
    const rows = await readColumns(this.#session, shard, uuids, ['timer_status', 'timer_execute_at'])
    return rows.map(({ name, timer_status: status, timer_execute_at: wakeAt }) =>
      placeOfTimer({ uuid: name as TimerUuid, status: statusOf(status as number), wakeAt: numberOf(wakeAt) }),
    )
  }

  async #inTheWay({ shard, puts, deletes }: CommitPart): Promise<Map<TimerUuid, Timer | null>> {
    const uuids = [...puts.map(({ after }) => after.uuid), ...deletes.map(({ uuid }) => uuid)]
    const there = await readTimers(this.#session, shard, uuids)
    const rows = new Map<TimerUuid, Timer | null>()
    for (const { before, after } of puts) {
      const row = there.get(after.uuid) ?? null
      if (row !== null) assertSame(row, after)
      const isExpected = row?.version === before?.version && row?.wakeAt === before?.wakeAt
      if (!isExpected) rows.set(after.uuid, row)
    }
    for (const { uuid, version } of deletes)
      if (there.get(uuid)?.version !== version) rows.set(uuid, there.get(uuid) ?? null)
    return rows
  }
}

/** As it is when everything that was accepted so far has been done. Null for a shard that was never claimed. */
export async function readFence(session: Session, shard: ShardId): Promise<Fence | null> {
  const [row] = await session.read(READ_FENCE, [shard], { isSerial: true })
  if (row === undefined) return null
  const { epoch, owner, commits, last_commit: name } = row
  const firsts = Object.fromEntries(
    ALL_RUNS.map((run) => [run, row[RUNS[run]] === null ? Number.MIN_SAFE_INTEGER : numberOf(row[RUNS[run]])]),
  ) as Record<Run, number>
  const named = name as string | null
  return {
    epoch: numberOf(epoch) as Epoch,
    owner: owner as string | null,
    count: numberOf(commits),
    name: named,
    firsts,
  }
}

function raiseFence(
  { shard, epoch, owner }: CommitPart,
  { count, name, firsts }: Pick<Fence, 'count' | 'name' | 'firsts'>,
): Statement {
  const marks = ALL_RUNS.map((run) => firsts[run])
  return { query: RAISE_FENCE, params: [count, name, ...marks, shard, epoch, owner, count - 1] }
}

function isOwned(fence: Fence | null, { epoch, owner }: CommitPart): boolean {
  return fence?.epoch === epoch && fence.owner === owner
}

function eventPlace(commit: number): Place {
  return { type: Type.event, position: firstEvent(commit), name: '' }
}

function assertSame(stored: Timer, { namespace, id, uuid }: Timer): void {
  if (stored.namespace === namespace && stored.id === id) return
  const names = `${stored.namespace}/${stored.id} and ${namespace}/${id}`
  throw StoreError.lasting(`timers ${names} have the same uuid ${uuid}`)
}
