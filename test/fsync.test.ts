// Durable before acknowledged, seen from outside: strace counts how often the service asks the disk to keep what was written. It
// stops a thread at the end of each such call and notes it before the thread goes on, so what an answer follows is in the
// file when the answer is there.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { programPath } from '../scripts/servers/install/command.ts'
import { Client } from './support/client.ts'
import { startService } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts')
const FAR = '2040-01-01T00:00:00.000Z'
const HOOK = 'http://127.0.0.1:9/'
/** On two lines where another thread synced something meanwhile. */
const SYNC_OF_THE_LOG = /(?:\bf(?:data)?sync\(\d+<[^>]*timers\.db-wal>|<\.\.\. f(?:data)?sync resumed>)\) += 0/g

const skip =
  programPath('strace') === null && process.env['CI'] !== 'true' && 'strace is not installed (apt-get install strace)'

test('no create, update or cancel is answered before the log of SQLite is synced', { skip }, async (t) => {
  const { client, syncs } = await traced(t)
  for (let n = 0; n < 10; n++) {
    const name = { timerId: `order-${n}` }
    for (const change of [
      () => client.create({ id: name.timerId, executeAt: FAR, callbackUrl: HOOK }),
      () => client.update(name, { executeAt: '2041-01-01T00:00:00.000Z' }),
      () => client.cancel(name),
    ]) {
      const before = syncs()
      assert.equal((await change()).type, 'ok')
      assert.ok(syncs() > before, `${syncs()} syncs after the answer, ${before} before the request`)
    }
  }
})

test('creates that come together are synced together, and none is answered before', { skip }, async (t) => {
  const { client, syncs } = await traced(t)
  const together = 200
  const before = syncs()
  const answers = await Promise.all(
    Array.from({ length: together }, (_, n) => client.create({ id: `order-${n}`, executeAt: FAR, callbackUrl: HOOK })),
  )
  assert.ok(answers.every(({ type }) => type === 'ok'))
  const made = syncs() - before
  assert.ok(made > 0 && made < together, `${made} syncs for ${together} creates`)
})

/** `-D`: the service is our own child, and strace ends with it. */
async function traced(t: TestContext): Promise<{ readonly client: Client; readonly syncs: () => number }> {
  const cwd = tempDir(t)
  const calls = join(cwd, 'calls')
  const service = await startService(t, {
    cwd,
    env: { TIMER_DB_PATH: 'timers.db' },
    program: [
      ...([programPath('strace')!, '-D', '-f', '-y', '-e', 'trace=fsync,fdatasync', '-e', 'signal=none'] as const),
      ...['-o', calls, process.execPath, MAIN],
    ],
  })
  return {
    client: new Client(() => service),
    syncs: () => readFileSync(calls, 'utf8').match(SYNC_OF_THE_LOG)?.length ?? 0,
  }
}
