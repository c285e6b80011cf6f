// Every test, as `npm test` runs them: one process per file, at least two at a time. Node's own default is one less than
// there are cores, which on a machine with two leaves one of them idle while a test waits.
//
//   node scripts/run-tests.ts [pattern…]

import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

const ALL = ['{src,sdks,test,scripts,bench}/**/*.test.ts']

const atOnce = Math.max(2, availableParallelism() - 1)
const given = process.argv.slice(2)
const args = ['--test', '--test-reporter=spec', `--test-concurrency=${atOnce}`, ...(given.length > 0 ? given : ALL)]
const tests = spawn(process.execPath, args, { cwd: join(import.meta.dirname, '..'), stdio: 'inherit' })
tests.on('exit', (code) => (process.exitCode = code ?? 1))
