import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { onServer } from '../scripts/servers/server.fixture.ts'
import { checkCassandra } from '../src/cli/doctor/databases/check-cassandra.ts'
import { Findings } from '../src/cli/doctor/finding.ts'
import type { JsonText } from '../src/core/json/json-text.ts'
import type { ShardId } from '../src/core/timer/timer.ts'
import { systemClock } from '../src/runtime/clock/clock.ts'
import { loadConfig } from '../src/runtime/config/config.ts'
import { parseCassandraUrl } from '../src/runtime/config/databases/cassandra.ts'
import type { CassandraLocation } from '../src/runtime/config/databases/cassandra.ts'
import { createLogger } from '../src/runtime/telemetry/logger.ts'
import { emptyKeyspace } from '../src/store/cassandra/cassandra-server.fixture.ts'
import { openCassandraStore } from '../src/store/cassandra/cassandra-store.ts'
import { Session } from '../src/store/cassandra/session.ts'
import { partOf } from '../src/store/commit-sheet.ts'
import { absent, claimed, OWNER } from '../src/store/conformance/owned-store.ts'
import { sampleTimer } from '../src/store/conformance/sample-timer.ts'
import { eventually } from './support/eventually.ts'

async function findingsAt(location: CassandraLocation, env: Record<string, string> = {}): Promise<string> {
  const findings = new Findings('database')
  await checkCassandra(location, { config: loadConfig({ env }), clock: systemClock }, findings)
  return findings.all.map(({ standing, message }) => `${standing}: ${message}`).join('\n')
}

test('doctor says where Cassandra cannot be reached', async () => {
  const nowhere = parseCassandraUrl('cassandra://127.0.0.1:9/timers')
  assert.match(await findingsAt(nowhere), /^fail: Cassandra \(keyspace timers at 127\.0\.0\.1:9\): .*ECONNREFUSED/)
})

onServer('cassandra', (server) => {
  test('doctor tells a keyspace that is not there yet, and one that the service has made', async () => {
    const location = await emptyKeyspace(server())
    assert.match(
      await findingsAt(location),
      /ok: there is no keyspace timers and no table yet; the first start makes them/,
    )
    await (await openCassandraStore({ ...location, shards: 4 })).close()
    const found = await findingsAt(location, { PAYLOAD_MAX_BYTES: '8MiB' })
    assert.match(found, /ok: keyspace timers at .* is reached: 1 nodes in sight, data centre datacenter1/)
    assert.match(found, /ok: the nodes are version 5\./)
    assert.match(found, /ok: every node syncs its commit log/)
    assert.match(found, /ok: this machine’s clock and the database’s agree/)
    assert.match(found, /warn: there are 1 replicas in data centre datacenter1/)
    assert.match(found, /ok: 4 shards; the largest partition has about \d+ B/)
    assert.match(found, /ok: the user may read and write, and conditional writes are answered/)
    assert.match(found, /ok: compaction and gc_grace_seconds of the tables are as the service makes them/)
    assert.match(found, /warn: PAYLOAD_MAX_BYTES is 8/)
  })

  test('doctor knows the largest partition, and tells of tables that are set otherwise', async (t) => {
    const location = await emptyKeyspace(server())
    const store = await openCassandraStore({ ...location, shards: 4 })
    const epoch = await claimed(store, 0 as ShardId)
    const large = sampleTimer({ payload: JSON.stringify(randomBytes(1.5 * 2 ** 20).toString('base64')) as JsonText })
    await store.commit([partOf({ shard: 0 as ShardId, epoch, owner: OWNER }, [absent(large)])])
    await store.close()
    const session = await Session.connect(location, systemClock)
    await session.run(`ALTER TABLE timers.timers WITH compaction = {'class': 'SizeTieredCompactionStrategy'}`)
    await session.run('ALTER TABLE timers.cluster WITH gc_grace_seconds = 3600')
    t.after(async () => {
      await session.run(`ALTER TABLE timers.timers WITH compaction = {'class': 'LeveledCompactionStrategy'}`)
      await session.run('ALTER TABLE timers.cluster WITH gc_grace_seconds = 864000')
      await session.client.shutdown()
    })
    await server().restart() // what is in memory goes to files
    const found = await findingsAt(location)
    assert.match(found, /ok: 4 shards; the largest partition has about [23].* MiB/)
    assert.match(found, /warn: compaction of table timers is SizeTieredCompactionStrategy, .* with LeveledCompaction/)
    assert.match(found, /warn: gc_grace_seconds of table cluster is 3600, .* with 864000/)
  })

  test('doctor and the start tell of nodes that acknowledge before they sync', { timeout: 300_000 }, async (t) => {
    const location = await emptyKeyspace(server())
    process.env['CASSANDRA_COMMITLOG_SYNC'] = 'periodic'
    t.after(() => delete process.env['CASSANDRA_COMMITLOG_SYNC'])
    await server().restart()
    assert.match(await findingsAt(location), /fail: commitlog_sync is periodic on 127\.0\.0\.1/)
    const log = new PassThrough()
    const logger = createLogger({ logLevel: 'warn', logFormat: 'json', destination: log })
    await (await openCassandraStore({ ...location, logger })).close()
    assert.match(String(log.read()), /set commitlog_sync to batch or group/)
  })

  test('doctor finds out what a user may not do', { timeout: 300_000 }, async (t) => {
    const location = await emptyKeyspace(server())
    await (await openCassandraStore({ ...location, shards: 4 })).close()
    process.env['CASSANDRA_YAML'] =
      'authenticator: PasswordAuthenticator\nauthorizer: CassandraAuthorizer\npermissions_validity: 0ms'
    t.after(() => delete process.env['CASSANDRA_YAML'])
    await server().restart()
    const as = (user: string): CassandraLocation => ({ ...location, user, password: user })
    const admin = await eventually('the first user is there', () =>
      Session.connect(as('cassandra'), systemClock).catch(() => null),
    )
    t.after(() => admin.client.shutdown())
    for (const [user, rights] of [
      ['reader', 'SELECT'],
      ['writer', 'SELECT, MODIFY'],
    ]) {
      await admin.run(`CREATE ROLE ${user} WITH PASSWORD = '${user}' AND LOGIN = true`)
      for (const right of rights!.split(', ')) await admin.run(`GRANT ${right} ON KEYSPACE timers TO ${user}`)
    }
    assert.match(await findingsAt(as('reader')), /fail: the user has no right to MODIFY in keyspace timers/)
    const asWriter = await findingsAt(as('writer'))
    assert.match(asWriter, /ok: the user may read and write/)
    assert.match(asWriter, /ok: 4 shards/)
    const elsewhere = { ...as('writer'), keyspace: 'others' }
    assert.match(await findingsAt(elsewhere), /fail: the user may not CREATE a keyspace/)
    assert.doesNotMatch(await findingsAt(elsewhere, { MIGRATE_AT_START: 'false' }), /fail:/)
    assert.doesNotMatch(await findingsAt({ ...elsewhere, ...as('cassandra'), keyspace: 'others' }), /fail:/)
    await admin.run('GRANT CREATE ON ALL KEYSPACES TO writer')
    assert.doesNotMatch(await findingsAt(elsewhere), /fail:/)
    await admin.run('REVOKE SELECT ON KEYSPACE timers FROM reader')
    assert.match(await findingsAt(as('reader')), /fail: the user has no right to SELECT in keyspace timers/)
    assert.match(
      await findingsAt({ ...as('reader'), password: 'wrong' }),
      /^fail: Cassandra .*reader|^fail: .*password/i,
    )
  })
})
