import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onServer } from '../scripts/servers/server.fixture.ts'
import { checkMysql } from '../src/cli/doctor/databases/check-mysql.ts'
import { Findings } from '../src/cli/doctor/finding.ts'
import { systemClock } from '../src/runtime/clock/clock.ts'
import { parseMysqlUrl } from '../src/runtime/config/databases/mysql.ts'
import type { ServerLocation } from '../src/runtime/config/databases/server-location.ts'
import { connect } from '../src/store/mysql/connection/driver.ts'
import { emptyDatabase } from '../src/store/mysql/mysql-server.fixture.ts'
import { openMysqlStore } from '../src/store/mysql/mysql-store.ts'

async function findingsAt(location: ServerLocation, more: { readonly payloadMaxBytes?: number } = {}): Promise<string> {
  const findings = new Findings('database')
  await checkMysql({ location, poolSize: 8, payloadMaxBytes: 2 ** 18, clock: systemClock, ...more }, findings)
  return findings.all.map(({ standing, message }) => `${standing}: ${message}`).join('\n')
}

test('doctor says where a server cannot be reached', async () => {
  const nowhere = parseMysqlUrl('mysql://u@127.0.0.1:9/timers')
  assert.match(
    await findingsAt(nowhere),
    /^fail: cannot connect to MySQL at 127\.0\.0\.1:9, database timers: nothing listens there/,
  )
})

onServer('mariadb', (server) => {
  test('doctor tells a database that is not there yet, and one that the service has made', async () => {
    const location = emptyDatabase(server())
    assert.match(await findingsAt(location), /^warn: there is no database timers_\d+_\d+ at .* yet$/)
    await (await openMysqlStore({ ...location, shards: 4 })).close()
    const found = await findingsAt(location, { payloadMaxBytes: 2 ** 24 })
    assert.match(found, /ok: 127\.0\.0\.1:\d+\/timers_\d+_\d+ is MariaDB 1\d\.\d+/)
    assert.match(found, /ok: a commit is on disk before it is acknowledged/)
    assert.match(found, /ok: \d+ of 151 connections are in use, and a node may open 8/)
    assert.match(found, /ok: this machine’s clock and the database’s agree within/)
    assert.match(found, /ok: the schema has version 1/)
    assert.match(found, /ok: the tables have about \d.*, \d.* of it indexes/)
    assert.match(found, /warn: PAYLOAD_MAX_BYTES is 1\d/)
    assert.doesNotMatch(found, /fail:/)
  })

  test('doctor fails where a power failure could lose timers, where nothing can be written, and names missing rights', async (t) => {
    const location = emptyDatabase(server())
    await (await openMysqlStore(location)).close()
    const admin = await connect(location, 5_000)
    t.after(async () => {
      await admin.query('SET GLOBAL innodb_flush_log_at_trx_commit = 1, GLOBAL read_only = 0')
      await admin.end()
    })
    await admin.query(`CREATE USER reader IDENTIFIED BY 'secret'; GRANT SELECT ON \`${location.database}\`.* TO reader`)
    await admin.query('SET GLOBAL innodb_flush_log_at_trx_commit = 2, GLOBAL read_only = 1')
    const found = await findingsAt({ ...location, user: 'reader', password: 'secret' })
    assert.match(found, /fail: innodb_flush_log_at_trx_commit is 2: a power failure of the server can lose/)
    assert.match(found, /fail: the server is read-only/)
    assert.match(found, /warn: the user may not INSERT, UPDATE/)
    const wrong = await findingsAt({ ...location, user: 'reader', password: 'wrong' })
    assert.match(wrong, /fail: cannot connect .* the password is wrong, there is no such user/)
    assert.doesNotMatch(wrong, /secret/)
  })

  test('doctor warns of tables that do not fit into the memory of the server', async (t) => {
    const location = emptyDatabase(server())
    await (await openMysqlStore({ ...location, shards: 4 })).close()
    assert.doesNotMatch(await findingsAt(location), /buffer_pool/)
    const admin = await connect(location, 5_000)
    t.after(async () => {
      await admin.query('SET GLOBAL innodb_buffer_pool_size = 128 << 20')
      await admin.end()
    })
    await admin.query(`SET GLOBAL innodb_buffer_pool_size = 8 << 20; CREATE TABLE filler (page LONGBLOB);
      INSERT INTO filler VALUES (REPEAT('x', 10 << 20)); ANALYZE TABLE filler`)
    assert.match(await findingsAt(location), /warn: the tables do not fit into innodb_buffer_pool_size, 8/)
  })
})

onServer('tidb', (server) => {
  test('doctor knows TiDB by its name, and judges it by nothing that only InnoDB has', async () => {
    const location = emptyDatabase(server())
    await (await openMysqlStore({ ...location, shards: 4 })).close()
    const found = await findingsAt(location)
    assert.match(found, /ok: 127\.0\.0\.1:\d+\/timers_\d+_\d+ is TiDB 8\.\d+/)
    assert.match(found, /ok: \d+ of any number of connections are in use/)
    assert.match(found, /ok: the schema has version 1/)
    assert.match(found, /ok: the tables have about \d.*, \d.* of it indexes/)
    assert.doesNotMatch(found, /fail:|innodb|on disk/)
  })
})
