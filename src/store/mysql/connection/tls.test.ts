// Encrypted connections to a real MariaDB, which has users that it lets in on no other, and with a certificate only: who is trusted,
// who is not, and what is said then.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { RunningServer } from '../../../../scripts/servers/servers.ts'
import { onServer } from '../../../../scripts/servers/server.fixture.ts'
import { processDir } from '../../../../test/support/temp-dir.ts'
import { parseMysqlUrl } from '../../../runtime/config/databases/mysql.ts'
import type { ServerLocation } from '../../../runtime/config/databases/server-location.ts'
import { TestAuthority } from '../../../targets/http/certificate.fixture.ts'
import type { TestCertificate } from '../../../targets/http/certificate.fixture.ts'
import { StoreError } from '../../store.ts'
import { openMysqlStore } from '../mysql-store.ts'
import { connect } from './driver.ts'

const authority = new TestAuthority('ours')
const directory = processDir()
const file = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text)
  return join(directory, name)
}
const files = (name: string, { cert, key }: TestCertificate) =>
  [file(`${name}.pem`, cert), file(`${name}.key`, key)] as const

const OURS = file('ours.pem', authority.cert)
const OTHERS = file('others.pem', new TestAuthority('others').cert)
// The driver has no name to check for a server that is named by its address, and checks this one.
const SERVER = files('server', authority.issue('localhost'))
const ELSEWHERE = files('elsewhere', authority.issue('db.example.net'))

async function showCertificate(server: RunningServer, [cert, key]: readonly [string, string]): Promise<void> {
  process.env['MARIADB_FLAGS'] = `--ssl-ca=${OURS} --ssl-cert=${cert} --ssl-key=${key}`
  await server.restart().finally(() => delete process.env['MARIADB_FLAGS'])
}

async function prepare(server: RunningServer): Promise<void> {
  await showCertificate(server, SERVER)
  const admin = await connect(parseMysqlUrl(server.url()))
  await admin.query(`
    CREATE USER guarded IDENTIFIED BY 's3cret' REQUIRE SSL; GRANT ALL ON duetime.* TO guarded;
    CREATE USER certified REQUIRE X509; GRANT ALL ON duetime.* TO certified`)
  await admin.end()
}

function location(server: RunningServer, parameters: Record<string, string>, user = 'guarded:s3cret'): ServerLocation {
  return parseMysqlUrl(`mariadb://${user}@localhost:${server.port}/duetime?${String(new URLSearchParams(parameters))}`)
}

async function refusal(place: ServerLocation): Promise<string> {
  const error = await openMysqlStore(place).then(
    () => assert.fail('it should have been refused'),
    (reason: unknown) => reason,
  )
  assert(error instanceof StoreError, String(error))
  assert.doesNotMatch(error.message, /s3cret/)
  return error.message
}

/** All connections, those of the pool too: the user gets in on no other. */
async function assertEncrypted(place: ServerLocation): Promise<void> {
  const store = await openMysqlStore(place)
  try {
    await Promise.all([store.ping(), store.stats(), store.shards()])
  } finally {
    await store.close()
  }
}

describe('TLS to MariaDB', () =>
  onServer('mariadb', (server) => {
    before(() => prepare(server()))

    test('a connection in the clear is refused to a user who must come over TLS', async () => {
      assert.match(
        await refusal(location(server(), {})),
        /^cannot connect to MySQL at localhost:\d+.* or it must use TLS/,
      )
    })

    test('a certificate of another authority is refused in every mode that has an authority to go by', async () => {
      const advice = /its certificate is not trusted: name the file of its authority in MYSQL_SSL_CA/
      for (const mode of ['REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'])
        assert.match(await refusal(location(server(), { 'ssl-mode': mode, 'ssl-ca': OTHERS })), advice, mode)
      for (const mode of ['VERIFY_CA', 'VERIFY_IDENTITY'])
        assert.match(await refusal(location(server(), { 'ssl-mode': mode })), advice, mode)
    })

    test('a certificate of the right authority is accepted, and without an authority nobody is asked', async () => {
      for (const mode of ['VERIFY_CA', 'VERIFY_IDENTITY'])
        await assertEncrypted(location(server(), { 'ssl-mode': mode, 'ssl-ca': OURS }))
      await assertEncrypted(location(server(), { 'ssl-mode': 'REQUIRED' }))
      const byAddress = { ...location(server(), { 'ssl-mode': 'VERIFY_IDENTITY', 'ssl-ca': OURS }), host: '127.0.0.1' }
      await assertEncrypted(byAddress)
    })

    test('a user who must show a certificate shows the one that is configured', async () => {
      const trusting = { 'ssl-mode': 'VERIFY_IDENTITY', 'ssl-ca': OURS }
      const showing = ([cert, key]: readonly [string, string]) =>
        location(server(), { ...trusting, 'ssl-cert': cert, 'ssl-key': key }, 'certified')
      assert.match(
        await refusal(location(server(), trusting, 'certified')),
        /there is no such user|it refused the certificate/,
      )
      const stranger = files('stranger', new TestAuthority('others').issue('certified'))
      assert.match(await refusal(showing(stranger)), /it refused the certificate of this service: see MYSQL_SSL_CERT/)
      await assertEncrypted(showing(files('own', authority.issue('certified'))))
    })

    test('the name of the host is checked by VERIFY_IDENTITY, and by nothing less', async () => {
      await showCertificate(server(), ELSEWHERE)
      const at = (mode: string) => location(server(), { 'ssl-mode': mode, 'ssl-ca': OURS })
      assert.match(await refusal(at('VERIFY_IDENTITY')), /its certificate is for another host: check the name/)
      await assertEncrypted(at('VERIFY_CA'))
    })
  }))
