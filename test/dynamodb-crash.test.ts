// kill -9 of the service on DynamoDB Local; see support/crash/crash-run.ts. A new life waits until the lease of the one before
// is over, so there are few of them.
//
//   SEED=123 ROUNDS=20 node --test test/dynamodb-crash.test.ts

import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { onServer } from '../scripts/servers/server.fixture.ts'
import { CREDENTIALS } from '../src/store/dynamodb/dynamodb-server.fixture.ts'
import { crashAgainAndAgain } from './support/crash/crash-run.ts'
import { tempDir } from './support/temp-dir.ts'

const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 31))
const ROUNDS = Number(process.env['ROUNDS'] ?? 5)

onServer('dynamodb', (server) => {
  test('on DynamoDB, what was acknowledged comes true, whatever is killed when', { timeout: 600_000 }, async (t) => {
    const env = { ...CREDENTIALS, DATABASE_URL: server().url('crash'), SHARDS: '8', LEASE: '4s' }
    await crashAgainAndAgain(t, { cwd: tempDir(t), env, seed: SEED, rounds: ROUNDS, lifeMs: [2_000, 8_000] })
  })
})
