// `npm start` as people and supervisors stop it: Ctrl-C and a signal to the process group reach the server and npm, a
// signal to npm alone reaches npm only. Each ends the server in order.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { cleanUp } from './support/cleanup.ts'
import { ROOT } from './support/packed.ts'
import { tempDir } from './support/temp-dir.ts'

/** The server may outlive npm, so it is the group that has to be gone. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  for (const to of ['npm', 'the process group'] as const) {
    test(`${signal} to ${to} ends the server in order`, async (t) => {
      const database = join(tempDir(t), 'timers.db')
      const env = { ...process.env, PORT: '0', LOG_FORMAT: 'json', DATABASE_URL: `sqlite:${database}` }
      const npm = spawn('npm', ['start', '--silent'], {
        cwd: ROOT,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      cleanUp(t, () => killGroup(npm.pid!))
      const messages: unknown[] = []
      // The pipe is the server's too: it closes when both are gone.
      const closed = once(npm, 'close') as Promise<[number | null, string | null]>
      for await (const line of createInterface(npm.stdout)) {
        messages.push((JSON.parse(line) as { msg: unknown }).msg)
        if (messages.at(-1) === 'listening') process.kill(to === 'npm' ? npm.pid! : -npm.pid!, signal)
      }
      await closed
      assert.equal(messages.at(-1), 'engine stopped', messages.join('\n'))
      assert.ok(!existsSync(`${database}-wal`), 'the database was closed')
    })
  }
}
