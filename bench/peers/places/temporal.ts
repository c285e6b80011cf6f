// Temporal's development server: all of its services in one process, on SQLite.

import { join } from 'node:path'
import { Connection } from '@temporalio/client'
import { missingTools, toolPath } from '../../../scripts/tools/tools.ts'
import { ownServerPlace } from './own-server.ts'
import type { Place } from './place.ts'

/** It refuses more than so many requests a second as installed. */
const QUOTAS = [
  'frontend.rps',
  'frontend.namespaceRPS',
  'frontend.namespaceRPS.visibility',
  'history.rps',
  'matching.rps',
]
const QUOTA = 100_000

/** Null where it is not installed. */
export function temporalPlace(): Place | null {
  if (missingTools('temporal') !== null) return null
  return ownServerPlace({
    command: toolPath('temporal'),
    scheme: 'temporal',
    args: ({ port, otherPort, directory, settings }) => [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--http-port', String(otherPort)],
      ...['--headless', '--log-level', 'error', '--db-filename', join(directory, 'temporal.db')],
      // As installed it has SQLite's defaults: a rollback journal, which is synced as a write-ahead log is.
      ...(settings === 'tuned' ? ['--sqlite-pragma', 'journal_mode=WAL'] : []),
      ...QUOTAS.flatMap((name) => ['--dynamic-config-value', `${name}=${QUOTA}`]),
    ],
    answers,
  })
}

/** Its namespace is made a moment after the port is open. */
async function answers(port: number): Promise<boolean> {
  const connection = await Connection.connect({ address: `127.0.0.1:${port}`, connectTimeout: 1_000 })
  try {
    await connection.workflowService.describeNamespace({ namespace: 'default' })
    return true
  } finally {
    await connection.close()
  }
}
