// Directories for tests. Each is gone when its test, or at the latest its process, is over. One that a process left
// behind because it was killed has the process's id in its name, and the next run of the tests removes it.

import { chmodSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { cleanUp } from './cleanup.ts'

const PREFIX = 'duetime-test-'
const OWNED = /^duetime-test-(?<pid>\d+)-/
const TRIES_MAX = 200
const TRY_AGAIN_MS = 50

const directories = new Set<string>()
process.once('exit', () => {
  for (const directory of directories) removeDir(directory)
})

/** Gone when the test is over. */
export function tempDir(t: TestContext): string {
  const directory = processDir()
  cleanUp(t, () => removeDir(directory))
  return directory
}

/** Gone when the process is over. Everybody may enter it: PostgreSQL runs as another user where tests run as root. */
export function processDir(): string {
  const directory = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
  chmodSync(directory, 0o755)
  directories.add(directory)
  return directory
}

/** A process that is still ending may write a last file while its directory is removed, hence more than one try. */
export function removeDir(directory: string): void {
  directories.delete(directory)
  stopServers(directory)
  for (let tries = 1; existsSync(directory); tries++) {
    try {
      rmSync(directory, { recursive: true, force: true })
    } catch (error) {
      if (tries === TRIES_MAX) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_AGAIN_MS)
    }
  }
}

/** Removes what processes that are gone have left behind in the temporary folder. */
export function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = OWNED.exec(name)?.groups?.['pid']
    if (pid === undefined || isRunning(Number(pid))) continue
    try {
      removeDir(join(tmpdir(), name))
    } catch {
      // It belongs to somebody else on this machine.
    }
  }
}

/** PostgreSQL outlives a test process that was killed. */
function stopServers(directory: string): void {
  for (const path of globSync(join(directory, '{,*/}data/postmaster.pid'))) {
    const pid = Number(readFileSync(path, 'utf8').split('\n')[0])
    if (!runsIn(pid, dirname(path))) continue
    process.kill(pid, 'SIGQUIT')
  }
}

/** The id may be that of another process by now. Without /proc nobody knows; the server then sees that its files are gone. */
function runsIn(pid: number, directory: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === directory
  } catch {
    return false
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
