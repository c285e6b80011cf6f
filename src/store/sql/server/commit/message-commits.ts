// A commit as one message of several statements, so that it is one round trip, for servers that have no functions to call. It goes
// by the assumption that nothing is in the way, which is nearly always so: the shards' rows are locked, a check fails unless
// every fence and every expected version is as the parts say, and an insert fails where there is a row already. A statement that
// fails ends the message before its end. Only then the transaction is undone, what is in the way is read under the same locks,
// and the parts that can be are written.
//
// The fence: every shard's row is locked, in the order of the shards so that two commits cannot lock each other out, and its
// epoch and owner are looked at under the lock. A claim that came first is waited for and then seen; one that comes later waits
// until this commit is over. Under that lock nobody else writes a timer of the shard.

import type { ShardId, TimerUuid } from '../../../../core/timer/timer.ts'
import { judgedPart } from '../../../commit-sheet.ts'
import type { PlacedTimer } from '../../../commit-sheet.ts'
import type { Cell } from '../../../row/columns.ts'
import { timerAt } from '../../../row/timer-row.ts'
import type { CommitPart, PartResult, RowMove, ShardRow } from '../../../store.ts'
import type { Query, Row } from '../../statement.ts'
import { CommitStatements } from './commit-statements.ts'
import type { Conditions, StatementSql } from './commit-statements.ts'

export type MessageSql = StatementSql & {
  /** Of the error of `failIf`, and of an insert where there is a row already. */
  readonly isMiss: (error: unknown) => boolean
  readonly begin: readonly string[]
  readonly commit: readonly string[]
  readonly rollback: readonly string[]
}

/** In one round trip, on one connection. Rejects with the error of the first statement that failed. */
export type RunMessage = (message: readonly Query[]) => Promise<readonly (readonly Row[])[]>

const WRITTEN: PartResult = { type: 'written' }

export class MessageCommits {
  readonly #sql: MessageSql
  readonly #statements: CommitStatements

  constructor(sql: MessageSql) {
    this.#sql = sql
    this.#statements = new CommitStatements(sql)
  }

  async commit(parts: readonly CommitPart[], run: RunMessage): Promise<readonly PartResult[]> {
    if (await this.#isDone(parts, this.#statements.writes(parts), run)) return parts.map(() => WRITTEN)
    const { begin, commit, rollback } = this.#sql
    const looks = [this.#statements.lockFences(parts), this.#statements.selectRows(parts)]
    const [locked, found] = (await run([...said(rollback), ...said(begin), ...looks])).slice(-looks.length)
    const fences = new Map(locked!.map(([shard, epoch, owner]) => [shard, { epoch, owner } as Fence]))
    const rows = new Map(found!.map(([shard, ...cells]) => placed(shard as ShardId, cells)))
    const results = parts.map((part) => judgedPart(part, fences.get(part.shard), (uuid) => rows.get(uuid)))
    const writable = parts.filter((_, index) => results[index]!.type === 'written')
    await run([...this.#statements.writes(writable), ...said(commit)])
    return results
  }

  /** Timers of one shard become timers of another, under the same locks and checks. */
  async move(move: RowMove, run: RunMessage): Promise<boolean> {
    const fences = [move.from, move.to].map((owned) => ({ ...owned, puts: [], deletes: [] }))
    const isDone = await this.#isDone(fences, [this.#statements.moved(move)], run)
    if (!isDone) await run(said(this.#sql.rollback))
    return isDone
  }

  /** False when something is in the way: the transaction is open then, and nothing more can be done in it. */
  async #isDone(parts: readonly Conditions[], writes: readonly Query[], run: RunMessage): Promise<boolean> {
    const conditions = [this.#statements.lockFences(parts), ...this.#statements.checks(parts)]
    try {
      await run([...said(this.#sql.begin), ...conditions, ...writes, ...said(this.#sql.commit)])
      return true
    } catch (error) {
      if (!this.#sql.isMiss(error)) throw error
      return false
    }
  }
}

type Fence = Pick<ShardRow, 'epoch' | 'owner'>

function placed(shard: ShardId, cells: readonly Cell[]): [TimerUuid, PlacedTimer] {
  const timer = timerAt(cells, 0)
  return [timer.uuid, { shard, timer }]
}

function said(texts: readonly string[]): Query[] {
  return texts.map((text) => ({ text, values: [] }))
}
