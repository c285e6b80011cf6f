// A path for a test's database, in a directory that goes away with the test process.

import { join } from 'node:path'
import { processDir } from '../../../../test/support/temp-dir.ts'

export function temporaryFile(name = 'timers.db'): string {
  return join(processDir(), name)
}
