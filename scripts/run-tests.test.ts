// The runner must be able to fail: each way in which tests can pass without having run, as a real file that it runs.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { endsWithTest } from '../test/support/child-processes.ts'
import { tempDir } from '../test/support/temp-dir.ts'
import { cannotBeHad } from './testing/cannot-be-had.ts'
import { TestTally } from './testing/tally.ts'

const RUNNER = join(import.meta.dirname, 'run-tests.ts')
const IMPORTS = "import { after, before, suite, test } from 'node:test'\n"
const NEVER = 'new Promise(() => {})'

type Ran = { readonly code: number | null; readonly output: string; readonly last: string }

type Options = { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }

const runOne = (t: TestContext, source: string, options?: Options) => runAll(t, { one: source }, options)

async function runAll(
  t: TestContext,
  sources: Readonly<Record<string, string>>,
  { args = [], env = {} }: Options = {},
): Promise<Ran> {
  const folder = tempDir(t)
  const files = Object.entries(sources).map(([name, source]) => {
    const file = join(folder, `${name}.test.ts`)
    writeFileSync(file, IMPORTS + source)
    return file
  })
  // Node refuses to run tests inside of a test, which this variable tells it.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const options = { env: { ...inherited, CI: '', ...env } }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [RUNNER, ...args, ...files], options, (_error, output) =>
      resolve({ code: child.exitCode, output, last: output.trim().split('\n').at(-1)! }),
    )
    endsWithTest(child)
  })
}

for (const [kind, mode] of Object.entries({ 'of its own': [], 'with others': ['--shared'] })) {
  suite(`in a process ${kind} a file fails`, { concurrency: true }, () => {
    test('of which no test ran', async (t) => {
      const sources = {
        'has no test': '',
        'its only suite has no test': "suite('a', () => {})",
        'its process ends in a hook': "before(() => process.exit(0))\ntest('a', () => {})",
        'its process ends in a test': "test('a', () => process.exit(0))",
        'its process ends with 0 when an error is not caught':
          "process.on('uncaughtException', () => process.exit(0))\nbefore(() => new Promise(() => setImmediate(() => { throw new Error('no') })))\ntest('a', () => {})",
        'its loading never ends': `await ${NEVER}\ntest('a', () => {})`,
      }
      const { code, output, last } = await runAll(t, sources, { args: [...mode, '--timeout-ms=2000'] })
      assert.equal(code, 1, output)
      for (const name of Object.keys(sources))
        assert.match(output, new RegExp(`FAILED: .*${name}\\.test\\.ts ran no test`))
      assert.match(last, /^0 passed, [6-9] failed$/)
    })

    for (const [name, source] of Object.entries({
      'with a hook before it that never ends': `before(() => ${NEVER})\ntest('a', () => {})`,
      'with a hook of a suite that never ends': `suite('s', () => {\n before(() => ${NEVER})\n test('a', () => {}) })`,
      'with a test that never ends': `test('a', () => ${NEVER})`,
      'with a hook after it that never ends': `after(() => ${NEVER})\ntest('a', () => {})`,
      'with a hook after it that another one registered and that never ends': `before((t) => t.after(() => ${NEVER}))\ntest('a', () => {})`,
      'with a test that fails': "test('a', () => { throw new Error('no') })",
    })) {
      test(name, async (t) => {
        const { code, output, last } = await runOne(t, source, { args: [...mode, '--timeout-ms=2000'] })
        assert.equal(code, 1, output)
        assert.match(last, /^[01] passed, [12] failed$/)
      })
    }
  })
}

test('what passed is counted by group, and hooks that end are no fault', async (t) => {
  // A process that ends itself in the end, as that of a test with PostgreSQL does, tells nothing more.
  const hooks =
    'before(async (t) => t.after(async () => {}))\nafter(() => new Promise((resolve) => setImmediate(resolve)))\nprocess.on("beforeExit", () => process.exit(0))\n'
  const { code, output, last } = await runOne(
    t,
    `${hooks}test('a', () => {})\nsuite('s', () => { test('b', () => {}) })`,
  )
  assert.equal(code, 0, output)
  assert.match(output, /^ {2}elsewhere: 2 tests in 1 files$/m)
  assert.equal(last, '2 passed, 0 failed')
})

test('what is skipped has a line that says why, and fails in CI', async (t) => {
  const source = "suite('s', { skip: 'x is not installed (apt-get install x)' }, () => { test('a', () => {}) })"
  const here = await runOne(t, source)
  assert.equal(here.code, 0, here.output)
  assert.match(here.output, /^skipped: .*one\.test\.ts: s: x is not installed \(apt-get install x\)$/m)
  const inCi = await runOne(t, source, { env: { CI: 'true' } })
  assert.equal(inCi.code, 1, inCi.output)
  assert.match(inCi.output, /^FAILED: CI must not skip a test: .*x is not installed/m)
})

test('CI may skip a test of which what it needs cannot be had there, and says so; others it may not', () => {
  const made = new TestTally({ root: '/repository', groupOf: () => 'system' })
  const one = { name: 'a', nesting: 0, entryFile: '/repository/test/a.test.ts', details: { type: 'test' } }
  made.passed({ ...one, skip: cannotBeHad('a base image') })
  const excused = made.verdict({ minimum: { 'system: test': 1 }, maySkip: false })
  assert.deepEqual(
    [excused.isSuccess, excused.lines.filter((line) => line.startsWith('skipped: '))],
    [true, ['skipped: test/a.test.ts: a: cannot be had here: a base image']],
  )
  made.passed({ ...one, skip: 'nobody installed it' })
  assert.equal(made.verdict({ minimum: {}, maySkip: false }).isSuccess, false)
})

suite('the minimum of a group', () => {
  const minimum = { 'fast: src/core': 3, 'fast: test': 1 }
  const tally = (tests: number, skipped = 0) => {
    const made = new TestTally({ root: '/repository', groupOf: () => 'fast' })
    const inCore = { name: 'a', nesting: 0, entryFile: '/repository/src/core/a.test.ts', details: { type: 'test' } }
    for (let n = 0; n < tests; n++) made.passed(inCore)
    for (let n = 0; n < skipped; n++) made.passed({ ...inCore, skip: 'why' })
    made.passed({ ...inCore, entryFile: '/repository/test/b.test.ts' })
    return made
  }

  test('is not reached: fails, and says what to do', () => {
    const { lines, isSuccess } = tally(2).verdict({ minimum, maySkip: true })
    assert.equal(isSuccess, false)
    assert.match(
      lines.join('\n'),
      /FAILED: fast: src\/core ran 2 tests and should run at least 3\. .*testing\/minimum\.json/,
    )
    assert.equal(lines.at(-1), '3 passed, 1 failed')
  })

  test('is that of a group of which nothing ran', () => {
    assert.equal(
      new TestTally({ root: '/repository', groupOf: () => 'fast' }).verdict({ minimum, maySkip: true }).isSuccess,
      false,
    )
  })

  test('is reached, or cannot be compared because something was skipped', () => {
    assert.equal(tally(3).verdict({ minimum, maySkip: true }).isSuccess, true)
    assert.equal(tally(1, 1).verdict({ minimum, maySkip: true }).isSuccess, true)
  })

  test('can be saved from a run', () => {
    assert.deepEqual(tally(5).minimum(), { 'fast: src/core': 5, 'fast: test': 1 })
  })
})
