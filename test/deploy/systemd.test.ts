// The unit for systemd, held against the program and against systemd itself.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cannotBeHad } from '../../scripts/testing/cannot-be-had.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'

const UNIT = join(import.meta.dirname, '..', '..', 'deploy', 'systemd', 'duetime.service')
const GIVES_UP_AFTER_MS = 5_000 // see docs/operations: stop, restart, crash
const unit = readFileSync(UNIT, 'utf8')
const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1]!

const analyze = (...args: readonly string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' })
const skip = analyze('--version').status === 0 ? false : cannotBeHad('systemd-analyze')

test('the service has the time that a stop may take before systemd kills it', () => {
  const { shutdownGraceMs } = loadConfig({ env: {} })
  assert.ok(Number(setting('TimeoutStopSec')) * 1_000 > 2 * shutdownGraceMs + GIVES_UP_AFTER_MS)
})

test('the database is where the service may write', () => {
  assert.equal(setting('WorkingDirectory'), `/var/lib/${setting('StateDirectory')}`)
  const { database } = loadConfig({ env: {} })
  assert.ok(database.type === 'sqlite' && database.path.startsWith('./'), 'relative to the working directory')
})

test('systemd knows every setting of the unit', { skip }, () => {
  const { stderr } = analyze('verify', '--recursive-errors=no', UNIT)
  const faults = stderr
    .split('\n')
    .filter((line) => line.includes('duetime.service') && !/is not executable/.test(line))
  assert.deepEqual(faults, [])
})

test('systemd finds the exposure of the service low', { skip }, () => {
  const { stdout } = analyze('security', '--offline=true', '--no-pager', UNIT)
  const [, exposure] = /Overall exposure level .*: ([\d.]+) /.exec(stdout)!
  assert.ok(Number(exposure) < 2, stdout)
})
