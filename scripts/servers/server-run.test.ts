import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ServerRun, stateOf } from './server-run.ts'

test('kill -9 of a server ends the processes that it has started, too', async (t) => {
  const run = new ServerRun()
  t.after(() => run.stop())
  // As PostgreSQL: the second one is in a session of its own, and busy with something else when the first one dies.
  const args = ['-c', 'setsid sleep 600 & echo $! > started; wait']
  await run.launch({ command: 'sh', args }, async () => readFileSync(run.path('started'), 'utf8').endsWith('\n'))
  const started = Number(readFileSync(run.path('started'), 'utf8'))
  t.after(() => hasEnded(started) || process.kill(started))
  await run.end('SIGKILL')
  assert.ok(hasEnded(started))
})

const hasEnded = (pid: number) => [null, 'Z', 'X'].includes(stateOf(pid))
