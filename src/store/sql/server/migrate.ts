// Brings a database on a server to the newest schema, step by step, and what is fixed when it is first used. The row of
// timer_store remembers how many steps it has taken. The adapter sees to the transaction and keeps other nodes out.

import { randomBytes } from 'node:crypto'
import { StoreError } from '../../store.ts'
import type { Dialect } from '../dialect.ts'
import { Statement } from '../statement.ts'
import type { Question } from '../statement.ts'

const SECRET_BYTES = 32

/** What is fixed when a database is first used. */
export type StoreRow = { readonly shards: number; readonly clusterSecret: string }

/** How many steps were taken, of a database that has our tables: those that are there are named. 0 without any of them. */
export function* stepsTaken(dialect: Dialect, tables: readonly string[], latest: number): Question<number> {
  if (!tables.includes('timer_store')) {
    if (!tables.includes('timers')) return 0
    const advice = 'give this service a database of its own, nothing was changed'
    throw StoreError.lasting(`the database has a table \`timers\` of another program: ${advice}`)
  }
  const [row] = yield new Statement(dialect).query('SELECT schema_version FROM timer_store')
  // Without a row where a database that cannot undo the making of tables was interrupted in it.
  const version = row === undefined ? 0 : (row[0] as number)
  if (version <= latest) return version
  throw StoreError.lasting(
    `the database has schema version ${version} and this program knows up to ${latest}: run the newer version that migrated it`,
  )
}

/** The rest of the steps. `shards` is for a database that has taken none. */
export function* takeSteps(dialect: Dialect, steps: readonly string[], from: number, shards: number): Question<void> {
  for (const text of steps.slice(from)) yield { text, values: [] }
  const statement = new Statement(dialect)
  const version = statement.bind(steps.length, 'shard')
  if (from > 0) yield statement.query(`UPDATE timer_store SET schema_version = ${version}`)
  else {
    const secret = statement.bind(randomBytes(SECRET_BYTES).toString('base64url'), 'text')
    yield statement.query(`
      INSERT INTO timer_store (schema_version, shards, cluster_secret)
      VALUES (${version}, ${statement.bind(shards, 'shard')}, ${secret})`)
  }
}

export function* storeRow(dialect: Dialect): Question<StoreRow> {
  const [row] = yield new Statement(dialect).query('SELECT shards, cluster_secret FROM timer_store')
  return { shards: row![0] as number, clusterSecret: row![1] as string }
}
