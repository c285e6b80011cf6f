// The store in one SQLite file. node:sqlite is synchronous, so it runs in worker threads: one that writes, one that reads
// and, once it is needed, one for questions that take longer. No fsync, list or checkpoint ever makes a timer late. This
// side only packs and unpacks.

import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Epoch, Millis, ShardId, Timer } from '../../core/timer/timer.ts'
import { StoreError } from '../store.ts'
import type {
  CommitPart,
  DueScan,
  ListPage,
  ListQuery,
  NamespaceScope,
  OwnedShard,
  PageQuery,
  PartResult,
  ShardClaim,
  TimerPage,
} from '../store.ts'
import type {
  ClusterState,
  NodeBeat,
  OutboxEvent,
  ShardRow,
  Store,
  StoreCapabilities,
  StoredRow,
  StoreStats,
  TimerKey,
} from '../store.ts'
import type { TallyQuery, TallySums, Upcoming, UpcomingQuery } from '../store.ts'
import { timersOf } from '../row/timer-row.ts'
import type { BackupOptions } from './file/backup.ts'
import { inOrderOf } from '../key-lookup.ts'
import type { AnalystCalls, ReaderCalls, WriterCalls } from './threads/messages.ts'
import { packPart, partResults } from './packed-commit.ts'
import { startWorker, WorkerLink } from './threads/worker-link.ts'
import type { NameIn } from './threads/worker-link.ts'

export type SqliteOptions = {
  readonly path: string
  /** The writer's page cache. Each other worker has a quarter of it. */
  readonly cacheMiB?: number
  /** A quota for the file, in pages of 4 KiB. */
  readonly maxPages?: number
}

// More costs time: whenever a commit has split a page, SQLite walks the whole table of cached pages at its end. What is not
// here is in the system's cache.
const CACHE_MIB_DEFAULT = 64

export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { cacheMiB = CACHE_MIB_DEFAULT, maxPages } = options
  const path = filePath(options.path)
  const writer = new WorkerLink<WriterCalls>(startWorker({ role: 'writer', path, cacheMiB, maxPages }), 'writer')
  await writer.opened
  const reader = new WorkerLink<ReaderCalls>(
    startWorker({ role: 'reader', path, cacheMiB: Math.ceil(cacheMiB / 4) }),
    'reader',
  )
  try {
    await reader.opened
  } catch (error) {
    await writer.call('close', undefined)
    throw error
  }
  const startAnalyst = async (): Promise<WorkerLink<AnalystCalls>> => {
    const analyst = new WorkerLink<AnalystCalls>(
      startWorker({ role: 'analyst', path, cacheMiB: Math.ceil(cacheMiB / 4) }),
      'analyst',
    )
    await analyst.opened
    return analyst
  }
  return new SqliteStore({ path, writer, reader, startAnalyst })
}

/** Loaded when it is wanted: where node:sqlite counts as experimental, Node says so in the log of whoever loads it. */
async function copyFile(options: BackupOptions): Promise<void> {
  const { backupSqliteFile } = await import('./file/backup.ts')
  await backupSqliteFile(options)
}

/** The file itself: its lock lies beside it, and a link to it must lead to the same one. */
function filePath(path: string): string {
  if (path === '' || path === ':memory:') return path
  return existsSync(path) ? realpathSync(path) : resolve(path)
}

type Workers = {
  readonly path: string
  readonly writer: WorkerLink<WriterCalls>
  readonly reader: WorkerLink<ReaderCalls>
  readonly startAnalyst: () => Promise<WorkerLink<AnalystCalls>>
}

class SqliteStore implements Store {
  readonly capabilities: StoreCapabilities = { name: 'sqlite', shared: false, backup: true, shards: 1 }
  readonly #path: string
  readonly #writer: WorkerLink<WriterCalls>
  readonly #reader: WorkerLink<ReaderCalls>
  readonly #startAnalyst: () => Promise<WorkerLink<AnalystCalls>>
  readonly #backups = new Set<Promise<void>>()
  #analyst: Promise<WorkerLink<AnalystCalls>> | null = null
  #closing: Promise<void> | null = null

  constructor({ path, writer, reader, startAnalyst }: Workers) {
    this.#path = path
    this.#writer = writer
    this.#reader = reader
    this.#startAnalyst = startAnalyst
  }

