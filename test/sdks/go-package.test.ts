// The Go SDK as its users get it: a module from a module proxy, in a project where nothing of this repository is around.

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHECKS, runTool, sdkFolder } from '../../scripts/sdks/languages.ts'
import { startService } from '../support/service.ts'
import { tempDir } from '../support/temp-dir.ts'
import { quickStart, skipWithout } from './support/tools.ts'

const MODULE = 'github.com/duetime/duetime/sdks/go'
const VERSION = 'v0.1.0'
const skip = skipWithout('go')

test('gofmt, go vet and staticcheck find nothing, and the tests of the module pass', skip, () => CHECKS.go())

test('the quick start of its README runs in an empty project with the module', skip, async (t) => {
  const dir = tempDir(t)
  const served = join(dir, 'proxy', MODULE, '@v')
  mkdirSync(served, { recursive: true })
  cpSync(join(sdkFolder('go'), 'go.mod'), join(served, `${VERSION}.mod`))
  writeFileSync(join(served, `${VERSION}.info`), JSON.stringify({ Version: VERSION, Time: '2026-01-01T00:00:00Z' }))
  const zip = ['run', './internal/modzip', VERSION, join(served, `${VERSION}.zip`)]
  await runTool('go', zip, { cwd: sdkFolder('go') })

  const project = join(dir, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'main.go'), quickStart('go'))
  // Files of the module cache are read-only, which only root can remove with their folder.
  const env = {
    GOPROXY: `file://${join(dir, 'proxy')}`,
    GONOSUMDB: '*',
    GOFLAGS: '-modcacherw',
    GOMODCACHE: join(dir, 'cache'),
  }
  await runTool('go', ['mod', 'init', 'example.com/project'], { cwd: project, env })
  await runTool('go', ['get', `${MODULE}@${VERSION}`], { cwd: project, env })
  await runTool('go', ['vet', '.'], { cwd: project, env })
  const service = await startService(t, { cwd: dir, env: { DATABASE_URL: 'memory:' } })
  const output = await runTool('go', ['run', '.'], { cwd: project, env: { ...env, DUETIME_URL: service.url } })
  assert.match(output, /^order-1001-payment is pending, due \d\d:\d\d:\d\d$/m)
  assert.match(output, /^order-1001-payment: order 1001 was not paid in time \(attempt 1\)$/m)
})
