// The store in one SQLite file. node:sqlite is synchronous, so it runs in worker threads: one that writes, one that reads
// and, once it is needed, one for questions that take longer. No fsync, list or checkpoint ever makes a timer late. This
// side only packs and unpacks.

import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Epoch, Millis } from '../../core/timer/timer.ts'
import type { Answered, Asked, QuestionName } from '../sql/questions/questions.ts'
import { SqlStore } from '../sql/sql-store.ts'
import { StoreError } from '../store.ts'
import type { ClusterState, CommitPart, NodeBeat, OwnedShard, PartResult, ShardClaim } from '../store.ts'
import type { RowMove, Store, StoreCapabilities } from '../store.ts'
import type { BackupOptions } from './file/backup.ts'
import { packPart, partResults } from './packed-commit.ts'
import type { ReaderCalls, WorkerRole, WriterCalls } from './threads/messages.ts'
import { startWorker } from './threads/start-worker.ts'
import { WorkerLink } from './threads/worker-link.ts'
import type { NameIn } from './threads/worker-link.ts'

export type SqliteOptions = {
  readonly path: string
  /** The page cache of each worker. */
  readonly cacheMiB?: number
  /** A quota for the file, in pages of 4 KiB. */
  readonly maxPages?: number
}

// More costs time: whenever a commit has put pages into another order, SQLite walks the whole table of cached pages at its end. With
// 64 MiB and a million timers commits of 16 took an eighth longer. What is not here is in the system's cache; with 4 MiB, commits of
// 1,000 took a quarter longer.
const CACHE_MIB_DEFAULT = 16

export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { cacheMiB = CACHE_MIB_DEFAULT, maxPages } = options
  const path = filePath(options.path)
  const writer = new WorkerLink<WriterCalls>(startWorker({ role: 'writer', path, cacheMiB, maxPages }), 'writer')
  const linkReader = (role: WorkerRole) => new WorkerLink<ReaderCalls>(startWorker({ role, path, cacheMiB }), role)
  const startReader = async (role: WorkerRole): Promise<WorkerLink<ReaderCalls>> => {
    const link = linkReader(role)
    await link.call('open', undefined)
    return link
  }
  let reader: WorkerLink<ReaderCalls> | undefined
  try {
    reader = linkReader('reader') // its code loads beside that of the writer, which has to make the file first
    await writer.call('open', undefined)
    await reader.call('open', undefined)
    return new SqliteStore({ path, writer, reader, startReader })
  } catch (error) {
    // One that could not open anything has ended, or does so now.
    await reader?.call('close', undefined).catch(ignoreDeadWorker)
    await writer.call('close', undefined).catch(ignoreDeadWorker)
    throw error
  }
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
  readonly startReader: (role: WorkerRole) => Promise<WorkerLink<ReaderCalls>>
}

/** Questions that may take a while, for a thread of their own: neither a due timer nor a get waits behind one. */
const ANALYSED: ReadonlySet<QuestionName> = new Set(['page', 'tallies', 'upcoming', 'countEvents'])

/** Standing tallies of one kind are read when the service starts. They are a few rows for each namespace, as counts are, and not worth a thread. */
function mayTakeLong<Name extends QuestionName>(name: Name, argument: Asked<Name>): boolean {
  if (name !== 'tallies') return ANALYSED.has(name)
  const { since, prefix } = argument as Asked<'tallies'>
  return since !== null || prefix === undefined
}

class SqliteStore extends SqlStore {
  readonly capabilities: StoreCapabilities = { name: 'sqlite', shared: false, backup: true, shards: 1 }
  readonly #workers: Workers
  #analyst: Promise<WorkerLink<ReaderCalls>> | null = null

  constructor(workers: Workers) {
    super()
    this.#workers = workers
  }

  protected async ask<Name extends QuestionName>(name: Name, argument: Asked<Name>): Promise<Answered<Name>> {
    const { writer, reader } = this.#workers
    const isWrite = name === 'removeEvents'
    const link = isWrite ? writer : mayTakeLong(name, argument) ? await this.#analyse() : reader
    return (await link.call('answer', { name, argument }, isWrite)) as Answered<Name>
  }

  /** One that could not be started is tried again with the next question. */
  #analyse(): Promise<WorkerLink<ReaderCalls>> {
    this.#analyst ??= this.#workers.startReader('analyst').catch((error: unknown) => {
      this.#analyst = null
      throw error
    })
    return this.#analyst
  }

  /** The readers first: the last one to close tidies up the log. */
  protected async end(): Promise<void> {
    const analyst = await this.#analyst?.catch(() => null)
    await analyst?.call('close', undefined).catch(ignoreDeadWorker)
    await this.#workers.reader.call('close', undefined).catch(ignoreDeadWorker)
    await this.#workers.writer.call('close', undefined).catch(ignoreDeadWorker)
  }

  protected async write(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    return partResults(await this.#workers.writer.call('commit', parts.map(packPart), true))
  }

  async ping(): Promise<void> {
    await this.#call('ping', undefined)
  }

  async claim(claim: ShardClaim): Promise<Epoch | null> {
    return (await this.#call('claim', claim)) as Epoch | null
  }

  async release(owned: OwnedShard): Promise<void> {
    await this.#call('release', owned)
  }

  async beat({ node, address, leaving, labels = [], beat }: NodeBeat): Promise<ClusterState> {
    return { nodes: [{ node, address, leaving, labels, beat, clockSkewMs: 0 }], shards: await this.shards() }
  }

  async clusterSecret(): Promise<string> {
    throw StoreError.lasting('a SQLite file is for one node: there is no cluster to keep a secret')
  }

  async move({ from, to, timers }: RowMove): Promise<boolean> {
    return this.#call('move', { from, to, uuids: timers.map(({ uuid }) => uuid) })
  }

  async forgetCounters(slotsBefore: Millis): Promise<boolean> {
    return this.#call('forgetCounters', slotsBefore)
  }

  async backup({ path, ...progress }: Parameters<Store['backup']>[0]): Promise<void> {
    await this.track(() => copyFile({ path: this.#workers.path, to: path, ...progress }))
  }

  #call<Name extends NameIn<WriterCalls>>(
    name: Name,
    argument: Parameters<WriterCalls[Name]>[0],
  ): Promise<ReturnType<WriterCalls[Name]>> {
    return this.track(() => this.#workers.writer.call(name, argument, true))
  }
}

/** A worker that died has closed its connection with it. */
function ignoreDeadWorker(error: unknown): void {
  if (!(error instanceof StoreError)) throw error
}
