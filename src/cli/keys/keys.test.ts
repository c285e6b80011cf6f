import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { hashKey } from '../../service/keys/api-key.ts'
import { parseKeyEntries } from '../../service/keys/key-entries.ts'
import { printHash } from './keys.ts'
import { runMain } from '../program.ts'

async function run(...args: readonly string[]) {
  let [out, err] = ['', '']
  const nothing = async () => {}
  const output = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) }
  const code = await runMain(
    ['keys', ...args],
    {
      ...{ serve: nothing, backup: nothing, export: nothing, import: nothing },
      ...{ migrateStatus: nothing, migrateUp: nothing, migrateDown: nothing },
      ...{ shards: nothing, pin: nothing, reshard: nothing },
    },
    output,
  )
  return { code, out, err }
}

function keysFile(t: TestContext): string {
  const dir = tempDir(t)
  return join(dir, 'keys.json')
}

test('a key that could not be used is refused, with everything that is wrong', async () => {
  const { code, err, out } = await run(
    'create',
    '--name',
    'a b',
    '--permission',
    'write',
    '--namespace',
    'a*b',
    '--rate',
    '-1',
  )
  assert.equal(code, 2)
  assert.match(err, /name must[^]*permissions must[^]*namespaces must[^]*rateLimit must/)
  assert.equal(out, '')
  assert.equal((await run('create')).code, 2)
  assert.equal((await run('create', '--name', 'x', '--rate', 'fast')).code, 2)
  assert.equal((await run('create', '--name', 'x', '--burst', '5')).code, 2)
  assert.equal((await run('list')).code, 2)
})

test('a file that is broken or has the name already is left as it is', async (t) => {
  const path = keysFile(t)
  writeFileSync(path, '[{')
  assert.equal((await run('create', '--name', 'x', '--file', path)).code, 2)
  assert.equal(readFileSync(path, 'utf8'), '[{')
  rmSync(path)
  assert.equal((await run('create', '--name', 'x', '--file', path)).code, 0)
  const before = readFileSync(path, 'utf8')
  assert.match((await run('create', '--name', 'x', '--file', path)).err, /more than one entry has the name x/)
  assert.equal(readFileSync(path, 'utf8'), before)
})

test('without a file the key and its entry are printed, and the entry is one that a file can have', async () => {
  const namespaces = ['--namespace', 'orders*', '--namespace', 'x']
  const { out, code } = await run(
    'create',
    '--name',
    'orders',
    ...namespaces,
    '--permission',
    'timer:read',
    '--rate',
    '100',
    '--nats-subject',
    'orders.>',
  )
  assert.equal(code, 0)
  const [key = '', entry = ''] = out.split('\n')
  assert.deepEqual(JSON.parse(entry), {
    name: 'orders',
    hash: hashKey(key),
    permissions: ['timer:read'],
    namespaces: ['orders*', 'x'],
    rateLimit: { perSecond: 100, burst: 100 },
    natsSubjects: ['orders.>'],
  })
})

test('with a file only the key is printed; the file has its hash, is for its owner alone and keeps its other keys', async (t) => {
  const path = keysFile(t)
  const first = (await run('create', '--name', 'first', '--file', path)).out.trim()
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const second = (await run('create', '--name', 'second', '--permission', 'admin', '--file', path)).out.trim()
  const text = readFileSync(path, 'utf8')
  assert.deepEqual(
    parseKeyEntries(text, path).map(({ hash }) => hash),
    [hashKey(first), hashKey(second)],
  )
  assert.ok(!text.includes(first) && !text.includes(second))
  const { out } = await run('list', '--file', path)
  assert.match(out, /^NAME +PERMISSIONS[^]*first +timer +\* +- +sha256:[\da-f]{8}\nsecond +admin/)
})

test('the hash of a key is the one a file has for it; what is too short to be a key has none', () => {
  let out = ''
  const output = { out: (text: string) => void (out += text), err: () => {} }
  const spaced = `${'x'.repeat(20)} ${'x'.repeat(20)}`
  for (const text of ['', 'short', spaced]) assert.throws(() => printHash(text, output), { name: 'UsageError' })
  const key = 'k'.repeat(32)
  printHash(`${key}\n`, output)
  assert.equal(out, `${hashKey(key)}\n`)
})
