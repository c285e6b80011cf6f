// TLS for a server that runs already: a certificate for `localhost` only, so that its address is another host to whoever
// looks, and users who are not let in without.

import { eventually } from '../../../../test/support/eventually.ts'
import type { TestAuthority } from '../../../targets/http/certificate.fixture.ts'
import type { PostgresServer } from '../postgres-server.fixture.ts'

/** `guarded` comes over TLS with the password `s3cret`, `certified` with a certificate of the authority. */
const RULES = `
hostssl all guarded 127.0.0.1/32 scram-sha-256
hostssl all certified 127.0.0.1/32 cert
host all postgres 127.0.0.1/32 scram-sha-256
`

export async function encrypt(server: PostgresServer, authority: TestAuthority): Promise<void> {
  const { cert, key } = authority.issue('localhost')
  await server.sql(`CREATE ROLE guarded LOGIN PASSWORD 's3cret'; CREATE ROLE certified LOGIN`)
  await writeOn(server, 'server.crt', cert)
  await writeOn(server, 'server.key', key)
  await writeOn(server, 'clients.crt', authority.cert)
  await writeOn(server, 'pg_hba.conf', RULES)
  await server.sql(`ALTER SYSTEM SET ssl_ca_file = 'clients.crt'`)
  await server.sql('ALTER SYSTEM SET ssl = on')
  await server.sql('SELECT pg_reload_conf()')
  await eventually('TLS is on', async () => (await server.sql('SHOW ssl'))[0]!['ssl'] === 'on')
}

/** Into its data directory, by its own hand: the file must be its user's and nobody else's. */
async function writeOn(server: PostgresServer, file: string, text: string): Promise<void> {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => `('${line}')`)
  await server.sql(`COPY (VALUES ${lines.join(', ')}) TO PROGRAM 'umask 077 && cat > ${file}'`)
}
