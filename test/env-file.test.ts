// A file `.env` in the working directory, as people expect of a service: read by every command, behind the environment.

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cleanUp } from './support/cleanup.ts'
import { runCli } from './support/cli.ts'
import { Service, startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

test('a wrong value is refused with the file that it is in', async (t) => {
  const cwd = tempDir(t)
  writeFileSync(join(cwd, '.env'), 'RETENTION=soon\nPORT=0\n')
  const service = new Service({ cwd })
  cleanUp(t, () => service.kill())
  assert.equal((await service.exited).code, 2)
  assert.match(service.output, /RETENTION=soon \(\.env\): must be/)
})

test('what cannot be read is said', async (t) => {
  const cwd = tempDir(t)
  mkdirSync(join(cwd, '.env'))
  const { code, err } = await runCli(['list'], { cwd })
  assert.equal(code, 2)
  assert.equal(err, '.env in the working directory cannot be read: EISDIR: illegal operation on a directory, read\n')
})

test('settings are taken from it, quoted and commented as Node reads them, and the environment wins', async (t) => {
  const cwd = tempDir(t)
  writeFileSync(
    join(cwd, '.env'),
    '# mine\nexport DATABASE_URL="sqlite:./from the file.db" # here\nLOG_FORMAT=pretty\nRUST_LOG=warn,duetime=debug\n',
  )
  const service = await startService(t, { cwd }) // with LOG_FORMAT=json
  const listening = await service.logged('listening')
  assert.deepEqual(listening['database'], { type: 'sqlite', path: './from the file.db' })
  assert.equal((await service.logged('part started')).level, 'debug')
  writeFileSync(join(cwd, '.env'), `DUETIME_URL=${service.url}\n`)
  const { code, err } = await runCli(['list'], { cwd })
  assert.deepEqual([code, err], [0, ''])
})
