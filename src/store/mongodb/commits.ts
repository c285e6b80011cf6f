// Commits: parts of different shards go together, one entry into the log of each in one round trip, and all that they write in
// a second one. While entries are being written, the rows that their conditions are about are read.

import { randomUUID } from 'node:crypto'
import type { Epoch, ShardId, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { partBytes } from '../commit-sheet.ts'
import { shardSort } from '../keyed/cluster-items.ts'
import { isOwned } from '../keyed/fenced-commits.ts'
import { timerOf } from '../keyed/timer-fields.ts'
import { asStoreError } from '../keyed/shard-turns.ts'
import { StoreError } from '../store.ts'
import type { CommitPart, OwnedShard, PartResult } from '../store.ts'
import type { Doc, Documents } from './documents.ts'
import {
  appending,
  conditionsOf,
  isTombstone,
  JUDGED_FIELDS,
  lastRecord,
  recordOf,
  verdictOn,
  writesOf,
} from './shard-log.ts'
import type { LogRecord, Verdict } from './shard-log.ts'

/** The fence and the last number, as far as is known here; what that commit wrote is written. */
type ShardState = { readonly epoch: Epoch; readonly owner: string | null; readonly number: number }
type Sent = { readonly part: CommitPart; readonly record: LogRecord }

const WAVE_BYTES = 16_000_000 // of the 48 MB that a message has
const OVERTAKEN_MAX = 10 // by requests of this node that were taken for lost
// Who has been held up this long writes no more. Tombstones stay for much longer.
const WRITE_WITHIN_MS = 60_000
export const TOMBSTONES_KEPT_MS = 3_600_000
const WRITTEN: PartResult = { type: 'written' }
const FENCED: PartResult = { type: 'fenced' }
const IN_DOUBT = { outcomeUnknown: true }

export class Commits {
  readonly #documents: Documents
  readonly #known = new Map<ShardId, ShardState>()
  #tail: Promise<unknown> = Promise.resolve()

  constructor(documents: Documents) {
    this.#documents = documents
  }

  /** In the order of the calls. */
  commit(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    const results = this.#tail.then(() => this.#inWaves(parts))
    this.#tail = results.catch(() => {})
    return results
  }

  /** Does again what the shard's last commit wrote, as its next owner must before it reads. */
  async redo(shard: ShardId, doc: Doc): Promise<void> {
    const record = lastRecord(shard, doc)
    if (record === null) return
    const mayStill = this.#deadline()
    const rows = await this.#rowsOf([record])
    if (verdictOn(record, rows).type === 'valid') await this.#apply([record], mayStill)
  }

  async #inWaves(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    const results = new Map<CommitPart, PartResult>()
    let left = parts
    for (let waves = 0; left.length > 0; waves++) {
      const wave = waves < parts.length + OVERTAKEN_MAX ? nextWave(left) : []
      try {
        if (wave.length === 0) throw new StoreError('the shards are written to by too many others at once')
        for (const [part, result] of await this.#write(wave)) results.set(part, result)
      } catch (reason) {
        for (const { shard } of wave) this.#known.delete(shard)
        const error = asStoreError(reason)
        if (results.size === 0) throw error
        for (const part of left) results.set(part, { type: 'failed', error })
      }
      left = left.filter((part) => !results.has(part))
    }
    return parts.map((part) => results.get(part)!)
  }

  /** Those without a result were overtaken by an earlier request, and go again. */
  async #write(wave: readonly CommitPart[]): Promise<ReadonlyMap<CommitPart, PartResult>> {
    const results = new Map<CommitPart, PartResult>()
    await this.#learn(wave)
    const sent: Sent[] = []
    for (const part of wave) {
      const state = this.#known.get(part.shard)
      if (!isOwned(state, part)) results.set(part, FENCED)
      else sent.push({ part, record: recordOf(part, state.number + 1, randomUUID()) })
    }
    if (sent.length === 0) return results
    const mayStill = this.#deadline()
    const [appended, read] = await Promise.allSettled([
      this.#append(sent),
      this.#rowsOf(sent.map(({ record }) => record)),
    ])
    if (appended.status === 'rejected') throw appended.reason
    if (read.status === 'rejected') throw inDoubt(read.reason)
    const judged = appended.value.map((one) => ({ ...one, verdict: verdictOn(one.record, read.value) }))
    try {
      const valid = judged.filter(({ verdict }) => verdict.type === 'valid')
      await this.#apply(
        valid.map(({ record }) => record),
        mayStill,
      )
      for (const { part, record, verdict } of judged) {
        const { shard, epoch, owner } = part
        this.#known.set(shard, { epoch, owner, number: record.number })
        results.set(part, await this.#resultOf(verdict))
      }
    } catch (error) {
      throw inDoubt(error)
    }
    return results
  }

  /** Reads the fences that are not known here, and does what their last commits wrote again. */
  async #learn(wave: readonly CommitPart[]): Promise<void> {
    const unknown = wave.filter((part) => !isOwned(this.#known.get(part.shard), part))
    if (unknown.length === 0) return
    const docs = await this.#shardDocs(unknown)
    await Promise.all(
      unknown.map(async (part) => {
        const doc = docs.get(shardSort(part.shard))
        if (doc === undefined) return this.#known.delete(part.shard)
        const state = stateOf(doc)
        if (isOwned(state, part)) await this.redo(part.shard, doc)
        return this.#known.set(part.shard, state)
      }),
    )
  }

  /** Those that are in their logs. One that was refused may be there all the same, by an attempt whose answer was lost. */
  async #append(sent: readonly Sent[]): Promise<readonly Sent[]> {
    const refused = await this.#documents.update(sent.map(({ part, record }) => appending(record, part)))
    const inDoubtNow = sent.filter((_, index) => refused.has(index))
    if (inDoubtNow.length === 0) return sent
    const docs = await this.#shardDocs(inDoubtNow.map(({ part }) => part)).catch((error: unknown) => {
      throw inDoubt(error)
    })
    const isThere = ({ record }: Sent) => {
      const last = docs.get(shardSort(record.shard))
      return last !== undefined && lastRecord(record.shard, last)?.entry.by === record.entry.by
    }
    const overtaken = inDoubtNow.filter((one) => !isThere(one))
    for (const { part } of overtaken) this.#known.delete(part.shard)
    return sent.filter((one) => !overtaken.includes(one))
  }

  async #apply(records: readonly LogRecord[], mayStill: () => void): Promise<void> {
    const gone = new Date(this.#documents.clock.now() + TOMBSTONES_KEPT_MS)
    const writes = records.flatMap((record) => writesOf(record, gone))
    if (writes.length > 0) await this.#documents.update(writes, mayStill)
  }

  async #resultOf(verdict: Verdict): Promise<PartResult> {
    if (verdict.type === 'valid') return WRITTEN
    if (verdict.type === 'overtaken')
      return { type: 'failed', error: new StoreError('the shard was taken meanwhile', IN_DOUBT) }
    const uuids = [...verdict.inTheWay]
    const found = await this.#documents.find({ _id: { $in: uuids } })
    const rows = new Map<TimerUuid, Timer | null>(uuids.map((uuid) => [uuid, null]))
    for (const row of found) if (!isTombstone(row)) rows.set(row['_id'] as TimerUuid, timerOf(row['k'] as string, row))
    return { type: 'missed', rows }
  }

  async #rowsOf(records: readonly LogRecord[]): Promise<ReadonlyMap<string, Doc>> {
    const uuids = records.flatMap((record) => conditionsOf(record).map(({ uuid }) => uuid as string))
    if (uuids.length === 0) return new Map()
    return byId(await this.#documents.find({ _id: { $in: uuids } }, { projection: JUDGED_FIELDS }))
  }

  async #shardDocs(parts: readonly OwnedShard[]): Promise<ReadonlyMap<string, Doc>> {
    return byId(await this.#documents.find({ _id: { $in: parts.map(({ shard }) => shardSort(shard)) } }))
  }

  /** A process that was suspended meanwhile does not know what became of the shard. */
  #deadline(): () => void {
    const { clock } = this.#documents
    const until = clock.elapsed() + WRITE_WITHIN_MS
    return () => {
      if (clock.elapsed() > until) throw new StoreError('a commit took too long to be finished here', IN_DOUBT)
    }
  }
}

/** One part of each shard, as many as a message holds. */
function nextWave(parts: readonly CommitPart[]): readonly CommitPart[] {
  const shards = new Set<ShardId>()
  let bytes = 0
  return parts.filter((part) => {
    if (shards.has(part.shard)) return false
    shards.add(part.shard)
    bytes += partBytes(part)
    return bytes <= WAVE_BYTES || shards.size === 1
  })
}

function stateOf({ epoch, who = null, number }: Doc): ShardState {
  return { epoch: epoch as Epoch, owner: who as string | null, number: number as number }
}

export function byId(docs: readonly Doc[]): ReadonlyMap<string, Doc> {
  return new Map(docs.map((doc) => [doc['_id'], doc]))
}

/** The entry is in the log, so it may come true. */
function inDoubt(error: unknown): StoreError {
  const { message, retryable, isFull } = asStoreError(error)
  return new StoreError(message, { retryable, ...IN_DOUBT, isFull, cause: error })
}
