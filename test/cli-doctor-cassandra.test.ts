import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { onServer } from '../scripts/servers/server.fixture.ts'
import { checkCassandra } from '../src/cli/doctor/databases/check-cassandra.ts'
import { Findings } from '../src/cli/doctor/finding.ts'
import { systemClock } from '../src/runtime/clock/clock.ts'
import { loadConfig } from '../src/runtime/config/config.ts'
import { parseCassandraUrl } from '../src/runtime/config/databases/cassandra.ts'
import type { CassandraLocation } from '../src/runtime/config/databases/cassandra.ts'
import { createLogger } from '../src/runtime/telemetry/logger.ts'
import { emptyKeyspace } from '../src/store/cassandra/cassandra-server.fixture.ts'
import { openCassandraStore } from '../src/store/cassandra/cassandra-store.ts'

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
    assert.match(await findingsAt(location), /ok: there is no keyspace timers yet; the first start makes it/)
    await (await openCassandraStore({ ...location, shards: 4 })).close()
    const found = await findingsAt(location, { PAYLOAD_MAX_BYTES: '8MiB' })
    assert.match(found, /ok: keyspace timers at .* is reached: 1 nodes in sight, data centre datacenter1/)
    assert.match(found, /ok: the nodes are version 5\./)
    assert.match(found, /ok: every node syncs its commit log/)
    assert.match(found, /ok: this machine’s clock and the database’s agree/)
    assert.match(found, /warn: there are 1 replicas in data centre datacenter1/)
    assert.match(found, /ok: 4 shards with partitions of about \d+ B/)
    assert.match(found, /warn: PAYLOAD_MAX_BYTES is 8/)
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
})
