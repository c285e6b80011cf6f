// The move into a server of the MySQL family, and back again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onServer } from '../../../scripts/servers/server.fixture.ts'
import type { TimerId } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import { emptyDatabase } from '../../store/mysql/mysql-server.fixture.ts'
import { openMysqlStore } from '../../store/mysql/mysql-store.ts'
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts'
import { temporaryFile } from '../../store/sqlite/file/temporary-file.fixture.ts'
import { exportTimers } from './export-timers.ts'
import { contentsOf, everyKindOfTimer, fill, importInto, LARGEST_PAYLOAD, numberedTimers } from './transfer.fixture.ts'

onServer('mariadb', (server) => {
  test('timers go from SQLite to MariaDB and back, and stay what they were', async () => {
    const timers = [
      ...everyKindOfTimer(),
      sampleTimer({ id: 'largest' as TimerId, payload: LARGEST_PAYLOAD }),
      ...numberedTimers(500),
    ]
    const sqlite = await openSqliteStore({ path: temporaryFile() })
    await fill(sqlite, timers)
    const expected = await contentsOf(sqlite)
    const there = temporaryFile('there.ndjson')
    await exportTimers({ source: sqlite, path: there, clock: systemClock })
    await sqlite.close()

    const mariadb = await openMysqlStore(emptyDatabase(server()))
    assert.equal((await importInto(mariadb, there)).added, timers.length)
    assert.deepEqual(await contentsOf(mariadb), expected)
    assert.equal((await importInto(mariadb, there)).present, timers.length)

    const back = temporaryFile('back.ndjson')
    await exportTimers({ source: mariadb, path: back, clock: systemClock })
    await mariadb.close()
    const again = await openSqliteStore({ path: temporaryFile() })
    assert.equal((await importInto(again, back)).added, timers.length)
    assert.deepEqual(await contentsOf(again), expected)
    await again.close()
  })
})
