// Whether anything was written to a database file since somebody last looked: every commit writes to the file or to the
// log beside it, and the file system notes when.

import { statSync } from 'node:fs'

/** File systems note times in steps of some milliseconds; two writes so far apart never look like one. */
const QUIET_MS = 2_000

/** The same text twice: nothing was written in between. Null while it is being written to. */
export function fileState(path: string, now: number): string | null {
  const files = [path, `${path}-wal`].map((name) => statSync(name, { bigint: true, throwIfNoEntry: false }))
  // Whoever only reads may leave an empty log behind.
  const written = files.map((stats) => (stats === undefined || stats.size === 0n ? null : stats))
  if (written.some((stats) => stats !== null && now - Number(stats.mtimeMs) < QUIET_MS)) return null
  return written.map((stats) => (stats === null ? '-' : `${stats.ino}:${stats.size}:${stats.mtimeNs}`)).join(' ')
}
