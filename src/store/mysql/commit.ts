// A commit as one message of several statements, so that it is one round trip. It goes by the assumption that nothing is in the
// way, which is nearly always so: the shards' rows are locked, a check fails unless every fence and every expected version is
// as the parts say, and an insert fails where there is a row already. A statement that fails ends the message before its COMMIT.
// Only then the transaction is undone, what is in the way is read under the same locks, and the parts that can be are written.
//
// The fence: every shard's row is locked, in the order of the shards so that two commits cannot lock each other out, and its
// epoch and owner are looked at under the lock. A claim that came first is waited for and then seen; one that comes later waits
// until this commit is over. Under that lock nobody else writes a timer of the shard.

import { randomInt } from 'node:crypto'
import type { Timer, TimerUuid } from '../../core/timer/timer.ts'
import { CHANGING_COLUMNS, COLUMN_NAMES, RowType } from '../row/columns.ts'
import type { Cell, ColumnName } from '../row/columns.ts'
import { appendCells, timerAt } from '../row/timer-row.ts'
import { partBytes } from '../commit-sheet.ts'
import { CounterSums } from '../counter-sums.ts'
import { entriesOf } from '../sql/questions/metadata-entries.ts'
import { EVENT_COLUMNS } from '../sql/questions/outbox.ts'
import type { Row } from '../sql/statement.ts'
import { selectCells } from '../sql/timer-sql.ts'
import { StoreError } from '../store.ts'
import type { CommitPart, OwnedShard, PartResult, RowMove } from '../store.ts'
import type { Run } from './connection/connections.ts'
import { isMiss } from './connection/failures.ts'
import { literal, uuidLiteral } from './connection/literals.ts'
import { MYSQL } from './dialect.ts'

const CHECKED_AT_ONCE = 100 // every row that is found is compared with each of them
const COMMIT_ID_MAX = 2 ** 47 // what randomInt can do; two that are the same would have to be folded at the same time
const WRITTEN: PartResult = { type: 'written' }
const FENCED: PartResult = { type: 'fenced' }

/** A commit that is too large for a message is several, one after the other; a part is always in one. */
export async function commitInMessages(
  parts: readonly CommitPart[],
  bytesMax: number,
  send: (some: readonly CommitPart[]) => Promise<readonly PartResult[]>,
): Promise<readonly PartResult[]> {
  const messages: CommitPart[][] = [[]]
  let bytes = 0
  for (const part of parts) {
    const more = partBytes(part)
    if (bytes > 0 && bytes + more > bytesMax) messages.push([])
    bytes = messages.at(-1)!.length === 0 ? more : bytes + more
    messages.at(-1)!.push(part)
  }
  if (messages.length === 1) return send(parts)
  const results: PartResult[] = []
  for (const some of messages) {
    const failed = (error: StoreError): PartResult[] => some.map(() => ({ type: 'failed', error }))
    results.push(...(await send(some).catch(failed)))
  }
  return results
}

export async function commit(parts: readonly CommitPart[], run: Run): Promise<readonly PartResult[]> {
  try {
    await run(['START TRANSACTION', lockShards(parts), ...checks(parts), ...writes(parts), 'COMMIT'])
    return parts.map(() => WRITTEN)
  } catch (error) {
    if (!isMiss(error)) throw error
    return commitWhatCanBe(parts, run)
  }
}

/** Timers of one shard become timers of another, under the same locks and checks. */
export async function move({ from, to, timers }: RowMove, run: Run): Promise<boolean> {
  const fences = [from, to].map(fenceOnly)
  const uuids = timers.map(({ uuid }) => uuidLiteral(uuid)).join(', ')
  const moves = `UPDATE timers SET shard_id = ${to.shard} WHERE timer_uuid IN (${uuids}) AND shard_id = ${from.shard}`
  try {
    await run(['START TRANSACTION', lockShards(fences), ...checks(fences), moves, 'COMMIT'])
    return true
  } catch (error) {
    if (!isMiss(error)) throw error
    await run(['ROLLBACK'])
    return false
  }
}

function fenceOnly(owned: OwnedShard): CommitPart {
  return { ...owned, puts: [], deletes: [], counters: [], events: [] }
}

