// Databases with many stored timers whose time is far away. Filling one takes a while, so each size is made once, by
// adding to the one before, and every run works on a copy.

import { constants, copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { Status } from '../../src/core/timer/timer.ts'
import type { Timer, TimerId } from '../../src/core/timer/timer.ts'
import { TimerKind } from '../../src/core/timer/timer-kind.ts'
import { sampleTimer } from '../../src/store/conformance/sample-timer.ts'
import { openForWriting } from '../../src/store/sqlite/file/connection.ts'
import { SQLITE } from '../../src/store/sqlite/dialect.ts'
import { insertTimer, rowValues } from '../../src/store/sql/timer-sql.ts'
import { countName, COUNTS } from '../../src/store/counters.ts'
import { ADD_ON_CONFLICT, insertCounter } from '../../src/store/sql/counter-sql.ts'

const SHARD = 0
const FILL_STEP = 20_000
const FILL_CACHE_MIB = 1_024 // a million timers and their indexes fit
const DAY_MS = 86_400_000
const YEAR: DueSpread = { afterDays: 2, days: 363 }

export class StoredTimers {
  readonly #directory: string
  readonly #log: (text: string) => void
  readonly #master: string
  readonly #snapshots = new Map<number, string>()
  #stored = 0
  #copies = 0

  constructor(directory: string, log: (text: string) => void) {
    this.#directory = directory
    this.#log = log
    this.#master = join(directory, 'master.db')
  }

  async copy(timers: number): Promise<string> {
    const path = join(this.#folder(), `${++this.#copies}.db`)
    if (timers > 0) copyFileSync(await this.#snapshot(timers), path, constants.COPYFILE_FICLONE)
    return path
  }

  removeCopies(): void {
    rmSync(join(this.#directory, 'copies'), { recursive: true, force: true })
  }

  #folder(): string {
    const folder = join(this.#directory, 'copies')
    mkdirSync(folder, { recursive: true })
    return folder
  }

  async #snapshot(timers: number): Promise<string> {
    const known = this.#snapshots.get(timers)
    if (known !== undefined) return known
    const startedAt = performance.now()
    // Sizes are asked for in ascending order by and large; a smaller one later starts from nothing.
    if (this.#stored > timers) this.#startAgain()
    await this.#growTo(timers)
    const path = join(this.#directory, `${timers}.db`)
    copyFileSync(this.#master, path, constants.COPYFILE_FICLONE)
    this.#snapshots.set(timers, path)
    const seconds = (performance.now() - startedAt) / 1_000
    this.#log(
      `stored ${timers.toLocaleString('en-US')} timers in ${seconds.toFixed(0)} s (${(statSync(path).size / 2 ** 20).toFixed(0)} MiB)`,
    )
    return path
  }

  /** In one transaction, without waiting for the disk: each page is written once, however many timers land on it. */
  async #growTo(timers: number): Promise<void> {
    const db = openForWriting({ path: this.#master, cacheMiB: FILL_CACHE_MIB })
    try {
      db.exec('PRAGMA synchronous = OFF; BEGIN')
      const insert = db.prepare(insertTimer(SQLITE))
      const counts = db.prepare(insertCounter(SQLITE) + ADD_ON_CONFLICT)
      while (this.#stored < timers) {
        const some = farTimers(this.#stored, Math.min(FILL_STEP, timers - this.#stored))
        for (const timer of some) insert.run(...rowValues(timer, SHARD))
        counts.run(some[0]!.namespace, COUNTS, countName(Status.pending, TimerKind.once), some.length)
        this.#stored += some.length
        await turn() // so that the bench can be interrupted
      }
      db.exec('COMMIT')
    } finally {
      db.close()
    }
    checkpoint(this.#master)
  }

  #startAgain(): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.#master + suffix, { force: true })
    this.#stored = 0
  }
}

/** Everything that the write-ahead log holds goes into the file. */
export function checkpoint(path: string): void {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

/** Due after so many days and spread at random over so many more. */
export type DueSpread = { readonly afterDays: number; readonly days: number }

/** In random order of time, as timers are created in life: a sorted load would pack the pages better than any service can. */
export function farTimers(from: number, count: number, { afterDays, days }: DueSpread = YEAR): Timer[] {
  const now = Date.now()
  return Array.from({ length: count }, (_, index) => {
    const dueAt = now + Math.floor((afterDays + Math.random() * days) * DAY_MS)
    const id = `far-${String(from + index).padStart(16, '0')}` as TimerId
    const url = 'http://127.0.0.1:9/hooks/order/reminders'
    return sampleTimer({
      id,
      dueAt,
      wakeAt: dueAt,
      target: { type: 'http', url, headers: null },
      createdAt: now,
      updatedAt: now,
    })
  })
}
