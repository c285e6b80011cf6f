// kill -9 of the service on each engine; see ../support/crash/crash-run.ts. A new life waits until the lease of the one before
// is over, so there are few of them.
//
//   ENGINE=dynamodb SEED=123 ROUNDS=20 node --test test/engines/crash.test.ts

import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { crashAgainAndAgain } from '../support/crash/crash-run.ts'
import { tempDir } from '../support/temp-dir.ts'
import { onEngines } from './engines.ts'

const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 31))
const ROUNDS = Number(process.env['ROUNDS'] ?? 4)

onEngines('crash', ({ leaseMs }, server) => {
  test('what was acknowledged comes true, whatever is killed when', { timeout: 600_000 }, async (t) => {
    const env = { ...server().environment(), SHARDS: '8', LEASE: `${leaseMs}ms` }
    const lifeMs = [leaseMs / 2, 2 * leaseMs] as const
    await crashAgainAndAgain(t, { cwd: tempDir(t), env, seed: SEED, rounds: ROUNDS, lifeMs })
  })
})
