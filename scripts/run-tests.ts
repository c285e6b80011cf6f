// Every test, as `npm test` runs them, or one group of them (see testing/groups.ts): the fast ones many to a process, each
// other file in a process of its own.
//
// Node calls a file passed when its process ends with 0, also when not one test of it ran. Here such a file is a failure,
// and so are a hook that never ends, a group of tests that got smaller, and, in CI, a test that was skipped.
//
// The temporary directories of all tests are in one of the run's own, which is removed at the end, also when the run is
// interrupted.
//
//   node scripts/run-tests.ts [--group=fast|stores|system] [pattern…]
//   node scripts/run-tests.ts --watch --group=fast     runs a file again when it, or what it imports, changes
//   node scripts/run-tests.ts --save-minimum           every test; what each group ran is the least from now on

import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec as Spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { processDir, removeAbandoned, removeDir } from '../test/support/temp-dir.ts'
import { groupNames, groupOf, testFiles } from './testing/groups.ts'
import minimum from './testing/minimum.json' with { type: 'json' }
import { writeEntries } from './testing/shared-process.ts'
import { TestTally } from './testing/tally.ts'

const ROOT = join(import.meta.dirname, '..')
const HOOK_WATCH = pathToFileURL(join(import.meta.dirname, 'testing', 'hook-watch.ts')).href
const SLOWEST_SHOWN = 30

const { values, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: {
    group: { type: 'string' },
    watch: { type: 'boolean', default: false },
    'save-minimum': { type: 'boolean', default: false },
    // Many files to a process, as the fast group has them, for patterns.
    shared: { type: 'boolean', default: false },
    // For one test or hook, however slow the machine. Without it a hook that never ends would hold up the run for good.
    'timeout-ms': { type: 'string', default: '600000' },
  },
})
const { group, watch } = values
const timeoutMs = Number(values['timeout-ms'])
const savesMinimum = values['save-minimum']
if (group !== undefined && !groupNames().includes(group as never))
  throw new Error(`--group=${group}: there are ${groupNames().join(', ')}`)
if (savesMinimum && (patterns.length > 0 || group !== undefined))
  throw new Error('--save-minimum goes with all tests: give neither a group nor a pattern')

removeAbandoned()
const temporary = processDir()
process.env['TMPDIR'] = temporary
if (group === 'fast') process.env['DUETIME_TEST_RUNS'] ??= 'few'
// Stripped and compiled sources are kept from one process to the next: the service starts in little more than half the time.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules', '.cache', 'duetime-tests')

const isWanted = (file: string) => group === undefined || groupOf(relative(ROOT, file)) === group
const files = testFiles(ROOT, patterns.length === 0 ? undefined : patterns).filter(isWanted)
const isShared = (file: string) => values.shared || (patterns.length === 0 && groupOf(relative(ROOT, file)) === 'fast')
// Tests with real processes wait for them, for leases and for brokers half of the time.
const concurrency = availableParallelism() + 1
const entries = watch
  ? new Map<string, readonly string[]>()
  : writeEntries(files.filter(isShared), { directory: temporary, count: 2 * concurrency, timeoutMs })

const tally = new TestTally({ root: ROOT, groupOf, entries })
const stop = new AbortController()
const tests = run({
  cwd: ROOT,
  files: [...files.filter((file) => watch || !isShared(file)), ...entries.keys()],
  watch,
  concurrency,
  timeout: timeoutMs,
  execArgv: ['--conditions=@duetime/source', '--import', HOOK_WATCH],
  signal: stop.signal,
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    process.exitCode = signal === 'SIGINT' ? 130 : 143
    stop.abort()
  })
}
tests.on('test:enqueue', (data) => tally.enqueued(data))
tests.on('test:start', (data) => tally.started(data))
tests.on('test:complete', (data) => tally.completed(data))
tests.on('test:pass', (data) => tally.passed(data))
tests.on('test:fail', (data) => tally.failed(data))
for await (const text of tests.compose(new Spec())) process.stdout.write(text as string)
removeDir(temporary)

if (savesMinimum)
  writeFileSync(join(import.meta.dirname, 'testing', 'minimum.json'), `${JSON.stringify(tally.minimum(), null, 2)}\n`)
const ofRun = Object.entries(minimum).filter(([name]) => group === undefined || name.startsWith(`${group}: `))
const { lines, isSuccess } = tally.verdict({
  minimum: patterns.length === 0 && !savesMinimum && !stop.signal.aborted ? Object.fromEntries(ofRun) : {},
  maySkip: process.env['CI'] !== 'true',
})
console.log([...tally.slowest(SLOWEST_SHOWN), ...lines].join('\n'))
if (!stop.signal.aborted) process.exitCode = isSuccess ? 0 : 1
