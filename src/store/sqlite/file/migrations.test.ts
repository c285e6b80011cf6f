import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sampleTimer } from '../../conformance/sample-timer.ts'
import { migrate, SCHEMA_VERSION, schemaVersion } from './migrations.ts'
import { schemaText } from './schema-text.fixture.ts'
import { ShardRows } from '../shard-rows.ts'
import { SQLITE } from '../dialect.ts'
import { insertTimer, rowValues } from '../../sql/timer-sql.ts'

const SNAPSHOT = new URL('./schema.sql', import.meta.url)

test('the migrations lead to the schema in schema.sql', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  // To accept a change of the schema: UPDATE_SNAPSHOTS=1 node --test src/store/sqlite/file/migrations.test.ts
  if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(SNAPSHOT, schemaText(db))
  assert.equal(
    schemaText(db),
    readFileSync(SNAPSHOT, 'utf8'),
    'run this test with UPDATE_SNAPSHOTS=1 and look at the difference',
  )
})

test('migrating twice changes nothing', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  const before = schemaText(db)
  migrate(db)
  assert.equal(schemaText(db), before)
  assert.equal(schemaVersion(db), SCHEMA_VERSION)
})

test('a migration that fails leaves the database as it was', () => {
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE timer_counters (in_the_way)')
  assert.throws(() => migrate(db), /already exists/)
  assert.match(schemaText(db), /^CREATE TABLE timer_counters \(in_the_way\);\n$/)
  assert.equal(schemaVersion(db), 0)
})

test('people who look with SQL find a readable view', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  new ShardRows(db).claim({ shard: 0 as never, expected: 0 as never, from: null, owner: 'test' })
  db.prepare(insertTimer(SQLITE)).run(...rowValues(sampleTimer(), 0))
  const [row, ...others] = db
    .prepare('SELECT namespace, id, status, due_at, created_at, version FROM timers_readable')
    .all()
  assert.deepEqual(others, [])
  assert.deepEqual(
    { ...row },
    {
      namespace: 'default',
      id: 'sample',
      status: 'pending',
      due_at: '2030-01-01T00:01:00.000Z',
      created_at: '2030-01-01T00:00:00.000Z',
      version: 1,
    },
  )
})
