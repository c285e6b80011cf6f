// The Java SDK as its users get it: a jar with its sources and its documentation, in a project where nothing of this repository is around.

import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { buildJava } from '../../scripts/sdks/build.ts'
import { runTool } from '../../scripts/sdks/languages.ts'
import { startService } from '../support/service.ts'
import { tempDir } from '../support/temp-dir.ts'
import { quickStart, skipWithout } from './support/tools.ts'

const skip = skipWithout('java')

test('it builds without a warning, and the quick start of its README runs with the jar', skip, async (t) => {
  const dir = tempDir(t)
  // -Xlint:all and javadoc fail the build; the tests run the servlet in a real container.
  const libraries = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${join(dir, 'lib')}`]
  assert.deepEqual(await buildJava(dir, join(dir, 'jars'), libraries), [
    'duetime-client-0.1.0-javadoc.jar',
    'duetime-client-0.1.0-sources.jar',
    'duetime-client-0.1.0.jar',
  ])
  // One dependency, which has two.
  const needed = readdirSync(join(dir, 'lib'))
  assert.ok(
    needed.every((name) => name.startsWith('jackson-')),
    needed.join(' '),
  )

  const project = join(dir, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'QuickStart.java'), quickStart('java'))
  const jar = join(dir, 'jars', 'duetime-client-0.1.0.jar')
  const classpath = [jar, join(dir, 'lib', '*'), '.'].join(delimiter)
  await runTool('javac', ['-Xlint:all', '-Werror', '-cp', classpath, 'QuickStart.java'], { cwd: project })
  const service = await startService(t, { cwd: dir, env: { DATABASE_URL: 'memory:' } })
  const env = { DUETIME_URL: service.url }
  const output = await runTool('java', ['-cp', classpath, 'QuickStart'], { cwd: project, env })
  assert.match(output, /^[0-9a-f-]{36} is PENDING, due 2\d{3}-.*Z$/m)
  assert.match(output, /^order 1001 was not paid in time \(attempt 1\)$/m)
})
