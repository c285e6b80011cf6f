// Keys as an operator meets them: the service does not start with a bad one, lets in who has one, and takes new ones
// while it runs.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { accepted, Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { isListening } from './support/ports.ts'
import { startReceiver } from './support/receiver.ts'
import { runToEnd, startService } from './support/service.ts'
import type { Service } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const API_KEY = 'a-key-of-at-least-thirty-two-characters'

async function createKey(cwd: string, ...flags: readonly string[]): Promise<string> {
  const { code, output } = await runToEnd(['keys', 'create', '--file', 'keys.json', ...flags], { cwd })
  assert.equal(code, 0, output)
  return /dtk_\S+/.exec(output)![0]
}

async function statusFor(service: Service, key: string | null, body: object = {}): Promise<number> {
  const headers = { 'content-type': 'application/json', ...(key === null ? {} : { 'x-api-key': key }) }
  const response = await fetch(`${service.url}/api/v1/timers/list`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  await response.body?.cancel()
  return response.status
}

test('a key that is too short stops the start, with a way to make a better one', async (t) => {
  const { code, output } = await runToEnd(['serve'], { cwd: tempDir(t), env: { PORT: '0', API_KEY: 'hunter2' } })
  assert.equal(code, 2)
  assert.match(output, /API_KEY=\*\*\*.*32 to 512.*openssl rand -base64 32/)
  assert.doesNotMatch(output, /hunter2|^ {4}at /m)
})

test('a keys file that is missing or wrong stops the start, and says everything that is wrong', async (t) => {
  const cwd = tempDir(t)
  const missing = await runToEnd(['serve'], { cwd, env: { PORT: '0', KEYS_FILE: 'keys.json' } })
  assert.equal(missing.code, 2)
  assert.match(missing.output, /keys\.json cannot be used[^]*ENOENT/)
  writeFileSync(
    join(cwd, 'keys.json'),
    '[{"name":"a","hash":"x","permissions":["timer"],"namespaces":["*"]},{"name":"b"}]',
  )
  const wrong = await runToEnd(['serve'], { cwd, env: { PORT: '0', KEYS_FILE: 'keys.json' } })
  assert.equal(wrong.code, 2)
  assert.match(wrong.output, /entry 1 \(a\): hash[^]*entry 2 \(b\): hash[^]*entry 2 \(b\): permissions/)
  assert.doesNotMatch(wrong.output, /^ {4}at /m)
  assert.deepEqual(readdirSync(cwd), ['keys.json'], 'no database is made or changed by a service that does not start')
})

test('with a key it serves other addresses, only those who have the key, and says nothing of it in the log', async (t) => {
  const receiver = await startReceiver(t)
  const service = await startService(t, {
    cwd: tempDir(t),
    env: { API_KEY, CALLBACK_ALLOW: 'loopback', LOG_LEVEL: 'debug' },
  })
  const listening = await service.logged('listening')
  assert.deepEqual(
    [listening['loopbackOnly'], listening['keysNeeded'], listening['reach']],
    [false, true, 'whoever has a key'],
  )
  const port = Number(new URL(service.url).port)
  // All of 127.0.0.0/8 is this machine on Linux: who answers there as well listens on more than one address.
  if (process.platform === 'linux') assert.ok(await isListening('127.0.0.2', port))
  assert.equal(await statusFor(service, null), 401)
  assert.equal(await statusFor(service, `${API_KEY}x`), 401)
  for (const path of ['/healthz', '/readyz', '/docs', '/openapi.json'])
    assert.equal((await fetch(service.url + path)).status, 200, path)
  assert.equal((await fetch(`${service.url}/metrics`)).status, 401)
  assert.equal((await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${API_KEY}` } })).status, 200)
  const client = new Client(() => service, { 'x-api-key': API_KEY })
  await accepted(client.create({ id: 'hello', schedule: 'PT1S', callbackUrl: receiver.url }))
  await receiver.received('hello')
  await service.stop()
  assert.ok(!service.output.includes(API_KEY))
})

test('keys are exchanged while it runs: a new one counts, a removed one does not, and a broken file changes nothing', async (t) => {
  const cwd = tempDir(t)
  const path = join(cwd, 'keys.json')
  const first = await createKey(cwd, '--name', 'first', '--namespace', 'default')
  const service = await startService(t, { cwd, env: { KEYS_FILE: 'keys.json', API_KEY, HOST: '127.0.0.1' } })
  assert.equal(await statusFor(service, first), 200)
  assert.equal(await statusFor(service, first, { namespace: 'other' }), 403)

  const second = await createKey(cwd, '--name', 'second')
  await eventually('the second key counts', async () => (await statusFor(service, second)) === 200)
  assert.equal(await statusFor(service, first), 200)

  const entries = JSON.parse(readFileSync(path, 'utf8')) as unknown[]
  writeFileSync(path, '[{"name": "half')
  await service.logged(/cannot be used/)
  assert.deepEqual([await statusFor(service, first), await statusFor(service, second)], [200, 200])

  writeFileSync(path, JSON.stringify(entries.slice(1)))
  await eventually('the first key counts no more', async () => (await statusFor(service, first)) === 401)
  assert.deepEqual([await statusFor(service, second), await statusFor(service, API_KEY)], [200, 200])
})

test('a hangup signal makes it read the file, and does not end it', async (t) => {
  const cwd = tempDir(t)
  await createKey(cwd, '--name', 'first')
  const service = await startService(t, { cwd, env: { KEYS_FILE: 'keys.json', HOST: '127.0.0.1' } })
  const key = await createKey(cwd, '--name', 'second')
  service.signal('SIGHUP')
  await eventually('the new key counts', async () => (await statusFor(service, key)) === 200)
  assert.ok(service.isAlive)
  assert.deepEqual(await service.stop(), { code: 0, signal: null })
})
