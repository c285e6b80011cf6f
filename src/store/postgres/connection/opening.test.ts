// What can be wrong with a server or a database is said when the store is opened, so that one can act on it.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import type { Epoch } from '../../../core/timer/timer.ts'
import { PLAINTEXT } from '../../../runtime/config/databases/server-location.ts'
import type { PostgresLocation } from '../../../runtime/config/databases/postgres.ts'
import { SHARD } from '../../conformance/owned-store.ts'
import { NODE_COLUMNS } from '../../sql/ddl.ts'
import { versionProblem } from '../../sql/server/first-look.ts'
import { StoreError } from '../../store.ts'
import type { Store } from '../../store.ts'
import { SCHEMA_VERSION } from '../setup/migrations.ts'
import { PostgresServer } from '../postgres-server.fixture.ts'
import { openPostgresStore } from '../postgres-store.ts'
import type { PostgresOptions } from '../postgres-store.ts'
import { OLDEST } from '../setup/first-look.ts'
import { schemaText } from '../setup/schema-text.fixture.ts'

let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(() => server.stop())

async function refusal(options: PostgresOptions): Promise<string> {
  const error = await openPostgresStore(options).then(
    () => assert.fail('it should have been refused'),
    (reason: unknown) => reason,
  )
  assert(error instanceof StoreError, String(error))
  assert.equal(error.outcomeUnknown, false)
  assert(!error.message.includes('s3cret'), 'the password shows')
  return error.message
}

async function opened(t: TestContext, options: PostgresOptions): Promise<Store> {
  const store = await openPostgresStore(options)
  t.after(() => store.close())
  return store
}

async function newUser(name: string): Promise<{ user: string; password: string }> {
  await server.sql(`CREATE ROLE ${name} LOGIN PASSWORD 's3cret'`)
  return { user: name, password: 's3cret' }
}

test('a server that cannot be reached is named with its host and port', async () => {
  const location = await server.createDatabase()
  const unreachable = await refusal({ ...location, port: 1 })
  assert.match(
    unreachable,
    /^cannot connect to PostgreSQL at 127\.0\.0\.1:1, .*nothing listens there: check host and port/,
  )
  assert.match(
    await refusal({ ...location, tls: { ...PLAINTEXT, mode: 'require' } }),
    /it has no TLS: set PG_SSL=disable/,
  )
})

test('who is not let in is told why', async () => {
  const location = await server.createDatabase()
  assert.match(
    await refusal({ ...location, password: 's3cret' }),
    /the password is wrong, or there is no such user.*"postgres"/,
  )
  assert.match(await refusal({ ...location, password: null }), /it asks for a password: set PG_PASSWORD/)
})

test('a database that is not there comes with the statement that makes it', async () => {
  const location = await server.createDatabase()
  assert.match(
    await refusal({ ...location, database: 'nowhere' }),
    /there is no such database: CREATE DATABASE nowhere OWNER postgres/,
  )
  assert.match(await refusal({ ...location, database: 'No-where' }), /CREATE DATABASE "No-where" OWNER postgres/)
})

test('a user without the right to make tables is told which right', async (t) => {
  const user = await newUser('maker')
  const location = { ...(await server.createDatabase()), ...user }
  await server.sql('REVOKE CREATE ON SCHEMA public FROM PUBLIC', location.database) // before version 15 everybody had it
  assert.match(
    await refusal(location),
    /^cannot set up .*may not create the tables: GRANT CREATE ON SCHEMA public TO maker/,
  )
  await server.sql('GRANT CREATE ON SCHEMA public TO maker', location.database)
  await (await opened(t, location)).ping()
})

test('a user who may use the tables but not make any can open a database that has them', async (t) => {
  const location = await server.createDatabase()
  await opened(t, location)
  const user = await newUser('guest')
  await server.sql('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO guest', location.database)
  await (await opened(t, { ...location, ...user })).ping()
})

test('a table of another program is left alone', async () => {
  const location = await server.createDatabase()
  await server.sql('CREATE TABLE timers (id integer)', location.database)
  assert.match(await refusal(location), /table `timers` of another program/)
  assert.equal((await server.sql('SELECT * FROM timers', location.database)).length, 0)
})