  async ping(): Promise<void> {
    await this.#write('ping', undefined)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Requests are answered in order, so a worker closes behind all that were made before. The reader first: the last one tidies up the log. */
  async #close(): Promise<void> {
    await Promise.allSettled(this.#backups)
    const analyst = await this.#analyst?.catch(() => null)
    await analyst?.call('close', undefined).catch(ignoreDeadWorker)
    await this.#reader.call('close', undefined).catch(ignoreDeadWorker)
    await this.#writer.call('close', undefined).catch(ignoreDeadWorker)
  }

  async claim(claim: ShardClaim): Promise<Epoch | null> {
    return (await this.#write('claim', claim)) as Epoch | null
  }

  async release(owned: OwnedShard): Promise<void> {
    await this.#write('release', owned)
  }

  async shards(): Promise<readonly ShardRow[]> {
    return this.#read('shards', undefined)
  }

  async beat({ node, address, leaving, beat }: NodeBeat): Promise<ClusterState> {
    return { nodes: [{ node, address, leaving, beat, clockSkewMs: 0 }], shards: await this.shards() }
  }

  async clusterSecret(): Promise<string> {
    throw new StoreError('a SQLite file is for one node: there is no cluster to keep a secret', { retryable: false })
  }

  async commit(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    if (parts.length === 0) return []
    return partResults(await this.#write('commit', parts.map(packPart)))
  }

  async getMany(keys: readonly TimerKey[]): Promise<readonly (Timer | null)[]> {
    return inOrderOf(
      keys,
      timersOf(
        await this.#read(
          'getMany',
          keys.map(({ uuid }) => uuid),
        ),
      ),
    )
  }

  async due(scan: DueScan): Promise<readonly Timer[]> {
    return timersOf(await this.#read('due', scan))
  }

  async dueShards(look: { readonly shards: readonly ShardId[]; readonly until: Millis }): Promise<readonly ShardId[]> {
    return this.#read('dueShards', look)
  }

  async list(query: ListQuery): Promise<ListPage> {
    const { cells, next } = await this.#read('list', query)
    return { timers: timersOf(cells, query.omit), next }
  }

  async page(query: PageQuery): Promise<TimerPage> {
    const { cells, total } = await this.#analyse('page', query)
    return { timers: timersOf(cells, query.omit), total }
  }

  async stats(scope: NamespaceScope = {}): Promise<StoreStats> {
    return this.#read('stats', scope)
  }

  async tallies(query: TallyQuery): Promise<TallySums> {
    return this.#analyse('tallies', query)
  }

  async upcoming(query: UpcomingQuery): Promise<Upcoming> {
    return this.#analyse('upcoming', query)
  }

  async readEvents(read: {
    readonly shard: ShardId
    readonly after: number
    readonly limit: number
  }): Promise<readonly OutboxEvent[]> {
    return this.#read('readEvents', read)
  }

  async removeEvents({ numbers }: { readonly numbers: readonly number[] }): Promise<void> {
    await this.#write('removeEvents', numbers)
  }

  async countEvents(shards: readonly ShardId[]): Promise<{ readonly count: number; readonly oldestAt: Millis | null }> {
    return this.#analyse('countEvents', shards)
  }

  async expired(scan: Parameters<Store['expired']>[0]): Promise<readonly StoredRow[]> {
    return this.#read('expired', scan)
  }

  async forgetCounters(slotsBefore: Millis): Promise<boolean> {
    return this.#write('forgetCounters', slotsBefore)
  }

  async backup({
    path,
    onProgress,
  }: {
    readonly path: string
    readonly onProgress?: (done: number, total: number) => void
  }): Promise<void> {
    this.#assertOpen()
    const copying = copyFile({ path: this.#path, to: path, ...(onProgress === undefined ? {} : { onProgress }) })
    this.#backups.add(copying)
    await copying.finally(() => this.#backups.delete(copying))
  }

  #write<Name extends NameIn<WriterCalls>>(
    name: Name,
    argument: Parameters<WriterCalls[Name]>[0],
  ): Promise<ReturnType<WriterCalls[Name]>> {
    this.#assertOpen()
    return this.#writer.call(name, argument, true)
  }

  #read<Name extends NameIn<ReaderCalls>>(
    name: Name,
    argument: Parameters<ReaderCalls[Name]>[0],
  ): Promise<ReturnType<ReaderCalls[Name]>> {
    this.#assertOpen()
    return this.#reader.call(name, argument)
  }

  /** One that could not be started is tried again with the next question. */
  async #analyse<Name extends NameIn<AnalystCalls>>(
    name: Name,
    argument: Parameters<AnalystCalls[Name]>[0],
  ): Promise<ReturnType<AnalystCalls[Name]>> {
    this.#assertOpen()
    this.#analyst ??= this.#startAnalyst().catch((error: unknown) => {
      this.#analyst = null
      throw error
    })
    return (await this.#analyst).call(name, argument)
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw new StoreError('the store is closed', { retryable: false })
  }
}

/** A worker that died has closed its connection with it. */
function ignoreDeadWorker(error: unknown): void {
  if (!(error instanceof StoreError)) throw error
}