async function commitWhatCanBe(parts: readonly CommitPart[], run: Run): Promise<readonly PartResult[]> {
  const looks = ['ROLLBACK', 'START TRANSACTION', lockShards(parts), selectFences(parts), ...selectRows(parts)]
  const [, , , fences, ...found] = await run(looks)
  const rows = new Map(
    found.flatMap((reply) => reply.rows).map(([shard, ...cells]) => [cells[UUID_AT] as string, { shard, cells }]),
  )
  const results = parts.map((part): PartResult => {
    const isOwned = fences!.rows.some(
      ([shard, epoch, owner]) => shard === part.shard && epoch === part.epoch && owner === part.owner,
    )
    if (!isOwned) return FENCED
    const inTheWay = rowsInTheWay(part, rows)
    return inTheWay.size === 0 ? WRITTEN : { type: 'missed', rows: inTheWay }
  })
  const writable = parts.filter((_, index) => results[index] === WRITTEN)
  await run(writable.length === 0 ? ['ROLLBACK'] : [...writes(writable), 'COMMIT'])
  return results
}

/** A row that is locked is passed over by nobody: claims, releases and other commits wait for it. */
function lockShards(parts: readonly CommitPart[]): string {
  return `SELECT shard_id FROM ${shardRows(parts)} ORDER BY shard_id FOR UPDATE`
}

function selectFences(parts: readonly CommitPart[]): string {
  return `SELECT shard_id, shard_epoch, shard_owner FROM ${shardRows(parts)}`
}

function shardRows(parts: readonly CommitPart[]): string {
  const shards = parts.map(({ shard }) => shard).join(', ')
  return `timers FORCE INDEX (PRIMARY) WHERE shard_id IN (${shards}) AND row_type = ${RowType.shard}`
}

/** Fail unless all fences, and all rows that are changed or deleted, are there as the parts say. */
function checks(parts: readonly CommitPart[]): string[] {
  const fences = parts.map(
    ({ shard, epoch, owner }) => `shard_id = ${shard} AND shard_epoch = ${epoch} AND shard_owner = ${literal(owner)}`,
  )
  const expected = parts.flatMap(({ shard, puts, deletes }) => {
    const row = (uuid: string, version: number): string =>
      `timer_uuid = ${uuidLiteral(uuid)} AND timer_version = ${version} AND shard_id = ${shard}`
    const named = ({ namespace, id }: Timer): string =>
      ` AND timer_namespace = ${literal(namespace)} AND timer_id = ${literal(id)}`
    const changed = puts.flatMap(({ before, after }) =>
      before === null ? [] : row(after.uuid, before.version) + named(after),
    )
    return [...changed, ...deletes.map(({ uuid, version }) => row(uuid, version))]
  })
  const check = (rows: string, terms: readonly string[]): string =>
    `SELECT EXP(1000 * (COUNT(*) <> ${terms.length})) FROM timers ${rows} AND (${terms.map((term) => `(${term})`).join(' OR ')})`
  const checked = [check(`FORCE INDEX (PRIMARY) WHERE row_type = ${RowType.shard}`, fences)]
  for (let at = 0; at < expected.length; at += CHECKED_AT_ONCE)
    checked.push(check('FORCE INDEX (timers_by_uuid) WHERE TRUE', expected.slice(at, at + CHECKED_AT_ONCE)))
  return checked
}

/** Every row that a part names, with its shard, of those that are there. */
function selectRows(parts: readonly CommitPart[]): string[] {
  const uuids = parts.flatMap(({ puts, deletes }) => [
    ...puts.map(({ after }) => after.uuid),
    ...deletes.map(({ uuid }) => uuid),
  ])
  if (uuids.length === 0) return []
  const cells = selectCells(MYSQL)
  return [`SELECT shard_id, ${cells} FROM timers WHERE timer_uuid IN (${uuids.map(uuidLiteral).join(', ')})`]
}

const UUID_AT = COLUMN_NAMES.indexOf('timer_uuid')

type FoundRow = { readonly shard: Cell | undefined; readonly cells: Row }

function rowsInTheWay(part: CommitPart, rows: ReadonlyMap<string, FoundRow>): Map<TimerUuid, Timer | null> {
  const inTheWay = new Map<TimerUuid, Timer | null>()
  const look = (uuid: TimerUuid, version: number | null, after: Timer | null): void => {
    const row = rows.get(uuid)
    const existing = row === undefined ? null : timerAt(row.cells, 0)
    if (existing !== null && after !== null && nameOf(existing) !== nameOf(after)) {
      const text = `timers ${nameOf(existing)} and ${nameOf(after)} have the same uuid ${uuid}: rename one`
      throw StoreError.lasting(text)
    }
    const isThere = existing === null ? null : existing.version
    if (isThere !== version || (row !== undefined && row.shard !== part.shard)) inTheWay.set(uuid, existing)
  }
  for (const { before, after } of part.puts) look(after.uuid, before === null ? null : before.version, after)
  for (const { uuid, version } of part.deletes) look(uuid, version, null)
  return inTheWay
}

