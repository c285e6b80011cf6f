// What a commit looks at and writes, as plain statements with bound values. See message-commits.ts for what they are for.

import { randomInt } from 'node:crypto'
import type { ShardId, Timer } from '../../../../core/timer/timer.ts'
import { CounterSums } from '../../../counter-sums.ts'
import { RowType, TIMER_COLUMNS } from '../../../row/columns.ts'
import type { Cell, Column } from '../../../row/columns.ts'
import type { CommitPart, OwnedShard, RowMove } from '../../../store.ts'
import { COLUMNS } from '../../ddl.ts'
import type { Dialect } from '../../dialect.ts'
import { entriesOf } from '../../questions/metadata-entries.ts'
import { Statement } from '../../statement.ts'
import type { Query } from '../../statement.ts'
import { rowValues, selectCells, updateTimer } from '../../timer-sql.ts'

export type StatementSql = {
  readonly dialect: Dialect
  /** An expression that is an error when the condition holds. */
  readonly failIf: (condition: string) => string
  /** What an insert says so that entries of metadata that are there stay. */
  readonly keepEntries: string
}

export type Conditions = OwnedShard & Pick<CommitPart, 'puts' | 'deletes'>
type Searchable = Pick<Timer, 'metadata' | 'namespace' | 'uuid'>

const CHECKED_AT_ONCE = 100 // every row that is found is compared with each of them
const COMMIT_ID_MAX = 2 ** 47 // what randomInt can do; two that are the same would have to be folded at the same time

const columns = (...names: readonly string[]): readonly Column[] =>
  names.map((name) => COLUMNS.timers.find((column) => column.name === name)!)
const FENCE = columns('shard_id', 'shard_epoch', 'shard_owner')
const ROW = columns('timer_uuid', 'timer_version', 'shard_id')
const NAMED_ROW = [...ROW, ...columns('timer_namespace', 'timer_id')]
const NEW_ROW = [...TIMER_COLUMNS, ...columns('shard_id')] // as rowValues has it
const LOG_COLUMNS: readonly Column[] = [{ name: 'commit_id', type: 'integer' }, ...COLUMNS.timer_counters]

export class CommitStatements {
  readonly #sql: StatementSql
  readonly #update: string
  readonly #updateKeepingPayload: string

  constructor(sql: StatementSql) {
    this.#sql = sql
    this.#update = updateTimer(sql.dialect, { keepsPayload: false })
    this.#updateKeepingPayload = updateTimer(sql.dialect, { keepsPayload: true })
  }

  /** A row that is locked is passed over by nobody: claims, releases and other commits wait for it. */
  lockFences(parts: readonly OwnedShard[]): Query {
    const { dialect } = this.#sql
    const statement = new Statement(dialect)
    const shards = parts.map(({ shard }) => shard)
    return statement.query(`
      SELECT ${FENCE.map(({ name }) => name).join(', ')} FROM timers ${dialect.by('primary')}
      WHERE ${dialect.isOneOf('shard_id', 'shard', shards, statement)} AND row_type = ${RowType.shard}
      ORDER BY shard_id FOR UPDATE`)
  }

