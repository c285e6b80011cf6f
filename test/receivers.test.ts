// The receivers that the guide shows, each run by its language and called by the real service: signed deliveries are taken
// once, and everything else is refused.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { cannotBeHad } from '../scripts/testing/cannot-be-had.ts'
import { endsWithTest } from './support/child-processes.ts'
import { accepted, Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { freePort, isListening } from './support/ports.ts'
import { startService } from './support/service.ts'
import type { Service } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const FOLDER = join(import.meta.dirname, '..', 'examples', 'receivers')
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

const RECEIVERS: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  JavaScript: [process.execPath, 'receiver.mjs'],
  Python: ['python3', 'receiver.py'],
  Go: ['go', 'run', 'receiver.go'],
  Java: ['java', 'Receiver.java'],
  Ruby: ['ruby', 'receiver.rb'],
}

let service: Service
before(async (t) => {
  const env = { DATABASE_URL: 'memory:', WEBHOOK_SECRETS: SECRET }
  service = await startService(t as TestContext, { cwd: tempDir(t as TestContext), env })
})

for (const [language, [program, ...args]] of Object.entries(RECEIVERS)) {
  const isHere = spawnSync(program, [program === 'go' ? 'version' : '--version']).status === 0
  test(
    `a receiver in ${language} takes what is signed, and nothing else`,
    { skip: !isHere && cannotBeHad(program) },
    async (t) => {
      const port = await freePort()
      const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: SECRET }
      // A group of its own: `go run` starts the program as another process.
      const child = endsWithTest(
        spawn(program, args, { cwd: FOLDER, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] }),
      )
      t.after(() => process.kill(-child.pid!, 'SIGKILL'))
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
      await eventually('it listens', () => isListening('127.0.0.1', port), { withinMs: 180_000 })

      const callbackUrl = `http://127.0.0.1:${port}/hook`
      const client = new Client(() => service)
      const payload = { order: `of ${language}` }
      await accepted(client.create({ id: language, schedule: 'PT1S', callbackUrl, payload }))
      await eventually('it is delivered', async () => {
        const answer = await client.get({ timerId: language })
        return answer.type === 'ok' && answer.body.status === 'completed'
      })
      assert.equal(output.match(/^due: /gm)?.length, 1, output)

      const forged = {
        'webhook-id': 'a',
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': 'v1,AAAA',
      }
      const refused = await fetch(callbackUrl, { method: 'POST', headers: forged, body: '{}' })
      assert.equal(refused.status, 401)
    },
  )
}
