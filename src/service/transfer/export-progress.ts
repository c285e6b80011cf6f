// How far an export has come, in a small file beside the one it writes, so that one that was cut off goes on from there.
// It may go on only if nothing has changed in the store meanwhile: timers that changed could have moved to a part that was
// read before, and would be missing.

import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { ListCursor } from '../../store/store.ts'
import { TransferError } from './transfer-error.ts'

/** How a store can tell that nobody has written to it between two exports. */
export type Stillness = {
  /** What it was like when this export began. */
  readonly found: string
  /** What the next one will find if nobody writes to it. */
  readonly left: string
}

export type ExportProgress = {
  readonly pid: number
  /** Of the store; see Stillness. */
  readonly left: string
  readonly total: number
  readonly done: number
  /** How much of the file counts: what was written after that is written again. */
  readonly bytes: number
  readonly after: ListCursor
}

export function partialOf(path: string): string {
  return `${path}.partial`
}

function progressOf(path: string): string {
  return `${path}.progress`
}

/** Null when there is none that can be gone on from. Throws a TransferError when another process is writing. */
export async function readProgress(path: string, stillness: Stillness | null): Promise<ExportProgress | null> {
  let progress: ExportProgress
  try {
    progress = JSON.parse(await readFile(progressOf(path), 'utf8')) as ExportProgress
  } catch {
    return null
  }
  if (progress.pid !== process.pid && isRunning(progress.pid)) {
    throw new TransferError(
      `Process ${progress.pid} is writing ${path}. If it is not an export, delete ${progressOf(path)}.`,
    )
  }
  return stillness !== null && progress.left === stillness.found ? progress : null
}

/** What it says about the file must be on disk already. */
export async function writeProgress(path: string, progress: ExportProgress): Promise<void> {
  const beside = `${progressOf(path)}.new`
  await writeFile(beside, JSON.stringify(progress), { mode: 0o600, flush: true })
  await rename(beside, progressOf(path))
}

export async function forgetProgress(path: string): Promise<void> {
  await rm(progressOf(path), { force: true })
  await rm(`${progressOf(path)}.new`, { force: true })
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