function nameOf({ namespace, id }: Timer): string {
  return `${namespace}/${id}`
}

/** Without looking again. */
function writes(parts: readonly CommitPart[]): string[] {
  const [inserted, updates, deleted, addedEntries, removedEntries, events]: string[][] = [[], [], [], [], [], []]
  for (const { shard, puts, deletes, events: ofPart } of parts) {
    for (const { before, after } of puts) {
      const cells = cellsOf(after)
      if (before === null) inserted!.push(`(${shard}, ${cells.join(', ')})`)
      else updates!.push(updateOf(cells, before.payload === after.payload))
      if (before?.metadata === after.metadata) continue
      removedEntries!.push(...entryTerms(before))
      for (const [key, value] of entriesOf(after.metadata))
        addedEntries!.push(
          `(${literal(key)}, ${literal(value)}, ${literal(after.namespace)}, ${uuidLiteral(after.uuid)})`,
        )
    }
    for (const row of deletes) {
      deleted!.push(uuidLiteral(row.uuid))
      removedEntries!.push(...entryTerms(row))
    }
    for (const { uuid, namespace, type, id, at, body } of ofPart)
      events!.push(`(${shard}, ${uuidLiteral(uuid)}, ${[namespace, type, id, at, body].map(literal).join(', ')})`)
  }
  const counters = countersOf(parts)
  return [
    ...unlessEmpty(inserted!, (rows) => `INSERT INTO timers (shard_id, ${COLUMN_NAMES.join(', ')}) VALUES ${rows}`),
    ...updates!,
    ...unlessEmpty(deleted!, (uuids) => `DELETE FROM timers WHERE timer_uuid IN (${uuids})`),
    ...removedEntries!.map((term) => `DELETE FROM timer_metadata WHERE ${term}`),
    // Texts that are no Unicode are stored with replacement characters, and two of them may be the same.
    ...unlessEmpty(
      addedEntries!,
      (rows) => `INSERT INTO timer_metadata (metadata_key, metadata_value, timer_namespace, timer_uuid) VALUES ${rows}
        ON DUPLICATE KEY UPDATE timer_uuid = VALUES(timer_uuid)`,
    ),
    ...unlessEmpty(
      counters,
      (rows) =>
        `INSERT INTO timer_counter_log (commit_id, timer_namespace, slot_at, counter_name, counter_amount) VALUES ${rows}`,
    ),
    ...unlessEmpty(
      events!,
      (rows) => `INSERT INTO timer_outbox (${EVENT_COLUMNS.map(({ name }) => name).join(', ')}) VALUES ${rows}`,
    ),
  ]
}

function unlessEmpty(values: readonly string[], statement: (values: string) => string): string[] {
  return values.length === 0 ? [] : [statement(values.join(', '))]
}

function cellsOf(timer: Timer): string[] {
  const cells: Cell[] = []
  appendCells(cells, timer)
  return cells.map((cell, at) => (at === UUID_AT ? uuidLiteral(cell as string) : literal(cell)))
}

function updateOf(cells: readonly string[], keepsPayload: boolean): string {
  const cell = (column: ColumnName): string => cells[COLUMN_NAMES.indexOf(column)]!
  const changing = CHANGING_COLUMNS.filter((column) => !keepsPayload || column !== 'timer_payload')
  const changes = changing.map((column) => `${column} = ${cell(column)}`).join(', ')
  return `UPDATE timers SET ${changes} WHERE timer_uuid = ${cell('timer_uuid')}`
}

function entryTerms(timer: Pick<Timer, 'metadata' | 'namespace' | 'uuid'> | null): string[] {
  if (timer === null) return []
  return entriesOf(timer.metadata).map(
    ([key, value]) =>
      `metadata_key = ${literal(key)} AND metadata_value = ${literal(value)}
        AND timer_namespace = ${literal(timer.namespace)} AND timer_uuid = ${uuidLiteral(timer.uuid)}`,
  )
}

/** What all parts count together, under a number of this commit's own. */
function countersOf(parts: readonly CommitPart[]): string[] {
  const sums = new CounterSums()
  for (const { counters } of parts) for (const counter of counters) sums.add(counter)
  const id = randomInt(COMMIT_ID_MAX)
  return sums
    .counters()
    .map(
      ({ namespace, slotAt, name, amount }) => `(${id}, ${literal(namespace)}, ${slotAt}, ${literal(name)}, ${amount})`,
    )
}
