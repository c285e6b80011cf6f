// Getting in to PostgreSQL as users set it up: the real service, by the PG_ variables and by a URL, over TLS.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { PostgresServer } from '../src/store/postgres/postgres-server.fixture.ts'
import { encrypt } from '../src/store/postgres/connection/tls-server.fixture.ts'
import { TestAuthority } from '../src/targets/http/certificate.fixture.ts'
import { accepted, Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { runToEnd, startService } from './support/service.ts'
import type { Environment } from './support/service.ts'
import { processDir, tempDir } from './support/temp-dir.ts'

const directory = processDir()
const ours = join(directory, 'ours.pem')
const others = join(directory, 'others.pem')
let server: PostgresServer

before(async () => {
  const authority = new TestAuthority('ours')
  writeFileSync(ours, authority.cert)
  writeFileSync(others, new TestAuthority('others').cert)
  server = await PostgresServer.start()
  await encrypt(server, authority)
})
after(async () => {
  await server.stop()
})

async function newDatabase(): Promise<string> {
  const { database } = await server.createDatabase()
  await server.sql(`ALTER DATABASE ${database} OWNER TO guarded`)
  return database
}

async function variables(): Promise<Environment> {
  const place = { PG_HOST: 'localhost', PG_PORT: String(server.port), PG_DB_NAME: await newDatabase() }
  return { ...place, PG_USER: 'guarded', PG_PASSWORD: 's3cret' }
}

async function refusal(t: TestContext, env: Environment): Promise<string> {
  const { code, output } = await runToEnd(['serve'], { cwd: tempDir(t), env: { PORT: '0', ...env } })
  assert.notEqual(code, 0)
  assert.ok(!output.includes('s3cret'), 'the password shows')
  return output
}

test('who is not trusted, or does not encrypt, is told so at the start', async (t) => {
  const [inTheClear, untrusted] = await Promise.all([
    refusal(t, await variables()),
    refusal(t, { ...(await variables()), PG_SSL: 'verify-full', PG_SSL_CA: others }),
  ])
  assert.match(inTheClear, /cannot connect to PostgreSQL at localhost:\d+, .*if it asks for TLS, set PG_SSL=require/)
  assert.match(untrusted, /its certificate is not trusted: name the file of its authority in PG_SSL_CA/)
})

test('by the variables: every connection is encrypted, and there are never more than PG_POOL_SIZE', async (t) => {
  const POOL_SIZE = 6
  const place = await variables()
  const env = { ...place, PG_SSL: 'verify-full', PG_SSL_CA: ours, PG_POOL_SIZE: String(POOL_SIZE) }
  const service = await startService(t, { cwd: tempDir(t), env })
  const client = new Client(() => service)
  const list = () =>
    fetch(`${service.url}/api/v1/timers/list`, { method: 'POST', headers: JSON_BODY, body: '{"sort":"createdAt"}' })
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  const work = async (n: number) => {
    const id = `t${n}`
    await accepted(client.create({ id, executeAt: inAnHour, callbackUrl: 'http://127.0.0.1:1/x' }))
    const more = ['/readyz', '/api/v1/timers/stats'].map((path) => fetch(`${service.url}${path}`))
    await Promise.all([accepted(client.get({ timerId: id })), list(), ...more])
  }
  const working = Promise.all(Array.from({ length: 60 }, (_, n) => work(n)))
  const most = { connections: 0, inTheClear: 0 }
  const look = async () => {
    const { connections, encrypted } = await connectionsTo(place['PG_DB_NAME']!)
    most.connections = Math.max(most.connections, connections)
    most.inTheClear = Math.max(most.inTheClear, connections - encrypted)
  }
  let isDone = false
  const looking = eventually('the work is done', async () => look().then(() => isDone), { withinMs: 60_000 })
  await working
  isDone = true
  await looking
  assert.equal(most.inTheClear, 0)
  assert.ok(most.connections > 2 && most.connections <= POOL_SIZE, `${most.connections} connections`)
})

test('by a URL: TLS is in its parameters, and the password may stand apart', async (t) => {
  const database = await newDatabase()
  const parameters = `sslmode=verify-full&sslrootcert=${encodeURIComponent(ours)}`
  const env = {
    DATABASE_URL: `postgres://guarded@localhost:${server.port}/${database}?${parameters}`,
    PG_PASSWORD: 's3cret',
  }
  const service = await startService(t, { cwd: tempDir(t), env })
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
  const { connections, encrypted } = await connectionsTo(database)
  assert.ok(connections > 0)
  assert.equal(encrypted, connections)
})

const JSON_BODY = { 'content-type': 'application/json' }

async function connectionsTo(database: string): Promise<{ connections: number; encrypted: number }> {
  const [row] = await server.sql(`
    SELECT count(*)::int AS connections, count(*) FILTER (WHERE ssl)::int AS encrypted
    FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE datname = '${database}'`)
  return row as { connections: number; encrypted: number }
}
