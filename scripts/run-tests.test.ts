// The runner must be able to fail: each way in which tests can pass without having run, as a real file that it runs.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { tempDir } from '../test/support/temp-dir.ts'
import { TestTally } from './test-tally.ts'

const RUNNER = join(import.meta.dirname, 'run-tests.ts')
const IMPORTS = "import { after, before, suite, test } from 'node:test'\n"
const NEVER = 'new Promise(() => {})'

type Ran = { readonly code: number | null; readonly output: string; readonly last: string }

function runOne(
  t: TestContext,
  source: string,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
): Ran {
  const file = join(tempDir(t), 'one.test.ts')
  writeFileSync(file, IMPORTS + source)
  // Node refuses to run tests inside of a test, which this variable tells it.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const ran = spawnSync(process.execPath, [RUNNER, ...args, file], {
    env: { ...inherited, CI: '', ...env },
    encoding: 'utf8',
  })
  return { code: ran.status, output: ran.stdout, last: ran.stdout.trim().split('\n').at(-1)! }
}

suite('a file fails', () => {
  for (const [name, source] of Object.entries({
    'that has no test': '',
    'whose only suite has no test': "suite('a', () => {})",
    'whose process ends in a hook': "before(() => process.exit(0))\ntest('a', () => {})",
    'whose process ends in a test': "test('a', () => process.exit(0))",
    'whose process ends with 0 when an error is not caught':
      "process.on('uncaughtException', () => process.exit(0))\nbefore(() => new Promise(() => setImmediate(() => { throw new Error('no') })))\ntest('a', () => {})",
    'whose loading never ends': `await ${NEVER}\ntest('a', () => {})`,
  })) {
    test(name, (t) => {
      const { code, output, last } = runOne(t, source)
      assert.equal(code, 1, output)
      assert.match(output, /FAILED: .*one\.test\.ts ran no test/)
      assert.match(last, /^0 passed, 1 failed$/)
    })
  }

  for (const [name, source] of Object.entries({
    'with a hook before it that never ends': `before(() => ${NEVER})\ntest('a', () => {})`,
    'with a hook of a suite that never ends': `suite('s', () => {\n before(() => ${NEVER})\n test('a', () => {}) })`,
    'with a test that never ends': `test('a', () => ${NEVER})`,
    'with a hook after it that never ends': `after(() => ${NEVER})\ntest('a', () => {})`,
    'with a hook after it that another one registered and that never ends': `before((t) => t.after(() => ${NEVER}))\ntest('a', () => {})`,
    'with a test that fails': "test('a', () => { throw new Error('no') })",
  })) {
    test(name, (t) => {
      const { code, output, last } = runOne(t, source, { args: ['--timeout-ms=2000'] })
      assert.equal(code, 1, output)
      assert.match(last, /^[01] passed, 1 failed$/)
    })
  }
})

test('what passed is counted by group, and hooks that end are no fault', (t) => {
  // A process that ends itself in the end, as that of a test with PostgreSQL does, tells nothing more.
  const hooks =
    'before(async (t) => t.after(async () => {}))\nafter(() => new Promise((resolve) => setImmediate(resolve)))\nprocess.on("beforeExit", () => process.exit(0))\n'
  const { code, output, last } = runOne(t, `${hooks}test('a', () => {})\nsuite('s', () => { test('b', () => {}) })`)
  assert.equal(code, 0, output)
  assert.match(output, /^ {2}elsewhere: 2 tests in 1 files$/m)
  assert.equal(last, '2 passed, 0 failed')
})

test('what is skipped has a line that says why, and fails in CI', (t) => {
  const source = "suite('s', { skip: 'x is not installed (apt-get install x)' }, () => { test('a', () => {}) })"
  const here = runOne(t, source)
  assert.equal(here.code, 0, here.output)
  assert.match(here.output, /^skipped: .*one\.test\.ts: s: x is not installed \(apt-get install x\)$/m)
  const inCi = runOne(t, source, { env: { CI: 'true' } })
  assert.equal(inCi.code, 1, inCi.output)
  assert.match(inCi.output, /^FAILED: CI must not skip a test: .*x is not installed/m)
})

suite('the minimum of a group', () => {
  const minimum = { 'src/core': 3, test: 1 }
  const tally = (tests: number, skipped = 0) => {
    const made = new TestTally('/repository')
    const inCore = { name: 'a', nesting: 0, entryFile: '/repository/src/core/a.test.ts', details: { type: 'test' } }
    for (let n = 0; n < tests; n++) made.passed(inCore)
    for (let n = 0; n < skipped; n++) made.passed({ ...inCore, skip: 'why' })
    made.passed({ ...inCore, entryFile: '/repository/test/b.test.ts' })
    return made
  }

  test('is not reached: fails, and says what to do', () => {
    const { lines, isSuccess } = tally(2).verdict({ minimum, maySkip: true })
    assert.equal(isSuccess, false)
    assert.match(lines.join('\n'), /FAILED: src\/core ran 2 tests and should run at least 3\. .*test-minimum\.json/)
    assert.equal(lines.at(-1), '3 passed, 1 failed')
  })

  test('is that of a group of which nothing ran', () => {
    assert.equal(new TestTally('/repository').verdict({ minimum, maySkip: true }).isSuccess, false)
  })

  test('is reached, or cannot be compared because something was skipped', () => {
    assert.equal(tally(3).verdict({ minimum, maySkip: true }).isSuccess, true)
    assert.equal(tally(1, 1).verdict({ minimum, maySkip: true }).isSuccess, true)
  })

  test('can be saved from a run', () => {
    assert.deepEqual(tally(5).minimum(), { 'src/core': 5, test: 1 })
  })
})
