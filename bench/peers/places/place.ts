// Where a system keeps its timers: servers of the comparison's own, on loopback, with durable settings. What is acknowledged
// is on the disk. One file per kind beside this one.

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../system.ts'

/** A database for one run of one system. */
export type Database = {
  readonly url: string
  /** CPU time so far of the processes behind it; the program's own is not part of it. */
  cpuMs(): number
  diskBytes(): Promise<number>
  /** Of the service or server that belongs to this system; 0 where others share it, and where there is none. */
  residentBytes(): number
  /** Ends the service with SIGKILL and starts it again at the same address; resolves when it is ready. */
  killAndRestart?(): Promise<void>
  /** Goes away, with everything in it. */
  drop(): Promise<void>
}

export type Place = { open(settings: Settings): Promise<Database> }

export function bytesUnder(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
