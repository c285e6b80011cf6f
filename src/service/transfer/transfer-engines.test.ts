// From a file into a database that takes small commits only, and back again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onServer } from '../../../scripts/servers/server.fixture.ts'
import type { JsonText, TimerId } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import { emptyKeyspace } from '../../store/cassandra/cassandra-server.fixture.ts'
import { openCassandraStore } from '../../store/cassandra/cassandra-store.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { emptyTable } from '../../store/dynamodb/dynamodb-server.fixture.ts'
import { openDynamodbStore } from '../../store/dynamodb/dynamodb-store.ts'
import { emptyDatabase } from '../../store/mongodb/mongodb-server.fixture.ts'
import { openMongodbStore } from '../../store/mongodb/mongodb-store.ts'
import type { Store } from '../../store/store.ts'
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts'
import { temporaryFile } from '../../store/sqlite/file/temporary-file.fixture.ts'
import { exportTimers } from './export-timers.ts'
import { contentsOf, everyKindOfTimer, fill, importInto, numberedTimers } from './transfer.fixture.ts'

async function thereAndBack(open: () => Promise<Store>): Promise<void> {
  const payload = JSON.stringify('x'.repeat(1_000_000)) as JsonText
  const timers = [...everyKindOfTimer(), sampleTimer({ id: 'large' as TimerId, payload }), ...numberedTimers(300)]
  const sqlite = await openSqliteStore({ path: temporaryFile() })
  await fill(sqlite, timers)
  const expected = await contentsOf(sqlite)
  const there = temporaryFile('there.ndjson')
  await exportTimers({ source: sqlite, path: there, clock: systemClock })
  await sqlite.close()

  const other = await open()
  assert.equal((await importInto(other, there)).added, timers.length)
  assert.deepEqual(await contentsOf(other), expected)
  assert.equal((await importInto(other, there)).present, timers.length)
  const back = temporaryFile('back.ndjson')
  await exportTimers({ source: other, path: back, clock: systemClock })
  await other.close()

  const again = await openSqliteStore({ path: temporaryFile() })
  assert.equal((await importInto(again, back)).added, timers.length)
  assert.deepEqual(await contentsOf(again), expected)
  await again.close()
}

onServer('dynamodb', (server) => {
  test('timers go from SQLite to DynamoDB and back, and stay what they were', () =>
    thereAndBack(() => openDynamodbStore({ ...emptyTable(server()), shards: 4 })))
})

onServer('ferretdb', (server) => {
  test('timers go from SQLite to MongoDB and back, and stay what they were', () =>
    thereAndBack(() => openMongodbStore({ ...emptyDatabase(server()), shards: 4 })))
})

onServer('cassandra', (server) => {
  test('timers go from SQLite to Cassandra and back, and stay what they were', () =>
    thereAndBack(async () => openCassandraStore({ ...(await emptyKeyspace(server())), shards: 4 })))
})
