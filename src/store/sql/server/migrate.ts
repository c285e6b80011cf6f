// Brings a database on a server to the newest schema, step by step, and what is fixed when it is first used. The row of
// timer_store remembers how many steps it has taken. Several nodes may start at once: one migrates under a lock, the others
// wait and find it done.

import { randomBytes } from 'node:crypto'
import { StoreError } from '../../store.ts'
import type { Dialect } from '../dialect.ts'
import { answerLater, Statement } from '../statement.ts'
import type { Query, Question, Row } from '../statement.ts'

const SECRET_BYTES = 32

/** What is fixed when a database is first used. */
export type StoreRow = { readonly shards: number; readonly clusterSecret: string }

/** One connection to a database, and what its engine says in its own words. */
export type Setup = {
  readonly dialect: Dialect
  /** Numbered from 1, and never edited once released. */
  readonly steps: readonly string[]
  /** Names those of `timers` and `timer_store` that are there, in one look: another node may be making them. */
  readonly tablesSql: string
  /** Keeps other nodes out until the connection ends. */
  readonly lockSql: string
  readonly run: (query: Query) => Promise<readonly Row[]>
}

/** All steps that are missing, or none where the making of tables can be undone. `shards` is for a database that has taken none. */
export async function migrate(setup: Setup, shards: number): Promise<StoreRow> {
  const { dialect, steps, lockSql, run } = setup
  const say = (text: string) => run({ text, values: [] })
  if ((await schemaVersion(setup)) < steps.length) {
    // Before the transaction: one that had waited inside would not see the new tables.
    await say(lockSql)
    await say('BEGIN')
    try {
      const from = await schemaVersion(setup)
      if (from < steps.length) await answerLater(takeSteps(dialect, steps, from, shards), run)
      await say('COMMIT')
    } catch (error) {
      await say('ROLLBACK').catch(() => {})
      throw error
    }
  }
  return answerLater(storeRow(dialect), run)
}

/** How many steps were taken. 0 for a database without any of our tables. */
export async function schemaVersion({ dialect, steps, tablesSql, run }: Setup): Promise<number> {
  const tables = (await run({ text: tablesSql, values: [] })).map(([name]) => String(name))
  return answerLater(stepsTaken(dialect, tables, steps.length), run)
}

function* stepsTaken(dialect: Dialect, tables: readonly string[], latest: number): Question<number> {
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

/** The rest of the steps. */
function* takeSteps(dialect: Dialect, steps: readonly string[], from: number, shards: number): Question<void> {
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

function* storeRow(dialect: Dialect): Question<StoreRow> {
  const [row] = yield new Statement(dialect).query('SELECT shards, cluster_secret FROM timer_store')
  return { shards: row![0] as number, clusterSecret: row![1] as string }
}
