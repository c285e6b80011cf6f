import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Status } from '../../core/timer.ts'
import type { JsonText, TimerId } from '../../core/timer.ts'
import { SAMPLE_NOW, sampleTimer } from '../sample-timer.ts'
import { timersOf } from '../timer-row.ts'
import { Analyst } from './analyst.ts'
import { migrate, SCHEMA_VERSION, schemaText, schemaVersion } from './migrations.ts'
import { ShardRows } from './shard-rows.ts'
import { INSERT_SQL, rowValues } from './statements.ts'

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

test('a database of the first version is brought up with what lists and statistics need', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db, 1)
  new ShardRows(db).claim({ shard: 0 as never, expected: 0 as never, from: null, owner: 'test' })
  const timers = [
    sampleTimer({ id: 'a' as TimerId, metadata: '{"k":"1","b":true}' as JsonText }),
    sampleTimer({ id: 'b' as TimerId, schedule: 'R/PT1H', anchorAt: SAMPLE_NOW, dueAt: SAMPLE_NOW + 10 * 86_400_000 }),
    sampleTimer({ id: 'c' as TimerId, status: Status.completed, dueAt: SAMPLE_NOW, wakeAt: SAMPLE_NOW + 5 }),
  ]
  for (const timer of timers) db.prepare(INSERT_SQL).run(...rowValues(timer, 0))
  db.exec('UPDATE timers SET timer_due_at = NULL, timer_execute_at = 7 WHERE row_type = 3')
  migrate(db)
  const analyst = new Analyst(db)
  const page = (filter: object) => {
    const { cells, total } = analyst.page({ filter, sort: 'dueAt', descending: false, offset: 0, limit: 10 })
    return [timersOf(cells).map(({ id }) => id).join(' '), total]
  }
  assert.deepEqual(page({}), ['c a b', 3])
  assert.deepEqual(page({ kind: 'cycle', statuses: [Status.pending] }), ['b', 1])
  assert.deepEqual(page({ metadataKey: 'k', metadataValues: ['1'] }), ['a', 1])
  assert.deepEqual(page({ metadataKey: 'b', metadataValues: [true] }), ['a', 1])
  const { sums } = analyst.tallies({ since: null })
  assert.deepEqual(sums.map(({ name, amount }) => `${name.slice(0, 7)} ${amount}`).toSorted(), ['wake.d. 1', 'wake.h. 1'])
})