  /** Fail unless all fences, and all rows that are changed or deleted, are there as the parts say. */
  checks(parts: readonly Conditions[]): Query[] {
    const fences = parts.map(({ shard, epoch, owner }) => areEqual(FENCE, [shard, epoch, owner]))
    const rows = parts.flatMap(({ shard, puts, deletes }) => [
      ...puts.flatMap(({ before, after: { uuid, namespace, id } }) =>
        before === null ? [] : areEqual(NAMED_ROW, [uuid, before.version, shard, namespace, id]),
      ),
      ...deletes.map(({ uuid, version }) => areEqual(ROW, [uuid, version, shard])),
    ])
    const { dialect } = this.#sql
    const checks = [this.#check(`${dialect.by('primary')} WHERE row_type = ${RowType.shard}`, fences)]
    for (let at = 0; at < rows.length; at += CHECKED_AT_ONCE)
      checks.push(this.#check(`${dialect.by('timers_by_uuid')} WHERE TRUE`, rows.slice(at, at + CHECKED_AT_ONCE)))
    return checks
  }

  #check(among: string, terms: readonly Term[]): Query {
    const statement = new Statement(this.#sql.dialect)
    const found = terms.map((term) => term(statement)).join(' OR ')
    return statement.query(
      `SELECT ${this.#sql.failIf(`COUNT(*) <> ${terms.length}`)} FROM timers ${among} AND (${found})`,
    )
  }

  /** Every row that a part names, with its shard, of those that are there. */
  selectRows(parts: readonly CommitPart[]): Query {
    const { dialect } = this.#sql
    const statement = new Statement(dialect)
    const named = parts.flatMap(({ puts, deletes }) => [...puts.map(({ after }) => after), ...deletes])
    return statement.query(`SELECT shard_id, ${selectCells(dialect)} FROM timers WHERE ${isOneOf(named, statement)}`)
  }

  moved({ from, to, timers }: RowMove): Query {
    const statement = new Statement(this.#sql.dialect)
    return statement.query(`
      UPDATE timers SET shard_id = ${statement.bind(to.shard, 'shard')}
      WHERE ${isOneOf(timers, statement)} AND shard_id = ${statement.bind(from.shard, 'shard')}`)
  }

  /** Without looking again. */
  writes(parts: readonly CommitPart[]): Query[] {
    const [timers, entries, events]: [Cell[][], Cell[][], Cell[][]] = [[], [], []]
    const changes: Query[] = []
    for (const { shard, puts, deletes, events: added } of parts) {
      for (const { before, after } of puts) {
        if (before === null) timers.push(rowValues(after, shard))
        else changes.push(this.#updated(shard, before, after))
        if (before?.metadata === after.metadata) continue
        changes.push(...this.#removals(before))
        entries.push(...entryRows(after))
      }
      if (deletes.length > 0) changes.push(this.#deletion(deletes), ...deletes.flatMap((row) => this.#removals(row)))
      for (const { uuid, namespace, type, id, at, body } of added)
        events.push([shard, uuid, namespace, type, id, at, body])
    }
    return [
      ...this.#inserted('timers', NEW_ROW, timers),
      ...changes,
      // Texts that are no Unicode are stored with replacement characters, and two of them may be the same.
      ...this.#inserted('timer_metadata', COLUMNS.timer_metadata, entries, this.#sql.keepEntries),
      ...this.#inserted('timer_counter_log', LOG_COLUMNS, logRows(parts)),
      ...this.#inserted('timer_outbox', COLUMNS.timer_outbox, events),
    ]
  }

  #updated(shard: ShardId, before: Timer, after: Timer): Query {
    const text = before.payload === after.payload ? this.#updateKeepingPayload : this.#update
    return { text, values: [...rowValues(after, shard), before.version] }
  }

  #deletion(rows: CommitPart['deletes']): Query {
    const statement = new Statement(this.#sql.dialect)
    return statement.query(`DELETE FROM timers WHERE ${isOneOf(rows, statement)}`)
  }

  #removals(row: Searchable | null): Query[] {
    const rows = row === null ? [] : entryRows(row)
    return rows.map((cells) => {
      const statement = new Statement(this.#sql.dialect)
      return statement.query(`DELETE FROM timer_metadata WHERE ${areEqual(COLUMNS.timer_metadata, cells)(statement)}`)
    })
  }

  /** One statement for all rows; none for no row. */
  #inserted(table: string, into: readonly Column[], rows: readonly (readonly Cell[])[], onConflict = ''): Query[] {
    if (rows.length === 0) return []
    const statement = new Statement(this.#sql.dialect)
    const tuples = rows.map((cells) => `(${cells.map((cell, at) => statement.bind(cell, into[at]!.type)).join(', ')})`)
    const names = into.map(({ name }) => name).join(', ')
    return [statement.query(`INSERT INTO ${table} (${names}) VALUES ${tuples.join(', ')} ${onConflict}`)]
  }
}

/** What all parts count together, under a number of this commit's own. */
function logRows(parts: readonly CommitPart[]): Cell[][] {
  const sums = new CounterSums()
  for (const { counters } of parts) for (const counter of counters) sums.add(counter)
  const id = randomInt(COMMIT_ID_MAX)
  return sums.counters().map(({ namespace, slotAt, name, amount }) => [id, namespace, slotAt, name, amount])
}

type Term = (statement: Statement) => string

/** A condition: the columns have these values. */
function areEqual(compared: readonly Column[], cells: readonly Cell[]): Term {
  return (statement) =>
    `(${compared.map(({ name, type }, at) => `${name} = ${statement.bind(cells[at]!, type)}`).join(' AND ')})`
}

function isOneOf(rows: readonly Pick<Timer, 'uuid'>[], statement: Statement): string {
  const uuids = rows.map(({ uuid }) => uuid)
  return statement.dialect.isOneOf('timer_uuid', 'uuid', uuids, statement)
}

function entryRows({ metadata, namespace, uuid }: Searchable): Cell[][] {
  return entriesOf(metadata).map((entry) => [...entry, namespace, uuid])
}
