// Databases with many stored timers whose time is far away. Filling one takes a while, so each size is made once, by
// adding to the one before, and every run works on a copy.

import { constants, copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Epoch, Millis, ShardId, TimerId } from '../../src/core/timer.ts'
import { sampleTimer } from '../../src/store/sample-timer.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Put } from '../../src/store/store.ts'

const SHARD = 0 as ShardId
const PUTS_PER_COMMIT = 5_000
const DAY_MS = 86_400_000
const NEAREST_MS = 2 * DAY_MS
const SPREAD_MS = 363 * DAY_MS

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
    this.#log(`stored ${timers.toLocaleString('en-US')} timers in ${seconds.toFixed(0)} s (${(statSync(path).size / 2 ** 20).toFixed(0)} MiB)`)
    return path
  }

  async #growTo(timers: number): Promise<void> {
    const store = await openSqliteStore({ path: this.#master })
    try {
      const expected = (await store.shards())[0]?.epoch ?? (0 as Epoch)
      const epoch = await store.claim({ shard: SHARD, expected, owner: 'bench', leaseUntil: Date.now() + DAY_MS })
      if (epoch === null) throw new Error('could not claim the shard of a database that nobody else uses')
      while (this.#stored < timers) {
        const puts = farPuts(this.#stored, Math.min(PUTS_PER_COMMIT, timers - this.#stored), Date.now())
        await store.commit([{ shard: SHARD, epoch, puts }])
        this.#stored += puts.length
      }
      await store.release({ shard: SHARD, epoch })
    } finally {
      await store.close()
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

/** In random order of time, as timers are created in life: a sorted load would pack the pages better than any service can. */
export function farPuts(from: number, count: number, now: Millis): Put[] {
  return Array.from({ length: count }, (_, index) => {
    const dueAt = now + NEAREST_MS + Math.floor(Math.random() * SPREAD_MS)
    const id = `far-${String(from + index).padStart(16, '0')}` as TimerId
    const url = 'http://127.0.0.1:9/hooks/order/reminders'
    const target = { type: 'http', url, headers: null } as const
    return { timer: sampleTimer({ id, dueAt, wakeAt: dueAt, target, createdAt: now, updatedAt: now }), expect: 'absent' }
  })
}
