// The quick start of the TypeScript SDK as its readers run it. What else the package promises is in test/sdk-package.test.ts.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runTool } from '../../scripts/sdks/languages.ts'
import { installInto, packSdk } from '../support/packed.ts'
import { startService } from '../support/service.ts'
import { tempDir } from '../support/temp-dir.ts'
import { quickStart } from './support/tools.ts'

test('the quick start of its README runs in an empty project with the packed package', async (t) => {
  const dir = tempDir(t)
  const project = join(dir, 'project')
  await installInto(project, await packSdk(dir))
  writeFileSync(join(project, 'quick-start.mjs'), quickStart('typescript'))
  const service = await startService(t, { cwd: dir, env: { DATABASE_URL: 'memory:' } })
  const env = { DUETIME_URL: service.url }
  const output = await runTool(process.execPath, ['quick-start.mjs'], { cwd: project, env })
  assert.match(output, /^[0-9a-f-]{36} is pending, due 2\d{3}-.*Z$/m)
  assert.match(output, /^order 1001 was not paid in time \(attempt 1\)$/m)
})
