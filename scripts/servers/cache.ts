// Where servers are kept once they are fetched or built: below node_modules/.cache, or where DUETIME_SERVERS says, for machines
// with several checkouts and for CI that keeps a folder between runs.

import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const BESIDE_DEPENDENCIES = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'duetime-servers')

/** `key` names the version too: another version is another folder. */
export function cached(key: string, ...names: readonly string[]): string {
  return join(resolve(process.env['DUETIME_SERVERS'] ?? BESIDE_DEPENDENCIES), key, ...names)
}

export function isCached(key: string): boolean {
  return existsSync(cached(key))
}

/** A folder appears when it is complete, and not before: a download that was cut off leaves nothing that looks like a server. */
export async function fillCache(key: string, fill: (directory: string) => Promise<void>): Promise<void> {
  if (isCached(key)) return
  const unfinished = `${cached(key)}.${process.pid}`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  try {
    await fill(unfinished)
    if (!isCached(key)) renameSync(unfinished, cached(key))
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}
