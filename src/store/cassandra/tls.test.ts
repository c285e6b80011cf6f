// Encrypted connections to a real Cassandra: who is trusted, and who is not.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { onServer } from '../../../scripts/servers/server.fixture.ts'
import { processDir } from '../../../test/support/temp-dir.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import { parseCassandraUrl } from '../../runtime/config/databases/cassandra.ts'
import { TestAuthority } from '../../targets/http/certificate.fixture.ts'
import { openCassandraStore } from './cassandra-store.ts'
import { Session } from './session.ts'

const authority = new TestAuthority('ours')
const directory = processDir()
const file = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text)
  return join(directory, name)
}
const OURS = file('ours.pem', authority.cert)
const OTHERS = file('others.pem', new TestAuthority('others').cert)

/** Clients in the clear are let in, too: who starts the server looks whether it answers. */
function settingsWith({ key, cert }: { readonly key: string; readonly cert: string }): string {
  return `client_encryption_options:
  enabled: true
  optional: true
  ssl_context_factory: { class_name: org.apache.cassandra.security.PEMBasedSslContextFactory }
  keystore: ${file('server.pem', key + cert)}
`
}

onServer('cassandra', (server) => {
  test('a certificate of the right authority is accepted, and no other', { timeout: 300_000 }, async (t) => {
    process.env['CASSANDRA_YAML'] = settingsWith(authority.issue('127.0.0.1'))
    await server()
      .restart()
      .finally(() => delete process.env['CASSANDRA_YAML'])
    const location = (caFile: string) => parseCassandraUrl(`${server().url('timers')}?sslrootcert=${caFile}`)
    await assert.rejects(openCassandraStore(location(OTHERS)), /unable to verify the first certificate/)
    await assert.rejects(
      openCassandraStore(parseCassandraUrl(`${server().url('timers')}?ssl=true`)),
      /unable to verify/,
    )
    const store = await openCassandraStore({ ...location(OURS), shards: 1 })
    await store.ping()
    await store.close()
    const session = await Session.connect(location(OURS), systemClock)
    t.after(() => session.client.shutdown())
    const clients = await session.run('SELECT ssl_enabled FROM system_views.clients')
    assert.deepEqual([...new Set(clients.map((row) => row['ssl_enabled']))], [true])
  })
})
