// Migrations as a step of their own: what `duetime migrate` says and does, and a service that is told to leave them alone.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { missingServer, startServer } from '../scripts/servers/servers.ts'
import { parseMysqlUrl } from '../src/runtime/config/databases/mysql.ts'
import { connect } from '../src/store/mysql/connection/driver.ts'
import { PostgresServer } from '../src/store/postgres/postgres-server.fixture.ts'
import { cleanUp } from './support/cleanup.ts'
import { runCli } from './support/cli.ts'
import { runToEnd, startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const BY_HAND = { MIGRATE_AT_START: 'false' }
const NONE = /^The database has no tables of this service yet, and this program needs 1: run `duetime migrate up`\.\n$/

async function aPostgres(t: TestContext): Promise<{ readonly url: string; readonly tables: () => Promise<number> }> {
  const server = await PostgresServer.start()
  cleanUp(t, () => server.stop())
  const { port, user, password, database } = await server.createDatabase()
  const count = "SELECT count(*)::int AS n FROM pg_class WHERE relname IN ('timers', 'timer_store')"
  const tables = async () => (await server.sql(count, database))[0]!['n'] as number
  return { url: `postgres://${user}:${password}@127.0.0.1:${port}/${database}`, tables }
}

async function aMariadb(t: TestContext): Promise<{ readonly url: string; readonly tables: () => Promise<number> }> {
  const server = await startServer('mariadb')
  cleanUp(t, () => server.stop())
  const admin = await connect(parseMysqlUrl(server.url()), 5_000)
  cleanUp(t, () => admin.end())
  const tables = async () => ((await admin.query('SHOW TABLES'))[0] as unknown[]).length
  return { url: server.url(), tables }
}

const DATABASES = {
  SQLite: async (t: TestContext) => {
    const path = join(tempDir(t), 'timers.db')
    return { url: `sqlite:${path}`, tables: async () => (existsSync(path) ? 2 : 0) }
  },
  PostgreSQL: aPostgres,
  ...(missingServer('mariadb') === false && { MariaDB: aMariadb }),
}

for (const [name, database] of Object.entries(DATABASES)) {
  test(`on ${name}, a service that may not migrate changes nothing and says what to run; then it starts`, async (t) => {
    const { url, tables } = await database(t)
    const cwd = tempDir(t)
    const env = { DATABASE_URL: url, ...BY_HAND }
    const refused = await runToEnd(['serve'], { cwd, env: { ...env, PORT: '0' } })
    assert.equal(refused.code, 1, refused.output)
    assert.match(refused.output, /schema version 0 and this program needs 1: run `duetime migrate up`/)

    const status = await runCli(['migrate', 'status'], { env })
    assert.deepEqual([status.code, status.err], [1, ''])
    assert.match(status.out, NONE)
    assert.equal(await tables(), 0, 'looking changes nothing')

    const up = await runCli(['migrate', 'up'], { env })
    assert.deepEqual([up.code, up.out], [0, 'The tables were made. The schema is up to date: version 1.\n'], up.err)
    await startService(t, { cwd, env })
    const again = await runCli(['migrate', 'up'], { env })
    assert.deepEqual([again.code, again.out], [0, 'The schema is up to date: version 1. There is nothing to do.\n'])
    assert.equal((await runCli(['migrate', 'status'], { env })).code, 0, 'also while a service runs')
  })
}

test('there is no step down: it says what to do instead, and changes nothing', async (t) => {
  const path = join(tempDir(t), 'timers.db')
  const env = { TIMER_DB_PATH: path }
  const schema = () => {
    const db = new DatabaseSync(path, { readOnly: true })
    try {
      return [db.prepare('PRAGMA user_version').get(), db.prepare('SELECT name, sql FROM sqlite_schema').all()]
    } finally {
      db.close()
    }
  }
  assert.equal((await runCli(['migrate', 'up'], { env })).code, 0)
  const before = schema()
  const { code, out, err } = await runCli(['migrate', 'down'], { env })
  assert.deepEqual([code, err], [1, ''])
  assert.match(out, /^The database has schema version 1, and nothing was changed/)
  for (const way of ['migrate status', 'backup of before the upgrade', 'duetime export', 'duetime import'])
    assert.ok(out.includes(way), way)
  assert.deepEqual(schema(), before)
  const inMemory = await runCli(['migrate', 'down'], { env: { DATABASE_URL: 'memory:' } })
  assert.deepEqual([inMemory.code, inMemory.err], [0, ''])
  assert.match(inMemory.out, /install the older version and start it/)
})

test('a database of a newer version is left alone, with a sentence', async (t) => {
  const path = join(tempDir(t), 'timers.db')
  assert.equal((await runCli(['migrate', 'up'], { env: { TIMER_DB_PATH: path } })).code, 0)
  const db = new DatabaseSync(path)
  db.exec('PRAGMA user_version = 9')
  db.close()
  for (const task of ['status', 'up']) {
    const { code, err } = await runCli(['migrate', task], { env: { TIMER_DB_PATH: path } })
    assert.equal(code, 1)
    assert.match(err, /has schema version 9 and this program knows up to 1: run the newer version/)
  }
})

test('a store in memory has nothing to migrate', async () => {
  const { code, out } = await runCli(['migrate', 'status'], { env: { DATABASE_URL: 'memory:' } })
  assert.deepEqual(
    [code, out],
    [0, 'There is nothing to migrate in this kind of database: the first start makes what it needs.\n'],
  )
})
