// `duetime backup <to>`: a consistent copy of the SQLite file, also while the service writes to it.

import { loadConfig } from '../../runtime/config/config.ts'
import { databaseFile } from '../../store/database-file.ts'
import type { Flags } from '../command/given-flags.ts'

export async function runBackup({ to, flags }: { readonly to: string; readonly flags: Flags }): Promise<void> {
  const { database } = loadConfig({ flags })
  const file = databaseFile(database)
  if (file === null)
    throw new Error('Only a SQLite database can be copied by this command: name it with --timer-db-path <path>.')
  await file.backUp(to, showProgress)
  process.stdout.write(`${process.stderr.isTTY ? '\n' : ''}Copied ${file.path} to ${to}\n`)
}

/** One line that counts up, for someone who waits; in a script's log it would be noise. */
function showProgress(done: number, total: number): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r${total === 0 ? 100 : Math.floor((done / total) * 100)}% of ${total} pages`)
}
