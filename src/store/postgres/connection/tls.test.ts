// Encrypted connections, to a server that lets one of its users in on no other, and another only with a certificate: who
// is trusted, who is not, and what is said then.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { processDir } from '../../../../test/support/temp-dir.ts'
import type { PostgresLocation } from '../../../runtime/config/databases/postgres.ts'
import type { ServerTls } from '../../../runtime/config/databases/server-location.ts'
import { PLAINTEXT } from '../../../runtime/config/databases/server-location.ts'
import { TestAuthority } from '../../../targets/http/certificate.fixture.ts'
import type { TestCertificate } from '../../../targets/http/certificate.fixture.ts'
import { StoreError } from '../../store.ts'
import { PostgresServer } from '../postgres-server.fixture.ts'
import { openPostgresStore } from '../postgres-store.ts'
import { encrypt } from './tls-server.fixture.ts'

const authority = new TestAuthority('ours')
const directory = processDir()
const ours = join(directory, 'ours.pem')
const others = join(directory, 'others.pem')
let server: PostgresServer

before(async () => {
  writeFileSync(ours, authority.cert)
  writeFileSync(others, new TestAuthority('others').cert)
  server = await PostgresServer.start()
  await encrypt(server, authority)
})
after(async () => {
  await server.stop()
})

async function location(host: string, tls: ServerTls, user = 'guarded'): Promise<PostgresLocation> {
  const place = await server.createDatabase()
  await server.sql(`ALTER DATABASE ${place.database} OWNER TO ${user}`)
  return { ...place, host, user, password: 's3cret', tls }
}

async function refusal(host: string, tls: ServerTls, user = 'guarded'): Promise<StoreError> {
  const error = await openPostgresStore(await location(host, tls, user)).then(
    () => assert.fail('it should have been refused'),
    (reason: unknown) => reason,
  )
  assert(error instanceof StoreError, String(error))
  return error
}

/** All connections of the store are encrypted: those for one statement at the start are not the only ones. */
async function assertEncrypted(place: PostgresLocation): Promise<void> {
  const store = await openPostgresStore(place)
  try {
    await store.ping()
    await store.stats()
    const used = await server.sql(`
      SELECT count(*)::int AS connections, count(*) FILTER (WHERE ssl)::int AS encrypted
      FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE usename = '${place.user}'`)
    const { connections, encrypted } = used[0]!
    assert(Number(connections) >= 2)
    assert.equal(encrypted, connections)
  } finally {
    await store.close()
  }
}

test('a connection in the clear is refused by a server that wants none, with what to set', async () => {
  const { message, retryable } = await refusal('localhost', PLAINTEXT)
  assert.match(
    message,
    /^cannot connect to PostgreSQL at localhost:\d+, .*see pg_hba\.conf; if it asks for TLS, set PG_SSL=require/,
  )
  assert.equal(retryable, false)
})

test('a certificate of another authority is refused in every mode that has an authority to go by', async () => {
  const advice = /its certificate is not trusted: name the file of its authority in PG_SSL_CA/
  for (const mode of ['require', 'verify-ca', 'verify-full'] as const) {
    assert.match((await refusal('localhost', { ...PLAINTEXT, mode, caFile: others })).message, advice, mode)
  }
  for (const mode of ['verify-ca', 'verify-full'] as const) {
    assert.match((await refusal('localhost', { ...PLAINTEXT, mode })).message, advice, mode)
  }
})

test('the name of the host is checked by verify-full, and by nothing less', async () => {
  const { message } = await refusal('127.0.0.1', { ...PLAINTEXT, mode: 'verify-full', caFile: ours })
  assert.match(message, /its certificate is for another host: check the name, or set PG_SSL=verify-ca \(.*127\.0\.0\.1/)
  await assertEncrypted(await location('127.0.0.1', { ...PLAINTEXT, mode: 'verify-ca', caFile: ours }))
  await assertEncrypted(await location('localhost', { ...PLAINTEXT, mode: 'verify-full', caFile: ours }))
})

test('without an authority, require encrypts and asks nobody', async () => {
  await assertEncrypted(await location('127.0.0.1', { ...PLAINTEXT, mode: 'require' }))
})

test('a user who must show a certificate shows the one that is configured', async () => {
  const trusting: ServerTls = { ...PLAINTEXT, mode: 'verify-full', caFile: ours }
  const { message } = await refusal('localhost', trusting, 'certified')
  assert.match(message, /it does not let this user in from here.*certificate/)
  const stranger = certificateFiles('stranger', new TestAuthority('others').issue('certified'))
  const refused = await refusal('localhost', { ...trusting, ...stranger }, 'certified')
  assert.match(refused.message, /it refused the certificate of this service: see PG_SSL_CERT \(/)
  const own = certificateFiles('own', authority.issue('certified'))
  const swapped = { certFile: own.keyFile, keyFile: own.certFile }
  assert.match(
    (await refusal('localhost', { ...trusting, ...swapped }, 'certified')).message,
    /are not a certificate and its key/,
  )
  await assertEncrypted({ ...(await location('localhost', { ...trusting, ...own }, 'certified')), password: null })
})

function certificateFiles(name: string, { cert, key }: TestCertificate): { certFile: string; keyFile: string } {
  const [certFile, keyFile] = [join(directory, `${name}.pem`), join(directory, `${name}.key`)]
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
  return { certFile, keyFile }
}

test('a file that is not there is named, with its setting', async () => {
  const missing = join(directory, 'Missing.pem')
  const { message, retryable } = await refusal('localhost', { ...PLAINTEXT, mode: 'verify-full', caFile: missing })
  assert.ok(message.startsWith(`cannot read ${missing} (PG_SSL_CA): ENOENT`), message)
  assert.equal(retryable, false)
})
