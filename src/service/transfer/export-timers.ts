// Writes every timer of a store into a file, page by page. Whoever calls sees to it that nothing moves meanwhile: a
// timer that changes its place in the order could be met twice, or not at all. An export that is cut off goes on when it
// is run again, as long as nothing has changed in the store.

import { access, open, rename, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../../runtime/clock/clock.ts'
import { VERSION } from '../../runtime/version.ts'
import { NEVER, Status } from '../../core/timer/timer.ts'
import type { TimerUuid } from '../../core/timer/timer.ts'
import { CALENDARS_NAMESPACE } from '../../engine/calendars/node-calendars.ts'
import type { ListCursor, ListPage, Store } from '../../store/store.ts'
import { forgetProgress, partialOf, readProgress, writeProgress } from './export-progress.ts'
import type { ExportProgress, Stillness } from './export-progress.ts'
import { endLine, headerLine, timerLine } from './timer-file.ts'
import { TransferError } from './transfer-error.ts'

/** All that an export needs of a store. */
export type TimerSource = Pick<Store, 'list' | 'stats'> & { readonly capabilities: { readonly name: string } }

export type ExportOptions = {
  readonly source: TimerSource
  /** Null: whether the store has changed cannot be told, so an export that is cut off begins anew. */
  readonly stillness?: Stillness | null
  /** Must not exist. Appears under this name when it is complete. */
  readonly path: string
  readonly clock: Clock
  readonly onProgress?: (done: number, total: number) => void
  readonly signal?: AbortSignal
}

export type ExportResult = {
  readonly timers: number
  /** How many of them an earlier run had written. */
  readonly resumedAt: number
}

const PAGE_TIMERS = 100 // fewer where they are large: the store ends a page at PAGE_BYTES_MAX
const PAGES_PER_NOTE = 100 // a note costs two syncs; this much work is repeated after a power loss
/** Such rows never come due, so they are at the end of the live ones. */
const BEFORE_PAUSED: ListCursor = { finished: false, wakeAt: NEVER - 1, uuid: 'f'.repeat(32) as TimerUuid }
const SECRET_MODE = 0o600 // payloads and headers of callbacks are in it

export async function exportTimers(options: ExportOptions): Promise<ExportResult> {
  const { path, stillness = null } = options
  await assertFree(path)
  const earlier = await readProgress(path, stillness)
  const partial = partialOf(path)
  const file = await open(partial, earlier === null ? 'w' : 'r+', SECRET_MODE)
  const writing = new Writing(file, options, earlier)
  try {
    const timers = await writing.run()
    await file.close()
    // Reserves the name, so that a file that appeared meanwhile is not overwritten.
    await (await open(path, 'wx', SECRET_MODE)).close()
    await rename(partial, path)
    await forgetProgress(path)
    await syncDirectory(dirname(path))
    return { timers, resumedAt: earlier?.done ?? 0 }
  } catch (error) {
    const isKept = await writing.keep().catch(() => false)
    await file.close().catch(() => {})
    if (isKept) throw new TransferError(`${(error as Error).message}\n${AGAIN}`, { cause: error })
    await forgetProgress(path)
    await rm(partial, { force: true })
    throw error
  }
}

const AGAIN = 'Run the same command again to go on from there, as long as no service is started on the database.'

async function assertFree(path: string): Promise<void> {
  const isTaken = await access(path).then(
    () => true,
    () => false,
  )
  if (isTaken) throw Object.assign(new Error(`EEXIST: file already exists, open '${path}'`), { code: 'EEXIST' })
}

class Writing {
  readonly #file: FileHandle
  readonly #options: ExportOptions
  #total: number
  #done: number
  #bytes: number
  /** Where it could go on: after a page that is followed by another. */
  #place: Pick<ExportProgress, 'after' | 'done' | 'bytes'> | null

  constructor(file: FileHandle, options: ExportOptions, earlier: ExportProgress | null) {
    this.#file = file
    this.#options = options
    this.#total = earlier?.total ?? 0
    this.#done = earlier?.done ?? 0
    this.#bytes = earlier?.bytes ?? 0
    this.#place = earlier
  }

  /** How many timers the file has. */
  async run(): Promise<number> {
    const { source, onProgress, signal } = this.#options
    if (this.#place === null) await this.#begin()
    else await this.#file.truncate(this.#bytes)
    for (let pages = 1; ; pages++) {
      if (signal?.aborted)
        throw new TransferError(`The export was stopped after ${this.#done} of ${this.#total} timers.`)
      const page: Awaited<ReturnType<TimerSource['list']>> = await source.list({
        filter: {},
        after: this.#place?.after ?? null,
        limit: PAGE_TIMERS,
      })
      await this.#append(page.timers.map(timerLine).join(''))
      this.#done += page.timers.length
      onProgress?.(this.#done, Math.max(this.#done, this.#total))
      if (page.next === null) break
      this.#place = { after: page.next, done: this.#done, bytes: this.#bytes }
      if (pages % PAGES_PER_NOTE === 0) await this.keep()
    }
    const timers = this.#done
    await this.#appendCalendars()
    await this.#append(endLine(this.#done))
    await this.#file.sync()
    return timers
  }

  /** The rows that hold them are not among the timers; there are few, so that a cut-off export writes them anew. */
  async #appendCalendars(): Promise<void> {
    const filter = { namespace: CALENDARS_NAMESPACE, statuses: [Status.paused] }
    for (let after: ListCursor | null = BEFORE_PAUSED; after !== null;) {
      const page: ListPage = await this.#options.source.list({ filter, after, limit: PAGE_TIMERS })
      await this.#append(page.timers.map(timerLine).join(''))
      this.#done += page.timers.length
      after = page.next
    }
  }

  /** Notes how far it has come; false when that would be of no use. */
  async keep(): Promise<boolean> {
    const { stillness = null, path } = this.#options
    if (stillness === null || this.#place === null) return false
    await this.#file.sync()
    const { after, done, bytes } = this.#place
    await writeProgress(path, { pid: process.pid, left: stillness.left, total: this.#total, done, bytes, after })
    return true
  }

  async #begin(): Promise<void> {
    const { source, clock } = this.#options
    this.#total = (await source.stats()).counts.reduce((sum, { count }) => sum + count, 0)
    const exportedAt = Temporal.Instant.fromEpochMilliseconds(clock.now()).toString()
    await this.#append(
      headerLine({ program: VERSION, source: source.capabilities.name, exportedAt, timers: this.#total }),
    )
  }

  /** A page that was written in part is not counted, and so is written again. */
  async #append(text: string): Promise<void> {
    if (text === '') return
    const data = Buffer.from(text)
    for (let sent = 0; sent < data.length;) {
      const { bytesWritten } = await this.#file.write(data, sent, data.length - sent, this.#bytes + sent)
      sent += bytesWritten
    }
    this.#bytes += data.length
  }
}

/** Otherwise a power loss could take the new name with it. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory)
  await handle.sync()
}
