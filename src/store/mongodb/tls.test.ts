// Encrypted connections to a real FerretDB: who is trusted, and who is not.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { onServer } from '../../../scripts/servers/server.fixture.ts'
import { freePort } from '../../../test/support/ports.ts'
import { processDir } from '../../../test/support/temp-dir.ts'
import { parseMongodbUrl } from '../../runtime/config/databases/mongodb.ts'
import { TestAuthority } from '../../targets/http/certificate.fixture.ts'
import { openMongodbStore } from './mongodb-store.ts'

const authority = new TestAuthority('ours')
const directory = processDir()
const file = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text)
  return join(directory, name)
}
const OURS = file('ours.pem', authority.cert)
const OTHERS = file('others.pem', new TestAuthority('others').cert)

onServer('ferretdb', (server) => {
  test('a certificate of the right authority and for this host is accepted, and no other', async (t) => {
    const { key, cert } = authority.issue('localhost')
    const port = await freePort()
    const settings = {
      FERRETDB_LISTEN_TLS: `127.0.0.1:${port}`,
      FERRETDB_LISTEN_TLS_CERT_FILE: file('server.pem', cert),
      FERRETDB_LISTEN_TLS_KEY_FILE: file('server.key', key),
    }
    Object.assign(process.env, settings)
    t.after(() => {
      for (const name of Object.keys(settings)) delete process.env[name]
    })
    await server().restart()
    const at = (host: string, tls: string) =>
      parseMongodbUrl(`mongodb://${host}:${port}/timers?directConnection=true&tls=true${tls}`)
    await assert.rejects(openMongodbStore(at('localhost', `&tlsCAFile=${OTHERS}`)), /certificate/)
    await assert.rejects(openMongodbStore(at('localhost', '')), /certificate/)
    await assert.rejects(openMongodbStore(at('127.0.0.1', `&tlsCAFile=${OURS}`)), /127\.0\.0\.1/)
    const store = await openMongodbStore(at('localhost', `&tlsCAFile=${OURS}`))
    await store.ping()
    await store.close()
  })
})
