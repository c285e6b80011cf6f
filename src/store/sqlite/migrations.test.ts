import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { migrate, SCHEMA_VERSION, schemaText, schemaVersion } from './migrations.ts'

const SNAPSHOT = new URL('./schema.sql', import.meta.url)

test('the migrations lead to the schema in schema.sql', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  // To accept a change of the schema: UPDATE_SNAPSHOTS=1 node --test src/store/sqlite/migrations.test.ts
  if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(SNAPSHOT, schemaText(db))
  assert.equal(schemaText(db), readFileSync(SNAPSHOT, 'utf8'), 'run this test with UPDATE_SNAPSHOTS=1 and look at the difference')
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
  db.exec('CREATE TABLE timer_counts (in_the_way)')
  assert.throws(() => migrate(db), /already exists/)
  assert.match(schemaText(db), /^CREATE TABLE timer_counts \(in_the_way\);\n$/)
  assert.equal(schemaVersion(db), 0)
})
