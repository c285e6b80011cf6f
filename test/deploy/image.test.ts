// The image, built and run, where there is a builder and its base image can be had.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { cannotBeHad } from '../../scripts/testing/cannot-be-had.ts'
import manifest from '../../package.json' with { type: 'json' }
import { cleanUp } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { ROOT, run } from '../support/packed.ts'

const BASE = `node:${manifest.devDependencies.node}-slim`
const TAG = 'duetime-test'
const KEY = 'x'.repeat(40)

/** Null: a builder that works has the base image, or could fetch it. */
function missing(): string | null {
  const tried = (...args: readonly string[]) => spawnSync('docker', args, { encoding: 'utf8', timeout: 120_000 })
  if (tried('version', '--format', '{{.Server.Version}}').status !== 0) return 'a Docker engine'
  if (tried('image', 'inspect', BASE).status === 0 || tried('pull', '--quiet', BASE).status === 0) return null
  return `the base image ${BASE}`
}

const lack = missing()

test(
  'the image serves as its own user, on a read-only file system',
  { skip: lack !== null && cannotBeHad(lack) },
  async (t) => {
    await run('docker', ['build', '--file', 'deploy/docker/Dockerfile', '--tag', TAG, '.'], ROOT)
    const port = await freePort()
    const confined = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--memory=768m']
    const settings = [
      '--env',
      `API_KEY=${KEY}`,
      '--publish',
      `127.0.0.1:${port}:8080`,
      '--volume',
      '/var/lib/duetime/data',
    ]
    const { stdout } = await run('docker', ['run', '--detach', '--rm', ...confined, ...settings, TAG], ROOT)
    const container = stdout.trim()
    cleanUp(t, () => run('docker', ['stop', container], ROOT))
    const url = `http://127.0.0.1:${port}`
    await eventually('the service answers', async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok === true)
    const created = await fetch(`${url}/api/v1/timers/create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': KEY },
      body: JSON.stringify({ id: 'a', schedule: 'PT1H', callbackUrl: 'https://example.com/' }),
    })
    assert.equal(created.status, 200)
    assert.equal((await run('docker', ['exec', container, 'id', '-u'], ROOT)).stdout.trim(), '1000')
  },
)
