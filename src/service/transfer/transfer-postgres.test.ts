// The move that transfers are made for, into a real server, and back again.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TimerId } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import { PostgresServer } from '../../store/postgres/postgres-server.fixture.ts'
import { openPostgresStore } from '../../store/postgres/postgres-store.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { openSqliteSnapshot } from '../../store/sqlite/file/snapshot.ts'
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts'
import { temporaryFile } from '../../store/sqlite/file/temporary-file.fixture.ts'
import { exportTimers } from './export-timers.ts'
import { SoleOwner } from './sole-owner.ts'
import { contentsOf, everyKindOfTimer, fill, importInto, LARGEST_PAYLOAD, numberedTimers } from './transfer.fixture.ts'

let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(() => server.stop())

const LEASE_MS = 10_000 // so that a slow machine does not make the node look dead

test('a node that serves the database is found out, and is left alone', async () => {
  const store = await openPostgresStore(await server.createDatabase())
  let beats = 0
  const beat = () =>
    store.beat({ node: 'a', address: 'http://127.0.0.1:9', leaving: false, beat: ++beats, now: systemClock.now() })
  await beat()
  const beating = setInterval(() => void beat(), 100)
  const taking = SoleOwner.of({ store, clock: systemClock, leaseMs: LEASE_MS, node: 'import' })
  await assert.rejects(taking, /node a at http:\/\/127\.0\.0\.1:9 serves this database/)
  clearInterval(beating)
  assert.deepEqual(await store.shards(), [])
  await store.close()
})

test('timers go from SQLite to PostgreSQL and back, and stay what they were', async () => {
  const timers = [
    ...everyKindOfTimer(),
    sampleTimer({ id: 'largest' as TimerId, payload: LARGEST_PAYLOAD }),
    ...numberedTimers(2_000),
  ]
  const path = temporaryFile()
  const sqlite = await openSqliteStore({ path })
  await fill(sqlite, timers)
  const expected = await contentsOf(sqlite)
  await sqlite.close()

  const there = temporaryFile('there.ndjson')
  const snapshot = openSqliteSnapshot(path)
  await exportTimers({ source: snapshot, path: there, clock: systemClock })
  await snapshot.close()
  const postgres = await openPostgresStore(await server.createDatabase())
  assert.equal((await importInto(postgres, there)).added, timers.length)
  assert.deepEqual(await contentsOf(postgres), expected)
  assert.equal((await importInto(postgres, there)).present, timers.length)

  const back = temporaryFile('back.ndjson')
  await exportTimers({ source: postgres, path: back, clock: systemClock })
  await postgres.close()
  const again = await openSqliteStore({ path: temporaryFile() })
  assert.equal((await importInto(again, back)).added, timers.length)
  assert.deepEqual(await contentsOf(again), expected)
  await again.close()
})
