// Writes every timer of a store into a file, page by page. Whoever calls sees to it that nothing moves meanwhile: a
// timer that changes its place in the order could be met twice, or not at all.

import { open, rename, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../../runtime/clock.ts'
import { VERSION } from '../../runtime/version.ts'
import type { ListCursor, Store } from '../../store/store.ts'
import { endLine, headerLine, timerLine } from './timer-file.ts'
import { TransferError } from './transfer-error.ts'

/** All that an export needs of a store. */
export type TimerSource = Pick<Store, 'list' | 'stats'> & { readonly capabilities: { readonly name: string } }

export type ExportOptions = {
  readonly source: TimerSource
  /** Must not exist. Appears under this name when it is complete. */
  readonly path: string
  readonly clock: Clock
  readonly onProgress?: (done: number, total: number) => void
  readonly signal?: AbortSignal
}

const PAGE_TIMERS = 100 // 25 MiB where each has the largest payload of the default settings
const SECRET_MODE = 0o600 // payloads and headers of callbacks are in it

/** How many timers were written. */
export async function exportTimers(options: ExportOptions): Promise<number> {
  const { path } = options
  const partial = `${path}.partial`
  // Reserves the name; fails with EEXIST when it is taken.
  await (await open(path, 'wx', SECRET_MODE)).close()
  try {
    const file = await open(partial, 'w', SECRET_MODE)
    let timers: number
    try {
      timers = await write(file, options)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(partial, path)
    await syncDirectory(dirname(path))
    return timers
  } catch (error) {
    await rm(partial, { force: true })
    await rm(path, { force: true })
    throw error
  }
}

async function write(file: FileHandle, { source, clock, onProgress, signal }: ExportOptions): Promise<number> {
  const total = (await source.stats()).counts.reduce((sum, { count }) => sum + count, 0)
  const exportedAt = Temporal.Instant.fromEpochMilliseconds(clock.now()).toString()
  await file.appendFile(headerLine({ program: VERSION, source: source.capabilities.name, exportedAt, timers: total }))
  let done = 0
  let after: ListCursor | null = null
  do {
    if (signal?.aborted) throw new TransferError('The export was stopped; nothing is left of it.')
    const page: Awaited<ReturnType<TimerSource['list']>> = await source.list({ filter: {}, after, limit: PAGE_TIMERS })
    if (page.timers.length > 0) await file.appendFile(page.timers.map(timerLine).join(''))
    done += page.timers.length
    onProgress?.(done, Math.max(done, total))
    after = page.next
  } while (after !== null)
  await file.appendFile(endLine(done))
  return done
}

/** Otherwise a power loss could take the new name with it. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory)
  await handle.sync()
}
