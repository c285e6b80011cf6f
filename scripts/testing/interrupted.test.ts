// A run that is interrupted leaves nothing behind: no directory, no server, no process. One that is killed cannot clean up,
// so the next run does.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { cleanUp } from '../../test/support/cleanup.ts'
import { eventually } from '../../test/support/eventually.ts'
import { tempDir } from '../../test/support/temp-dir.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const RUNNER = join(ROOT, 'scripts', 'run-tests.ts')

/** A test that starts a server, a service and a broker's worth of files, says so, and never ends. */
function endless(startedFile: string): string {
  const url = (path: string) => JSON.stringify(pathToFileURL(join(ROOT, path)).href)
  return `
    import { renameSync, writeFileSync } from 'node:fs'
    import { test } from 'node:test'
    import { PostgresServer } from ${url('src/store/postgres/postgres-server.fixture.ts')}
    import { startService } from ${url('test/support/service.ts')}
    import { tempDir } from ${url('test/support/temp-dir.ts')}
    test('never ends', async (t) => {
      const postgres = await PostgresServer.start()
      const [{ pid }] = await postgres.sql("SELECT split_part(pg_read_file('postmaster.pid'), E'\\\\n', 1)::int AS pid")
      const service = await startService(t, { cwd: tempDir(t) })
      const started = ${JSON.stringify(startedFile)}
      writeFileSync(started + '.new', JSON.stringify([process.pid, pid, service.pid]))
      renameSync(started + '.new', started)
      await new Promise(() => setInterval(() => {}, 60_000))
    })`
}

type Begun = {
  readonly runner: ChildProcess
  /** Of the test's process, the server and the service. */
  readonly pids: readonly number[]
  readonly temporary: string
}

async function begin(t: TestContext): Promise<Begun> {
  const folder = tempDir(t)
  const temporary = tempDir(t)
  const startedFile = join(folder, 'started.json')
  writeFileSync(join(folder, 'endless.test.ts'), endless(startedFile))
  const runner = spawnRunner(t, { temporary, file: join(folder, 'endless.test.ts') })
  const pids = await eventually('the test has begun', () => JSON.parse(readFileSync(startedFile, 'utf8')) as number[])
  cleanUp(t, () => pids.filter(isRunning).forEach((pid) => process.kill(pid, 'SIGKILL')))
  assert.equal(pids.every(isRunning), true)
  assert.equal(readdirSync(temporary).length, 1, 'all is in one directory')
  return { runner, pids, temporary }
}

function spawnRunner(t: TestContext, { temporary, file }: { temporary: string; file: string }): ChildProcess {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const child = spawn(process.execPath, [RUNNER, file], {
    env: { ...inherited, TMPDIR: temporary },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  cleanUp(t, () => child.kill('SIGKILL'))
  return child
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`a run that gets ${signal} leaves nothing behind`, async (t) => {
    const { runner, pids, temporary } = await begin(t)
    const ended = once(runner, 'exit')
    runner.kill(signal)
    assert.deepEqual(await ended, [signal === 'SIGINT' ? 130 : 143, null])
    assert.deepEqual(readdirSync(temporary, { recursive: true }), [])
    await eventually('all processes are gone', () => !pids.some(isRunning))
  })
}

test('what a run that was killed has left behind is removed by the next one, servers included', async (t) => {
  const { runner, pids, temporary } = await begin(t)
  const [testPid, ...startedPids] = pids as [number, ...number[]]
  const ended = once(runner, 'exit')
  runner.kill('SIGKILL')
  await ended
  process.kill(testPid, 'SIGKILL')
  assert.equal(readdirSync(temporary).length, 1)

  const passing = join(tempDir(t), 'passing.test.ts')
  writeFileSync(passing, "import { test } from 'node:test'\ntest('passes', () => {})\n")
  const next = spawnRunner(t, { temporary, file: passing })
  assert.deepEqual(await once(next, 'exit'), [0, null])
  assert.deepEqual(readdirSync(temporary, { recursive: true }), [])
  const [postgresPid] = startedPids
  await eventually('the server is gone', () => !isRunning(postgresPid!))
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
