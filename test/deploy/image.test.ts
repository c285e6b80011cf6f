// The image, built and run: by Docker where there is an engine that can have the base image, else by buildah.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { cannotBeHad } from '../../scripts/testing/cannot-be-had.ts'
import manifest from '../../package.json' with { type: 'json' }
import { cleanUp } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { ROOT, run } from '../support/packed.ts'
import { BuildahImage, missingBuildah } from './support/buildah-image.ts'

const BASE = `node:${manifest.devDependencies.node}-slim`
const TAG = 'duetime-test'
const KEY = 'x'.repeat(40)

/** Null: a Docker engine that works has the base image, or could fetch it. */
function missingDocker(): string | null {
  const tried = (...args: readonly string[]) => spawnSync('docker', args, { encoding: 'utf8', timeout: 120_000 })
  if (tried('version', '--format', '{{.Server.Version}}').status !== 0) return 'a Docker engine'
  if (tried('image', 'inspect', BASE).status === 0 || tried('pull', '--quiet', BASE).status === 0) return null
  return `the base image ${BASE}`
}

const withoutDocker = missingDocker()
const withoutBuildah = missingBuildah()
/** CI installs it where it can be had: there its test must not be skipped. */
const isRequired = (process.env['REQUIRED_TOOLS'] ?? '').split(' ').includes('buildah')

test(
  'the image serves as its own user, on a read-only file system',
  { skip: withoutDocker !== null && cannotBeHad(withoutDocker) },
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
    await servesATimer(`http://127.0.0.1:${port}`)
    assert.equal((await run('docker', ['exec', container, 'id', '-u'], ROOT)).stdout.trim(), '1000')
  },
)

test(
  'the image is built by buildah, and serves as its own user',
  { skip: withoutBuildah !== null && (isRequired ? withoutBuildah : cannotBeHad(withoutBuildah)) },
  async (t) => {
    const image = await BuildahImage.build(t)
    const port = await freePort()
    const container = await image.start(t, { API_KEY: KEY, HOST: '127.0.0.1', PORT: String(port) })
    await servesATimer(`http://127.0.0.1:${port}`)
    assert.equal(await image.inside(container, 'id', '-u'), '1000')
    const drivers = Object.keys(manifest.peerDependencies).map((name) => `/app/node_modules/${name}/package.json`)
    await image.inside(container, 'ls', ...drivers)
  },
)

async function servesATimer(url: string): Promise<void> {
  await eventually('the service answers', async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok === true)
  const created = await fetch(`${url}/api/v1/timers/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': KEY },
    body: JSON.stringify({ id: 'a', schedule: 'PT1H', callbackUrl: 'https://example.com/' }),
  })
  assert.equal(created.status, 200)
}
