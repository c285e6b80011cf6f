// kill -9 of the service on SQLite, again and again; see support/crash/crash-run.ts.
//
//   SEED=123 ROUNDS=200 node --test test/crash.test.ts

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { crashAgainAndAgain } from './support/crash/crash-run.ts'
import { tempDir } from './support/temp-dir.ts'

const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 31))
const ROUNDS = Number(process.env['ROUNDS'] ?? 50)

test('what was acknowledged comes true, whatever is killed when', { timeout: 300_000 + ROUNDS * 12_000 }, async (t) => {
  const cwd = tempDir(t)
  await crashAgainAndAgain(t, { cwd, env: { TIMER_DB_PATH: 'timers.db' }, seed: SEED, rounds: ROUNDS })
  assert.equal(integrityOf(join(cwd, 'timers.db')), 'ok')
})

function integrityOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database.prepare('PRAGMA integrity_check').get()?.['integrity_check']
  } finally {
    database.close()
  }
}
