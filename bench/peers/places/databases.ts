// Databases that Duetime and the peers on PostgreSQL use: one PostgreSQL for all, with a new database for each run; a new
// MariaDB or SQLite file for each.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingServer, startServer } from '../../../scripts/servers/servers.ts'
import { BenchPostgres } from '../../harness/postgres.ts'
import { treeCpuMs } from '../../harness/process-usage.ts'
import { bytesUnder } from './place.ts'
import type { Place } from './place.ts'

export async function postgresPlace(log: (text: string) => void): Promise<Place & { stop(): Promise<void> }> {
  const server = await BenchPostgres.start(log)
  return {
    async open() {
      const database = await server.empty()
      const before = server.cpuMs()
      return {
        url: database.url,
        cpuMs: () => server.cpuMs() - before,
        diskBytes: () => database.bytes(),
        residentBytes: () => 0,
        drop: () => Promise.resolve(),
      }
    },
    stop: () => server.stop(),
  }
}

process.env['SERVER_SIZE'] = 'large'

/** Null where it is not installed. */
export function mariadbPlace(): Place | null {
  if (missingServer('mariadb') !== false) return null
  return {
    async open() {
      const server = await startServer('mariadb')
      return {
        url: server.url(),
        cpuMs: () => server.pids.reduce((sum, pid) => sum + treeCpuMs(pid), 0),
        // Its log of changes has a fixed size.
        diskBytes: () => Promise.resolve(bytesUnder(join(server.directory, 'data', 'duetime'))),
        residentBytes: () => 0,
        drop: () => server.stop(),
      }
    },
  }
}

export function sqlitePlace(): Place {
  return {
    open() {
      const directory = mkdtempSync(join(tmpdir(), 'duetime-peers-'))
      return Promise.resolve({
        url: join(directory, 'timers.db'),
        cpuMs: () => 0,
        diskBytes: () => Promise.resolve(bytesUnder(directory)),
        residentBytes: () => 0,
        drop: () => Promise.resolve(rmSync(directory, { recursive: true, force: true })),
      })
    },
  }
}
