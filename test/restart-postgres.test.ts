// A node on PostgreSQL whose process was killed and started again on the same machine does not wait for its own old lease.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { Duetime } from '../sdks/typescript/src/index.ts'
import { PostgresServer } from '../src/store/postgres/postgres-server.fixture.ts'
import { cleanUp } from './support/cleanup.ts'
import { startReceiver } from './support/receiver.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const LEASE = '5m' // longer than any test waits

const onLinux = { skip: process.platform === 'linux' ? false : 'nobody can tell whether a process has ended' }

let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(() => server.stop())

async function setup(t: TestContext) {
  const { host, port, user, password, database } = await server.createDatabase()
  const env = {
    DATABASE_URL: `postgres://${user}:${password ?? ''}@${host}:${port}/${database}`,
    LEASE,
    SHARDS: '8',
  }
  const start = () => startService(t, { cwd: tempDir(t), env })
  return { start, receiver: await startReceiver(t) }
}

test('what came due meanwhile fires when it is back', onLinux, async (t) => {
  const { start, receiver } = await setup(t)
  const first = await start()
  const client = new Duetime({ url: first.url })
  await client.create({ id: 'soon', after: '1s', callbackUrl: receiver.url })
  await client.create({ id: 'later', after: '1h', callbackUrl: receiver.url })
  await first.kill()
  const next = new Duetime({ url: (await start()).url })
  await next.update('later', { after: '0s' })
  await receiver.received('later')
  await receiver.received('soon')
})

test('a process that is only suspended keeps its timers', onLinux, async (t) => {
  const { start } = await setup(t)
  const first = await start()
  process.kill(first.pid, 'SIGSTOP')
  cleanUp(t, () => process.kill(first.pid, 'SIGCONT'))
  const started = await (await start()).logged('engine started')
  assert.equal(started['shards'], 0)
})
