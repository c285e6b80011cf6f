// The program that the guide of the SDK shows, run as it is.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from './support/eventually.ts'
import { freePort } from './support/ports.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const EXAMPLE = join(import.meta.dirname, '..', 'examples', 'sdk.ts')

test('the example of the SDK creates a timer and receives it', async (t) => {
  const service = await startService(t, { cwd: tempDir(t) })
  const env = { DUETIME_URL: service.url, PORT: String(await freePort()) }
  const program = spawn(process.execPath, ['--conditions=@duetime/source', EXAMPLE], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => program.kill('SIGKILL'))
  let output = ''
  program.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  await eventually('two lines', () => output.split('\n').length > 2)
  const [created, received] = output.split('\n')
  assert.match(created!, /^order-1001-payment is pending, due 2\d{3}-.*Z$/)
  assert.equal(received, 'order-1001-payment: order 1001 was not paid in time (attempt 1)')
})
