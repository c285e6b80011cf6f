// The package `duetime` as its users get it: packed, and unpacked into a node_modules folder, where Node runs JavaScript
// only. Its dependencies are found further up, in this repository's own node_modules.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { cleanUp } from '../test/support/cleanup.ts'
import { filesIn, packDuetime, packSdk, ROOT, run } from '../test/support/packed.ts'
import { tempDir } from '../test/support/temp-dir.ts'

let project: string
before(async (t) => {
  const context = t as TestContext
  const dir = tempDir(context)
  const [duetime, client] = await Promise.all([packDuetime(dir), packSdk(dir)])

  const cache = join(ROOT, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  project = mkdtempSync(join(cache, 'duetime-package-'))
  cleanUp(context, () => rmSync(project, { recursive: true, force: true }))
  for (const [tarball, name] of [
    [duetime, 'duetime'],
    [client, '@duetime/client'],
  ] as const) {
    const folder = join(project, 'node_modules', name)
    mkdirSync(folder, { recursive: true })
    await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components', '1'], ROOT)
  }
})

test('it has what runs, with its types, and nothing that only tests need', () => {
  const files = filesIn(join(project, 'node_modules', 'duetime')).filter((path) => !path.startsWith('web/'))
  assert.deepEqual(
    files.filter((path) => !path.startsWith('dist/')),
    ['LICENSE', 'README.md', 'package.json'],
  )
  assert.deepEqual(
    files.filter((path) => /\.(?:test|fixture)\.|conformance|(?<!\.d)\.ts$/.test(path)),
    [],
  )
  for (const path of [
    'dist/main.js',
    'dist/embedded/index.js',
    'dist/embedded/index.d.ts',
    'dist/store/sqlite/threads/worker.js',
  ]) {
    assert.ok(files.includes(path), path)
  }
})

test('a program uses it as a library', async () => {
  const program = `
    import { openDuetime } from 'duetime'
    import { Duetime } from '@duetime/client'
    const timers = await openDuetime({ database: './timers.db', settings: { LOG_LEVEL: 'silent' } })
    const fired = new Promise((resolve) => timers.handle('default', ({ id }) => resolve(id)))
    await timers.create({ id: 'a', after: '1s' })
    console.log(await fired, typeof Duetime)
    await timers.close()`
  writeFileSync(join(project, 'library.mjs'), program)
  assert.equal((await run(process.execPath, ['library.mjs'], project)).stdout.trim(), 'a function')
})

test('a strict program that uses it is checked without complaints', async () => {
  const program = `
    import { openDuetime } from 'duetime'
    const timers = await openDuetime({ database: 'memory:' })
    timers.handle('default', async ({ id }) => console.log(id.length))
    // @ts-expect-error a timer has no such status
    console.log((await timers.create({ after: '1h' })).status === 'gone')
    await timers.close()`
  writeFileSync(join(project, 'typed.mts'), program)
  const types = ['--lib', 'esnext', '--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')]
  const strict = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'esnext',
  ]
  await run('tsc', [...strict, ...types, 'typed.mts'], project)
})

test('its command serves, with the database in a file', async (t) => {
  const { bin } = JSON.parse(readFileSync(join(project, 'node_modules', 'duetime', 'package.json'), 'utf8')) as {
    bin: { duetime: string }
  }
  const main = join(project, 'node_modules', 'duetime', bin.duetime)
  const env = { PORT: '0', LOG_FORMAT: 'json' }
  const child = spawn(process.execPath, [main, 'serve'], { cwd: tempDir(t), env, stdio: ['ignore', 'pipe', 'inherit'] })
  cleanUp(t, async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'close')
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.once('close', (code) => reject(new Error(`it ended with code ${code}`)))
    createInterface(child.stdout).on('line', (line) => {
      const record = JSON.parse(line) as { msg: string; url: string }
      if (record.msg === 'listening') resolve(record.url)
    })
  })
  const body = JSON.stringify({ id: 'a', schedule: 'PT1H', callbackUrl: 'http://127.0.0.1:9/' })
  const created = await fetch(`${url}/api/v1/timers/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  assert.equal(created.status, 200)
  if (existsSync(join(project, 'node_modules', 'duetime', 'web', 'dist'))) {
    assert.match(await (await fetch(url, { headers: { accept: 'text/html' } })).text(), /<script type="module"/)
  }
})
