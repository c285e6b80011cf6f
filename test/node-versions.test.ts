// The packages on every Node that they promise to run on, the oldest of each line, installed by npm from what is packed:
// the command serves and fires, the library fires, and a Node that is too old is told so in one sentence.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { before, suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { NODE_RANGE } from '../src/runtime/supported-node.ts'
import { cleanUp } from './support/cleanup.ts'
import { nodeOf } from './support/node-versions.ts'
import { npmInstall, packDuetime, packSdk, ROOT, run } from './support/packed.ts'
import { startReceiver } from './support/receiver.ts'
import { tempDir } from './support/temp-dir.ts'

const SERVES = ['22.20.0', '24.7.0', process.versions.node]
const TOO_OLD = ['18.20.8', '20.0.0', '22.19.0']
const SDK_FROM = '20.0.0'

const LIBRARY = `
import { openDuetime } from 'duetime'
const timers = await openDuetime({ database: process.argv[2], settings: { LOG_LEVEL: 'silent' } })
const fired = new Promise((resolve) => timers.handle('default', ({ id, payload }) => resolve([id, payload])))
await timers.create({ id: 'a', after: '1s', payload: { n: 1 } })
console.log(JSON.stringify(await fired))
await timers.close()
`
const SDK = `
import { Duetime } from '@duetime/client'
const client = new Duetime({ url: process.argv[2], namespace: 'sdk' })
const { id } = await client.create({ after: '3d', callbackUrl: 'http://127.0.0.1:9/never' })
await client.cancel(id)
console.log((await client.get(id)).status)
`

let project: string
let missing: string | null = null
before(async (t) => {
  const dir = tempDir(t as TestContext)
  project = join(dir, 'project')
  const packed = await Promise.all([packDuetime(dir), packSdk(dir)])
  for (const version of [...SERVES, ...TOO_OLD, SDK_FROM]) {
    if ((await nodeOf(version)) === null)
      missing = `Node ${version} is not here, and npm's registry cannot be reached (npm install node@${version})`
  }
  if (missing !== null) return
  await npmInstall(project, ...packed)
  writeFileSync(join(project, 'library.mjs'), LIBRARY)
  writeFileSync(join(project, 'sdk.mjs'), SDK)
})

for (const version of SERVES) {
  suite(`Node ${version}`, () => {
    test('serves: a timer fires, calendars and time zones are known, nothing else is logged', async (t) => {
      if (missing !== null) return t.skip(missing)
      const receiver = await startReceiver(t)
      const { url, errors } = await serve(t, version)
      const created = await post(url, 'create', {
        id: 'a',
        schedule: 'PT1S',
        callbackUrl: receiver.url,
        payload: { n: 1 },
      })
      assert.equal(created.status, 200, JSON.stringify(created.body))
      const anonymous = await post(url, 'create', { schedule: 'PT1H', callbackUrl: receiver.url })
      assert.match(
        String(anonymous.body['id']),
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      )
      const monthly = await post(url, 'preview', {
        schedule: 'R/2027-01-31T09:00:00+01:00[Europe/Berlin]/P1M',
        count: 3,
      })
      assert.match(JSON.stringify(monthly.body), /2027-02-28T08:00:00.*2027-03-31T07:00:00/)
      const delivery = await receiver.received('a')
      assert.deepEqual(delivery.body.payload, { n: 1 })
      assert.equal(errors(), '')
    })

    test('runs the library, on a file and in memory', async (t) => {
      if (missing !== null) return t.skip(missing)
      for (const database of [`./library-${version}.db`, 'memory:']) {
        const { stdout, stderr } = await run((await nodeOf(version))!, ['library.mjs', database], project)
        assert.deepEqual([stdout.trim(), stderr], ['["a",{"n":1}]', ''])
      }
    })

    test('runs the SDK', async (t) => {
      if (missing !== null) return t.skip(missing)
      const { url } = await serve(t, version)
      for (const node of [version, SDK_FROM]) {
        assert.equal(
          (await run((await nodeOf(node))!, ['--no-warnings', 'sdk.mjs', url], project)).stdout.trim(),
          'canceled',
        )
      }
    })
  })
}

for (const version of TOO_OLD) {
  test(`Node ${version} is refused with one sentence, by the command and by the library`, async (t) => {
    if (missing !== null) return t.skip(missing)
    const node = (await nodeOf(version))!
    const sentence = `Duetime needs Node.js 22.20, 24.7 or newer, and this is ${version}.`
    const command = spawnSync(node, [main(), 'serve'], { cwd: project, encoding: 'utf8' })
    assert.deepEqual([command.status, command.stdout, command.stderr], [1, '', `${sentence}\n`])
    const library = spawnSync(node, ['--no-warnings', 'library.mjs', 'memory:'], { cwd: project, encoding: 'utf8' })
    assert.equal(library.status, 1)
    assert.ok(library.stderr.includes(`Error: ${sentence}\n`), library.stderr)
  })
}

test('the packages say which Node they need', () => {
  const engines = (path: string) => (JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as { engines: object }).engines
  assert.deepEqual(engines('package.json'), { node: NODE_RANGE })
  assert.deepEqual(engines('sdks/typescript/package.json'), { node: '>=20' })
})

function main(): string {
  return join(project, 'node_modules', 'duetime', 'dist', 'main.js')
}

async function serve(t: TestContext, version: string): Promise<{ url: string; errors: () => string }> {
  const env = { PORT: '0', LOG_FORMAT: 'json' }
  const child = spawn((await nodeOf(version))!, [main(), 'serve'], {
    cwd: tempDir(t),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  cleanUp(t, async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'close')
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const url = await new Promise<string>((resolve, reject) => {
    child.once('close', (code) => reject(new Error(`it ended with code ${code}: ${errors}`)))
    createInterface(child.stdout).on('line', (line) => {
      const record = JSON.parse(line) as { msg: string; url: string }
      if (record.msg === 'listening') resolve(record.url)
    })
  })
  return { url, errors: () => errors }
}

async function post(
  url: string,
  path: string,
  body: object,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/v1/timers/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
