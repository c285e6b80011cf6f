// The single executable on a machine without Node: PATH names an empty folder, and nothing of this repository is near.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { buildExecutable } from '../../scripts/executable/build.ts'
import { PostgresServer } from '../../src/store/postgres/postgres-server.fixture.ts'
import { VERSION } from '../../src/runtime/version.ts'
import { cleanUp } from '../support/cleanup.ts'
import { accepted, Client } from '../support/client.ts'
import { startReceiver } from '../support/receiver.ts'
import { runToEnd, startService } from '../support/service.ts'
import { tempDir } from '../support/temp-dir.ts'

const NO_NODE = { PATH: '/nonexistent' }

let program: readonly [string]
before(async (t) => {
  const out = join(tempDir(t as TestContext), 'duetime')
  await buildExecutable({ arch: process.arch, out })
  program = [out]
})

test('the executable serves the page, and a timer that survives a kill, on a file', async (t) => {
  const cwd = tempDir(t)
  const receiver = await startReceiver(t)
  const first = await startService(t, { cwd, env: NO_NODE, program })
  const page = await (await fetch(first.url)).text()
  const [script] = /\/assets\/[\w-]+\.js/.exec(page)!
  assert.equal((await fetch(`${first.url}${script}`)).status, 200)
  const timer = { id: 'a', schedule: 'PT1S', callbackUrl: receiver.url, payload: { n: 1 } }
  await accepted(new Client(() => first).create(timer))
  await first.kill()
  await startService(t, { cwd, env: NO_NODE, program })
  assert.deepEqual((await receiver.received('a')).body.payload, { n: 1 })
  assert.deepEqual(readdirSync(cwd), ['data'], 'nothing is written but data')
})

test('the executable has the drivers of databases inside', async (t) => {
  const server = await PostgresServer.start()
  cleanUp(t, () => server.stop())
  const { port, user, password, database } = await server.createDatabase()
  const receiver = await startReceiver(t)
  const url = `postgres://${user}:${password}@127.0.0.1:${port}/${database}`
  const service = await startService(t, { cwd: tempDir(t), env: { ...NO_NODE, DATABASE_URL: url }, program })
  await accepted(new Client(() => service).create({ id: 'a', schedule: 'PT1S', callbackUrl: receiver.url }))
  await receiver.received('a')
})

test('the executable is the command line, too', async (t) => {
  const { code, output } = await runToEnd(['--version'], { cwd: tempDir(t), env: NO_NODE, program })
  assert.deepEqual([code, output.trim()], [0, VERSION])
  const unknown = await runToEnd(['nonsense'], { cwd: tempDir(t), env: NO_NODE, program })
  assert.equal(unknown.code, 2, unknown.output)
})
