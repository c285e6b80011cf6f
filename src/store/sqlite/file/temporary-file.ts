// A path for a test's database, in a directory that goes away with the test process. Used by tests only.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const directories: string[] = []
process.once('exit', () => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

export function temporaryFile(name = 'timers.db'): string {
  return join(temporaryDirectory(), name)
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'duetime-'))
  directories.push(directory)
  return directory
}
