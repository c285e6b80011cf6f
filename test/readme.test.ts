// The README as a newcomer follows it: what it says to type for a first timer, typed in that order, does what it says.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { ROOT } from './support/packed.ts'
import { startReceiver } from './support/receiver.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

test('the first timer fires, the second one is canceled before it is due, and the first one no longer can be', async (t) => {
  const receiver = await startReceiver(t)
  const service = await startService(t, { cwd: tempDir(t) })
  const section = README.slice(
    README.indexOf('## Your first timer'),
    README.indexOf('## What you will want to ask next'),
  )
  const commands = Array.from(section.matchAll(/^```sh\n(curl [\s\S]*?)^```$/gm), ([, command]) => command!)
  const type = async (command: string) => {
    const here = command
      .replaceAll('http://localhost:8080', service.url)
      .replaceAll('http://localhost:9000/payment-timeout', receiver.url)
    return (await promisify(execFile)('sh', ['-c', here])).stdout
  }

  assert.equal(commands.length, 3)
  assert.match(await type(commands[0]!), /"id":"order-1001-payment".*"status":"pending"/)
  assert.deepEqual((await receiver.received('order-1001-payment')).body.payload, { orderId: 1001 })
  assert.match(await type(commands[1]!), /"id":"order-1002-payment".*"status":"pending"/)
  assert.match(await type(commands[2]!), /^HTTP\/1\.1 204 /)
  assert.match(await type(commands[2]!.replace('1002', '1001')), /^HTTP\/1\.1 409 /)
})
