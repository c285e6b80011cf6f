// `duetime doctor` against real services, databases and brokers, well and unwell. It only looks.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { PostgresServer } from '../src/store/postgres/postgres-server.fixture.ts'
import { cleanUp } from './support/cleanup.ts'
import { cliFor, runCli } from './support/cli.ts'
import type { Place } from './support/cli.ts'
import { eventually } from './support/eventually.ts'
import { needsNats, startNatsServer } from './support/nats-server.ts'
import { FAILING, startReceiver } from './support/receiver.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

type Finding = { readonly area: string; readonly standing: string; readonly message: string; readonly advice?: string }

async function doctor(place: Place, ...args: readonly string[]) {
  const { code, out, err } = await runCli(['doctor', '-o', 'json', ...args], {
    ...place,
    env: { PORT: '0', ...place.env },
  })
  assert.equal(err, '')
  const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: Finding[] }
  assert.equal(code, ok ? 0 : 1)
  assert.ok(
    findings.every(({ standing, advice }) => (advice === undefined) === (standing === 'ok' || standing === 'skip')),
    'what is wrong comes with advice',
  )
  const said = (standing: string) =>
    findings
      .filter((one) => one.standing === standing)
      .map(({ area, message, advice = '' }) => `${area}: ${message} → ${advice}`)
  return {
    ok,
    findings,
    failed: said('fail').join('\n'),
    warned: said('warn').join('\n'),
    fine: said('ok').join('\n'),
    skipped: said('skip').join('\n'),
  }
}

test('settings that are wrong, and variables that are nearly settings, are named with what is right', async (t) => {
  const env = {
    RETENTION: 'long',
    DUETIME_PORT: '80',
    DUETIME_URI: 'http://x',
    PGHOST: 'x',
    API_KYE: 'x',
    HOSTNAME: 'fine',
    LANG: 'C',
  }
  const { ok, failed, warned } = await doctor({ cwd: tempDir(t), env })
  assert.equal(ok, false)
  assert.match(failed, /config: RETENTION=long \(environment\): must be /)
  assert.match(warned, /DUETIME_PORT is set, and it is no setting → Set PORT instead/)
  assert.match(warned, /DUETIME_URI .* Set DUETIME_URL instead/)
  assert.match(warned, /PGHOST .* write PG_HOST/)
  assert.match(warned, /API_KYE .* write API_KEY/)
  assert.doesNotMatch(warned, /HOSTNAME|LANG/)
})

test('a database that cannot be used is a failure, and is left as it is', async (t) => {
  const cwd = tempDir(t)
  writeFileSync(join(cwd, 'text.db'), 'this is no database, but it is long enough to be taken for one'.repeat(20))
  assert.match(
    (await doctor({ cwd }, '--timer-db-path', 'text.db')).failed,
    /database: .*text\.db.* → .*restore a backup/,
  )
  new DatabaseSync(join(cwd, 'other.db')).exec('CREATE TABLE theirs (a)')
  assert.match((await doctor({ cwd }, '--timer-db-path', 'other.db')).failed, /database of another program/)
  mkdirSync(join(cwd, 'folder'))
  assert.match((await doctor({ cwd }, '--timer-db-path', 'folder')).failed, /database: /)
  assert.match((await doctor({ cwd, env: { DATABASE_URL: 'memory:' } })).warned, /lost when the service stops/)
})

