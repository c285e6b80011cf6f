// Other versions of Node, as npm has them, fetched once into a folder that stays.

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { npmInstall, ROOT } from './packed.ts'

const CACHE = join(ROOT, 'node_modules', '.cache', 'duetime-nodes')

/** The path of its program; null where npm's registry cannot be reached. */
export async function nodeOf(version: string): Promise<string | null> {
  if (process.versions.node === version) return process.execPath
  const place = join(CACHE, version)
  const program = join(place, 'node_modules', 'node', 'bin', 'node')
  if (existsSync(program)) return program
  mkdirSync(CACHE, { recursive: true })
  const unfinished = mkdtempSync(`${place}-`)
  try {
    await npmInstall(unfinished, `node@${version}`)
    renameSync(unfinished, place)
  } catch (error) {
    if (!/\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/.test(String(error))) throw error
    return null
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return program
}
