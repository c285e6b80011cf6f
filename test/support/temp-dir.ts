// A directory of the test's own, gone when the test is over.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { cleanUp } from './cleanup.ts'

export function tempDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'duetime-test-'))
  cleanUp(t, () => rmSync(dir, { recursive: true, force: true }))
  return dir
}
