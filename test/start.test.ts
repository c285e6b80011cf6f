// The first minute with the service: it starts without any setting, says where it is, fires a first timer, and says
// what to do when something is wrong.

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { cleanUp } from './support/cleanup.ts'
import { accepted, Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { isListening } from './support/ports.ts'
import { startReceiver } from './support/receiver.ts'
import { runToEnd, Service, startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const A_STACK_TRACE = /^ {4}at /m

/** The command ends by itself, with this exit code and a message for people. */
async function assertRefused(
  t: TestContext,
  { env, code, says }: { env: Record<string, string>; code: number; says: readonly RegExp[] },
) {
  const ended = await runToEnd(['serve'], { cwd: tempDir(t), env: { PORT: '0', ...env } })
  assert.equal(ended.code, code, ended.output)
  for (const text of says) assert.match(ended.output, text)
  assert.doesNotMatch(ended.output, A_STACK_TRACE)
}

test('an address that others can reach is refused without API keys', (t) =>
  assertRefused(t, { env: { HOST: '0.0.0.0' }, code: 2, says: [/HOST=0\.0\.0\.0/, /ALLOW_ANONYMOUS/] }))

test('all wrong settings are reported at once', (t) =>
  assertRefused(t, {
    env: { PORT: 'eighty', SHUTDOWN_GRACE: 'soon', DATABASE_URL: 'oracle:x', HOST: '0.0.0.0' },
    code: 2,
    says: [/4 settings are wrong/, /PORT=eighty/, /SHUTDOWN_GRACE=soon/, /DATABASE_URL/, /HOST=0\.0\.0\.0/],
  }))

test('a port that is taken is named, with advice', async (t) => {
  const receiver = await startReceiver(t)
  const { port } = new URL(receiver.url)
  await assertRefused(t, { env: { PORT: port }, code: 1, says: [new RegExp(`EADDRINUSE.*${port}`), /another port/] })
})

test('a directory, a damaged file and a file of another program are refused as databases', async (t) => {
  const dir = tempDir(t)
  const [folder, damaged, foreign] = [join(dir, 'folder'), join(dir, 'damaged.db'), join(dir, 'foreign.db')]
  mkdirSync(folder)
  writeFileSync(damaged, 'this is not a database, whatever its name says'.repeat(100))
  const other = new DatabaseSync(foreign)
  other.exec('CREATE TABLE songs (title TEXT)')
  other.close()
  for (const path of [folder, damaged, foreign]) {
    await assertRefused(t, { env: { TIMER_DB_PATH: path }, code: 1, says: [new RegExp(path.replaceAll('.', '\\.'))] })
  }
})

test('a database of a newer version is refused and left as it is', async (t) => {
  const cwd = tempDir(t)
  const path = join(cwd, 'timers.db')
  const service = await startService(t, { cwd, env: { TIMER_DB_PATH: path } })
  await service.stop()
  const database = new DatabaseSync(path)
  cleanUp(t, () => database.close())
  database.exec('PRAGMA user_version = 999')
  await assertRefused(t, { env: { TIMER_DB_PATH: path }, code: 1, says: [/newer version/] })
  assert.deepEqual({ ...database.prepare('PRAGMA user_version').get() }, { user_version: 999 })
})

test('a second service on the same file is refused, and the first one goes on', async (t) => {
  const cwd = tempDir(t)
  const receiver = await startReceiver(t)
  const first = await startService(t, { cwd })
  const second = await runToEnd(['serve'], { cwd, env: { PORT: '0' } })
  assert.equal(second.code, 1, second.output)
  assert.match(second.output, /duetime\.db is in use by another process/)
  assert.doesNotMatch(second.output, A_STACK_TRACE)
  const client = new Client(() => first)
  await accepted(client.create({ id: 'still-here', schedule: 'PT1S', callbackUrl: receiver.url }))
  await receiver.received('still-here')
})

test('without any setting it serves this machine only, and says so', async (t) => {
  const service = await startService(t, { cwd: tempDir(t) })
  const { hostname, port } = new URL(service.url)
  assert.equal(hostname, '127.0.0.1')
  assert.equal((await service.logged('listening'))['loopbackOnly'], true)
  assert.ok(await isListening('127.0.0.1', Number(port)))
  // All of 127.0.0.0/8 is this machine on Linux, so a service that listens everywhere would answer here.
  if (process.platform === 'linux') assert.equal(await isListening('127.0.0.2', Number(port)), false)
})

test('for people it prints where it is, who can reach it and what to try', async (t) => {
  const cwd = tempDir(t)
  const service = new Service({ cwd, env: { LOG_FORMAT: 'pretty' } })
  cleanUp(t, () => service.kill())
  await eventually('the banner', () => /Only this machine can reach it[^]*curl/.test(service.output))
  assert.match(service.output, /listens on http:\/\/127\.0\.0\.1:\d+/)
  assert.ok(service.output.includes(join(cwd, 'data', 'duetime.db')), service.output)
})

test('a first timer is accepted, fires on the dot and shows in the metrics', async (t) => {
  const cwd = tempDir(t)
  const receiver = await startReceiver(t)
  const service = await startService(t, { cwd })
  assert.ok(existsSync(join(cwd, 'data', 'duetime.db')))

  const created = await new Client(() => service).create({
    id: 'hello',
    schedule: 'PT1S',
    callbackUrl: receiver.url,
    payload: { to: 'you' },
  })
  assert.equal(created.type, 'ok')
  assert.equal(created.status, 200)
  assert.equal(created.body.status, 'pending')

  const delivery = await receiver.received('hello')
  assert.deepEqual(delivery.body.payload, { to: 'you' })
  assert.equal(delivery.dueAt, Date.parse(created.body.executeAt))
  assert.ok(delivery.firedAt >= delivery.dueAt && delivery.arrivedAt >= delivery.dueAt)
  assert.equal(delivery.deliveryId, delivery.headers['idempotency-key'])
  await eventually('a sample of lateness', async () =>
    /^duetime_lateness_seconds_count\{.*\} 1$/m.test(await textOf(service, '/metrics')),
  )
})

test('it says how it is, and describes its API', async (t) => {
  const service = await startService(t, { cwd: tempDir(t) })
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs']) {
    const response = await fetch(service.url + path)
    assert.equal(response.status, 200, `${path}: ${await response.text()}`)
  }
  const openapi = JSON.parse(await textOf(service, '/openapi.json')) as {
    openapi: string
    paths: Record<string, unknown>
  }
  assert.match(openapi.openapi, /^3\.1\./)
  assert.ok('/api/v1/timers/create' in openapi.paths)
  assert.match(await textOf(service, '/docs'), /<html/i)
})

test('a backup of the running service holds the same timers', async (t) => {
  const cwd = tempDir(t)
  const service = await startService(t, { cwd })
  const client = new Client(() => service)
  const ids = Array.from({ length: 50 }, (_, n) => `kept-${n}`)
  await Promise.all(
    ids.map((id) =>
      accepted(client.create({ id, schedule: 'PT1H', callbackUrl: 'http://127.0.0.1:9/', payload: { id } })),
    ),
  )

  const { code, output } = await runToEnd(['backup', 'copy.db'], { cwd })
  assert.equal(code, 0, output)
  const again = await runToEnd(['backup', 'copy.db'], { cwd })
  assert.notEqual(again.code, 0, 'an existing file must not be overwritten')

  const copy = await startService(t, { cwd, env: { TIMER_DB_PATH: 'copy.db' } })
  for (const timerId of ids) {
    assert.deepEqual(await accepted(new Client(() => copy).get({ timerId })), await accepted(client.get({ timerId })))
  }
})

async function textOf(service: Service, path: string): Promise<string> {
  return (await fetch(service.url + path)).text()
}
