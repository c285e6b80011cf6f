// The Python SDK as its users get it: a wheel and a source distribution, installed where nothing of this repository is around.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildPython } from '../../scripts/sdks/build.ts'
import { CHECKS, pythonTools, runTool } from '../../scripts/sdks/languages.ts'
import { filesIn } from '../support/packed.ts'
import { startService } from '../support/service.ts'
import { tempDir } from '../support/temp-dir.ts'
import { quickStart, skipWithout } from './support/tools.ts'

const skip = skipWithout('python')

test('mypy finds nothing, and the tests of the package pass on the real frameworks', skip, () => CHECKS.python())

test('the quick start of its README runs in an empty project with the wheel', skip, async (t) => {
  const dir = tempDir(t)
  const python = await pythonTools()
  const [wheel, sdist] = await buildPython(dir, join(dir, 'dist'))
  assert.deepEqual([wheel, sdist], ['duetime-0.1.0-py3-none-any.whl', 'duetime-0.1.0.tar.gz'])

  // The source distribution makes the same package.
  const built = ['--no-deps', '--no-build-isolation', '--quiet', '--target', join(dir, 'from-sdist')]
  await runTool(python, ['-m', 'pip', 'install', ...built, join(dir, 'dist', sdist!)], { cwd: dir })
  const files = filesIn(join(dir, 'from-sdist', 'duetime')).filter((path) => !path.includes('__pycache__'))
  assert.ok(files.includes('py.typed') && files.includes('fastapi.py'), files.join(' '))

  const project = join(dir, 'project')
  await runTool('python3', ['-m', 'venv', project], { cwd: dir })
  const projectPython = join(project, 'bin', 'python')
  await runTool(projectPython, ['-m', 'pip', 'install', '--quiet', join(dir, 'dist', wheel!)], { cwd: dir })
  const program = join(project, 'quick_start.py')
  writeFileSync(program, quickStart('python'))
  await runTool(python, ['-m', 'mypy', '--strict', '--python-executable', projectPython, program], { cwd: project })
  const service = await startService(t, { cwd: dir, env: { DATABASE_URL: 'memory:' } })
  const output = await runTool(projectPython, [program], { cwd: project, env: { DUETIME_URL: service.url } })
  assert.match(output, /^[0-9a-f-]{36} is pending, due \d\d:\d\d:\d\d$/m)
  assert.match(output, /^order 1001 was not paid in time \(attempt 1\)$/m)
})
