// The raw limits on PostgreSQL: plain INSERTs into the table of the service, with all its indexes and nothing else, by the
// driver that the service uses. One row each over many connections at once, or a thousand rows as arrays over one. The rows
// are made beforehand; only writing them is timed.

import pg from 'pg'
import { shardOf } from '../../src/core/timer/ids.ts'
import type { PostgresLocation } from '../../src/runtime/config/databases/postgres.ts'
import { columnParameter } from '../../src/store/postgres/connection/array-parameters.ts'
import { ELEMENT_TYPES } from '../../src/store/postgres/connection/column-types.ts'
import { COLUMN_NAMES, TIMER_COLUMNS } from '../../src/store/row/columns.ts'
import type { Cell } from '../../src/store/row/columns.ts'
import { appendCells } from '../../src/store/row/timer-row.ts'
import { answerQuestions, setup } from '../harness/helper-side.ts'
import { SHARDS } from '../harness/postgres.ts'
import { farTimers } from '../harness/stored-timers.ts'

export type RawPostgresInserts =
  | {
      readonly type: 'rows'
      readonly firstId: number
      readonly connections: number
      readonly durationMs: number
      readonly rowsMax: number
    }
  | {
      readonly type: 'arrays'
      readonly firstId: number
      readonly statements: number
      readonly rowsPerStatement: number
    }

const COLUMNS = ['shard_id', ...COLUMN_NAMES]
const TYPES = ['int4', ...TIMER_COLUMNS.map(({ type }) => ELEMENT_TYPES[type])] as const
const INSERT = `INSERT INTO timers (${COLUMNS.join(', ')})`
const ONE_ROW = `${INSERT} VALUES (${COLUMNS.map((_, index) => `$${index + 1}`).join(', ')})`
const MANY_ROWS = `${INSERT} SELECT * FROM unnest(${TYPES.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})`

const { location } = setup<{ location: PostgresLocation }>()
const clients: pg.Client[] = []

answerQuestions<RawPostgresInserts, { perSecond: number }>({}, async (inserts) => {
  if (inserts.type === 'rows') return { perSecond: await oneByOne(inserts) }
  return { perSecond: await asArrays(inserts) }
})

async function oneByOne({
  firstId,
  connections,
  durationMs,
  rowsMax,
}: Extract<RawPostgresInserts, { type: 'rows' }>): Promise<number> {
  const rows = farTimers(firstId, rowsMax).map((timer) => {
    const cells: Cell[] = [shardOf(timer.uuid, SHARDS)]
    appendCells(cells, timer)
    return cells
  })
  const used = await connected(connections)
  const startedAt = performance.now()
  let next = 0
  const insertOneAfterTheOther = async (client: pg.Client) => {
    while (performance.now() < startedAt + durationMs && next < rows.length) {
      await client.query({ name: 'one', text: ONE_ROW, values: rows[next++]! })
    }
  }
  await Promise.all(used.map(insertOneAfterTheOther))
  return (next / (performance.now() - startedAt)) * 1_000
}

async function asArrays({
  firstId,
  statements,
  rowsPerStatement,
}: Extract<RawPostgresInserts, { type: 'arrays' }>): Promise<number> {
  const parameters = Array.from({ length: statements }, (_, statement) => {
    const cells: Cell[] = []
    for (const timer of farTimers(firstId + statement * rowsPerStatement, rowsPerStatement)) {
      cells.push(shardOf(timer.uuid, SHARDS))
      appendCells(cells, timer)
    }
    return TYPES.map((type, column) => columnParameter(type, cells, column, COLUMNS.length) ?? nulls(rowsPerStatement))
  })
  const [client] = await connected(1)
  const startedAt = performance.now()
  for (const values of parameters) await client!.query({ name: 'many', text: MANY_ROWS, values })
  return ((statements * rowsPerStatement) / (performance.now() - startedAt)) * 1_000
}

/** Columns of arrays must be equally long. */
function nulls(count: number): string {
  return `{${Array.from({ length: count }, () => 'NULL').join(',')}}`
}

async function connected(count: number): Promise<pg.Client[]> {
  while (clients.length < count) {
    const { host, port, user, password, database } = location
    const client = new pg.Client({ host, port, user, password: password ?? '', database })
    await client.connect()
    clients.push(client)
  }
  return clients.slice(0, count)
}