test('a database with a newer schema is refused', async (t) => {
  const location = await server.createDatabase()
  await opened(t, location)
  await server.sql(`UPDATE timer_store SET schema_version = ${SCHEMA_VERSION + 1}`, location.database)
  assert.match(
    await refusal(location),
    new RegExp(`schema version ${SCHEMA_VERSION + 1} and this program knows up to ${SCHEMA_VERSION}`),
  )
})

test('a database that cannot hold every text is refused', async () => {
  await server.sql(`CREATE DATABASE narrow ENCODING 'LATIN1' TEMPLATE template0`)
  const location: PostgresLocation = { ...(await server.createDatabase()), database: 'narrow' }
  assert.match(await refusal(location), /encoding LATIN1.*ENCODING 'UTF8'/)
})

test('a server that is too old is refused', () => {
  const refused = (version: string) => versionProblem('PostgreSQL', version, OLDEST)
  assert.equal(refused('12.9'), 'the server is PostgreSQL 12.9: version 13 or newer is needed')
  for (const version of ['13.0', '13beta1', '18.1 (Debian 18.1-1)']) assert.equal(refused(version), null)
})

test('nodes that open an empty database at the same moment all find the same one', async (t) => {
  const location = await server.createDatabase()
  const stores = await Promise.all(Array.from({ length: 6 }, () => opened(t, location)))
  const secrets = await Promise.all(stores.map((store) => store.clusterSecret()))
  assert.equal(new Set(secrets).size, 1)
  assert(secrets[0]!.length >= 32)
  assert.deepEqual(stores[0]!.capabilities, { name: 'postgres', shared: true, backup: false, shards: 64 })
})

test('the number of shards stays what it was when the database was first used, and a different wish is reported', async (t) => {
  const location = await server.createDatabase()
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  assert.equal((await opened(t, { ...location, shards: 7, logger })).capabilities.shards, 7)
  assert.equal((await opened(t, { ...location, logger })).capabilities.shards, 7)
  assert.deepEqual(lines, [])
  assert.equal((await opened(t, { ...location, shards: 9, logger })).capabilities.shards, 7)
  assert.match(lines.join(), /"configured":9,"shards":7.*ignored/)
})

test('a URL will do', async (t) => {
  const { host, port, user, password, database } = await server.createDatabase()
  await (await opened(t, { url: `postgresql://${user}:${password}@${host}:${port}/${database}` })).ping()
})

test('nodes see each other beat, and one that owns nothing and has been silent for an hour is forgotten', async (t) => {
  const location = await server.createDatabase()
  const [a, b] = [await opened(t, location), await opened(t, location)]
  await a.beat({ node: 'a', address: 'http://a', leaving: true, beat: 1, now: 0 })
  await a.claim({ shard: SHARD, expected: 0 as Epoch, from: null, owner: 'owner' })
  const past = `VALUES ('silent', 3000000), ('gone', 3600001), ('owner', 3600001)`
  const insert = `INSERT INTO timer_nodes (${NODE_COLUMNS.join(', ')})
    SELECT name, NULL, 0, '', 9, 7, node_beat_at - ago FROM timer_nodes, (${past}) AS past (name, ago)`
  await server.sql(insert, location.database)
  const { nodes } = await b.beat({ node: 'b', address: null, leaving: false, beat: 2, now: Date.now() })
  assert.deepEqual(
    nodes.map(({ node }) => node),
    ['a', 'b', 'owner', 'silent'],
  )
  const [first, self, , silent] = nodes as [(typeof nodes)[0], (typeof nodes)[0], unknown, (typeof nodes)[0]]
  assert.deepEqual(
    [first.address, first.leaving, self.address, self.leaving, self.beat],
    ['http://a', true, null, false, 2],
  )
  assert(first.clockSkewMs < -1e12, 'a node whose clock stands at 1970 is half a century behind')
  assert(Math.abs(self.clockSkewMs) < 60_000)
  assert.deepEqual([first.beat, silent.beat], [1, 9])
  assert.deepEqual(await server.sql(`SELECT node_id FROM timer_nodes WHERE node_id = 'gone'`, location.database), [])
})

test('schema.sql shows the schema that the migrations make (write it anew with UPDATE_SNAPSHOTS=1)', async (t) => {
  const location = await server.createDatabase()
  await opened(t, location)
  const client = await server.client(location.database)
  t.after(() => client.end())
  const file = join(import.meta.dirname, '..', 'setup', 'schema.sql')
  const text = await schemaText(client)
  if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(file, text)
  assert.equal(readFileSync(file, 'utf8'), text)
})
