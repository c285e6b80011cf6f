// Every test, as `npm test` runs them: one process per file, at least two at a time. Node's own default is one less than
// there are cores, which on a machine with two leaves one of them idle while a test waits.
//
// Node calls a file passed when its process ends with 0, also when not one test of it ran. Here such a file is a failure,
// and so are a hook that never ends, a group of tests that got smaller, and, in CI, a test that was skipped.
//
//   node scripts/run-tests.ts [pattern…]
//   node scripts/run-tests.ts --save-minimum      every test; what each group ran is the least that it has to run from now on

import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec as Spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import minimum from './test-minimum.json' with { type: 'json' }
import { TestTally } from './test-tally.ts'

const ROOT = join(import.meta.dirname, '..')
const ALL = ['{src,sim,sdks,test,scripts,bench}/**/*.test.ts']

const { values, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: {
    'save-minimum': { type: 'boolean', default: false },
    // For one test or hook, however slow the machine. Without it a hook that never ends would hold up the run for good.
    'timeout-ms': { type: 'string', default: '600000' },
  },
})
const savesMinimum = values['save-minimum']
const runsAll = patterns.length === 0
if (savesMinimum && !runsAll) throw new Error('--save-minimum goes with all tests: give no pattern')

const tally = new TestTally(ROOT)
const tests = run({
  cwd: ROOT,
  globPatterns: runsAll ? ALL : patterns,
  concurrency: Math.max(2, availableParallelism() - 1),
  timeout: Number(values['timeout-ms']),
  execArgv: ['--import', pathToFileURL(join(import.meta.dirname, 'hook-watch.ts')).href],
})
tests.on('test:enqueue', (data) => tally.enqueued(data))
tests.on('test:pass', (data) => tally.passed(data))
tests.on('test:fail', (data) => tally.failed(data))
for await (const text of tests.compose(new Spec())) process.stdout.write(text as string)

if (savesMinimum)
  writeFileSync(join(import.meta.dirname, 'test-minimum.json'), `${JSON.stringify(tally.minimum(), null, 2)}\n`)
const { lines, isSuccess } = tally.verdict({
  minimum: runsAll && !savesMinimum ? minimum : {},
  maySkip: process.env['CI'] !== 'true',
})
console.log(lines.join('\n'))
process.exitCode = isSuccess ? 0 : 1