test('where nothing is yet, it says so, tries the disk and leaves nothing behind', async (t) => {
  const cwd = tempDir(t)
  const { ok, fine, skipped } = await doctor({ cwd })
  assert.equal(ok, true)
  assert.match(fine, /program: duetime \S+ on Node\.js \d+/)
  assert.match(fine, /there is no .*duetime\.db yet; the first start makes it/)
  assert.match(fine, /free on the disk of/)
  assert.match(fine, /a durable write takes \S+ \(median of 20/)
  assert.match(fine, /clock: wall clock and monotonic clock run alike/)
  assert.match(skipped, /nats: not configured/)
  assert.deepEqual(readdirSync(cwd), [])
})

test('beside a running service it reports on it and changes nothing; the service goes on', async (t) => {
  const cwd = tempDir(t)
  const service = await startService(t, { cwd })
  const duetime = cliFor(service.url)
  const receiver = await startReceiver(t, () => FAILING)
  await duetime('create', 'in 1s', receiver.url, '--id', 'bad', '--retries', '0')
  await eventually('its failure', async () => (await duetime('list', '--status', 'failed')).out.includes('bad'))
  chmodSync(join(cwd, 'data', 'duetime.db'), 0o600)
  const { ok, fine, warned } = await doctor({ cwd, env: { DUETIME_URL: service.url } })
  assert.equal(ok, true)
  assert.match(fine, new RegExp(`duetime\\.db: .*schema version \\d+, in use by process ${service.pid}`))
  assert.match(fine, /the write-ahead log has/)
  assert.match(fine, /server: http\S+ is Duetime \S+/)
  assert.match(fine, /it is ready: store/)
  assert.match(fine, /of 1 firings since it started, 99% began within/)
  assert.match(fine, /0 writes wait for the database/)
  assert.match(warned, /1 timer failed for good → `duetime list --status failed`/)
  assert.equal((await duetime('create', 'in 1h', receiver.url)).code, 0)
  assert.deepEqual(
    service.logs.filter(({ level }) => level === 'error'),
    [],
  )

  await service.kill()
  const without = await doctor({ cwd, env: { DUETIME_URL: service.url } })
  assert.match(without.failed, /server: no server at http.* → `duetime serve` starts one here/)
  assert.match(without.fine, /no service has it open/)
})

test('a server that needs a key is judged as far as it can be seen without', async (t) => {
  const key = 'a-key-of-at-least-thirty-two-characters'
  const service = await startService(t, { cwd: tempDir(t), env: { API_KEY: key, HOST: '127.0.0.1' } })
  const url = { DUETIME_URL: service.url }
  assert.match((await doctor({ cwd: tempDir(t), env: url })).skipped, /cannot be seen without a key.*DUETIME_API_KEY/)
  assert.match(
    (await doctor({ cwd: tempDir(t), env: { ...url, DUETIME_API_KEY: key } })).fine,
    /nothing has fired since it started/,
  )
})

test('a port that something else has is a failure', async (t) => {
  const other = createServer((socket) => socket.end('hello\n')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  cleanUp(t, () => other.close())
  const { port } = other.address() as AddressInfo
  const { failed } = await doctor({ cwd: tempDir(t), env: { PORT: String(port) } })
  assert.match(
    failed,
    new RegExp(`port: something that is not Duetime listens on 127\\.0\\.0\\.1:${port} → Choose another PORT`),
  )
})

test('a keys file that others can write to is a failure', async (t) => {
  const cwd = tempDir(t)
  await runCli(['keys', 'create', '--name', 'x', '--file', 'keys.json'], { cwd })
  assert.match((await doctor({ cwd }, '--keys-file', 'keys.json')).fine, /keys\.json has 1 key /)
  chmodSync(join(cwd, 'keys.json'), 0o666)
  assert.match((await doctor({ cwd }, '--keys-file', 'keys.json')).failed, /can be written to by others.* → chmod 600/)
})

test('for people it is a page by areas, with a verdict', async (t) => {
  const { code, out } = await runCli(['doctor', '--port', '0', '--database-url', 'memory:'], { cwd: tempDir(t) })
  assert.equal(code, 0)
  assert.match(
    out,
    /^program\n {2}ok {4}duetime [^]*\n\ndatabase\n {2}warn {2}timers are kept in memory.*\n {8}→ Set DATABASE_URL/,
  )
  assert.match(out, /\n\nnothing failed, 1 to look at\n$/)
})

test('PostgreSQL is judged by version, settings, connections and clock, and no table is made', async (t) => {
  const cwd = tempDir(t)
  const server = await PostgresServer.start()
  cleanUp(t, () => server.stop())
  const { host, port, user, password, database } = await server.createDatabase()
  const env = { PG_HOST: host, PG_PORT: String(port), PG_USER: user, PG_PASSWORD: password ?? '', PG_DB_NAME: database }
  const first = await doctor({ cwd, env })
  assert.equal(first.ok, true, first.failed)
  assert.match(first.fine, /database: .* is PostgreSQL \d+/)
  assert.match(first.fine, /connections are in use, and a node may open 8/)
  assert.match(first.fine, /clock and the database’s agree within/)
  assert.match(first.fine, /the tables are not there yet/)
  assert.match((await doctor({ cwd, env })).fine, /the tables are not there yet/)

  const service = await startService(t, { cwd, env })
  const beside = await doctor({ cwd, env: { ...env, DUETIME_URL: service.url } })
  assert.match(beside.fine, /the schema has version \d+/)
  assert.match(beside.fine, /it is ready: store, cluster/)
  assert.match((await cliFor(service.url)('cluster')).out, / 64 +alive /)
  await service.stop()

  const away = await doctor({ cwd, env: { ...env, PG_PORT: '1', PG_PASSWORD: 'hush-hush' } })
  assert.match(away.failed, /database: cannot connect to PostgreSQL at .*:1.* → Is the server running/)
  assert.ok(!JSON.stringify(away.findings).includes('hush-hush'))
  assert.match((await doctor({ cwd, env: { ...env, PG_PASSWORD: 'wrong' } })).failed, /database: .*password/)
})

test('NATS is judged by connection, JetStream and streams, and no stream is made', needsNats, async (t) => {
  const cwd = tempDir(t)
  assert.match(
    (await doctor({ cwd, env: { NATS_URL: 'nats://127.0.0.1:1' } })).failed,
    /nats: 127\.0\.0\.1:1: .* → Is the NATS server running/,
  )
  const plain = await startNatsServer(t, { jetstream: false })
  assert.match(
    (await doctor({ cwd, env: { NATS_URL: plain.url } })).failed,
    /JetStream does not answer.* → Start the server with -js/,
  )
  const server = await startNatsServer(t)
  for (let look = 0; look < 2; look++) {
    const { ok, fine } = await doctor({ cwd, env: { NATS_URL: server.url } })
    assert.equal(ok, true)
    assert.match(fine, /nats: .* is nats-server \d/)
    assert.match(fine, /JetStream is on/)
    assert.match(fine, /no stream covers timer\.commands yet/)
  }
})
