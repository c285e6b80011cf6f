// Puts the timers of a file into a store, as they are: ids, due times, versions, firing counters (and so the delivery
// ids), attempts, finished timers included. Each batch is durable before the next; what is there already, at the same
// version, is passed over, so an import that was cut short is simply run again.

import { shardIn } from '../../core/cluster/layout.ts'
import { isSameTimer } from '../../core/timer/ids.ts'
import type { ShardId, Timer } from '../../core/timer/timer.ts'
import { importedPart, partsWithin } from '../../store/commit-sheet.ts'
import type { Put, Store } from '../../store/store.ts'
import { entriesOf } from './read-timer-file.ts'
import type { SoleOwner } from './sole-owner.ts'
import { TransferError } from './transfer-error.ts'

export type ImportOptions = {
  readonly store: Store
  readonly owner: Pick<SoleOwner, 'fenceOf' | 'layout'>
  /** Has been checked; see checkTimerFile. */
  readonly path: string
  /** Replace a timer of which the file has a later version; otherwise what is there stays. */
  readonly update: boolean
  readonly onProgress?: (done: number, total: number) => void
  readonly signal?: AbortSignal
}

export type ImportResult = {
  added: number
  updated: number
  /** There already, at the same version. */
  present: number
  /** Not imported, because the store has another version, or another timer of the same id. */
  kept: number
  /** The first of those. */
  readonly keptExamples: KeptTimer[]
}

export type KeptTimer = {
  readonly namespace: string
  readonly id: string
  readonly versionInFile: number
  readonly versionThere: number
}

const BATCH_TIMERS = 500 // one transaction of about 10 ms on SQLite
const BATCH_CHARS = 4 * 2 ** 20 // of payloads: bounds memory, and one statement's parameters
const EXAMPLES_MAX = 10

export async function importTimers(options: ImportOptions): Promise<ImportResult> {
  const { path, onProgress, signal } = options
  const result: ImportResult = { added: 0, updated: 0, present: 0, kept: 0, keptExamples: [] }
  let total = 0
  let done = 0
  let batch: Timer[] = []
  let chars = 0
  const flush = async (): Promise<void> => {
    if (signal?.aborted) throw new TransferError(`The import was stopped after ${done} of ${total} timers. ${AGAIN}`)
    await importBatch(batch, options, result)
    done += batch.length
    onProgress?.(done, Math.max(done, total))
    batch = []
    chars = 0
  }
  for await (const entry of entriesOf(path)) {
    if (entry.type === 'header') total = entry.header.timers
    else if (entry.type === 'fault')
      throw new TransferError(`${path} has changed since it was checked, line ${entry.line}: ${entry.fault}`)
    else {
      batch.push(entry.timer)
      chars += entry.timer.payload?.length ?? 0
      if (batch.length >= BATCH_TIMERS || chars >= BATCH_CHARS) await flush()
    }
  }
  if (batch.length > 0) await flush()
  return result
}

const AGAIN = 'Run the same command again to go on: what is there already is passed over.'

async function importBatch(batch: readonly Timer[], options: ImportOptions, result: ImportResult): Promise<void> {
  const missed = await put(
    batch.map((timer) => ({ timer, there: null })),
    options,
  )
  result.added += batch.length - missed.length
  const later: Change[] = []
  for (const { timer, there } of missed) {
    if (there !== null && isSame(timer, there)) result.present++
    else if (there !== null && options.update && timer.version > there.version) later.push({ timer, there })
    else keep(timer, there, result)
  }
  if (later.length === 0) return
  const missedAgain = await put(later, options)
  result.updated += later.length - missedAgain.length
  // The same id twice in one file: the first one has changed what the second one found.
  for (const { timer, there } of missedAgain) keep(timer, there, result)
}

/** A version is never used twice by one timer, and a timer that replaced it has another time of creation. */
function isSame(timer: Timer, there: Timer): boolean {
  return timer.version === there.version && timer.createdAt === there.createdAt
}

function keep({ namespace, id, version }: Timer, there: Timer | null, result: ImportResult): void {
  result.kept++
  if (result.keptExamples.length >= EXAMPLES_MAX) return
  result.keptExamples.push({ namespace, id, versionInFile: version, versionThere: there?.version ?? 0 })
}

/** `there` is the row to be replaced; null for none. */
type Change = { readonly timer: Timer; readonly there: Timer | null }

/** Those that were not written, with the row that is in their way. The others go again without them: a part is all or nothing. */
async function put(changes: readonly Change[], { store, owner }: ImportOptions): Promise<readonly Change[]> {
  const missed: Change[] = []
  for (let left = changes; left.length > 0;) {
    const { once, more } = eachOnce(left)
    const byShard = [...Map.groupBy(once, ({ timer }) => shardIn(owner.layout, timer))]
    const { partMax } = store.capabilities
    const groups = byShard.flatMap(([shard, all]) =>
      partsWithin(partMax, all, (some) => importedPart(owner.fenceOf(shard), some.map(putOf))),
    )
    const results = await store.commit(groups.map(({ part }) => part)).catch((error: unknown) => {
      throw new TransferError(`${(error as Error).message}\n${AGAIN}`, { cause: error })
    })
    const again: Change[] = []
    for (const [index, { part, members }] of groups.entries()) {
      const result = results[index]!
      if (result.type === 'fenced') throw fenced(part.shard)
      if (result.type === 'failed')
        throw new TransferError(`${result.error.message}\n${AGAIN}`, { cause: result.error })
      if (result.type === 'written') continue
      for (const change of members) {
        const there = result.rows.get(change.timer.uuid)
        if (there === undefined) again.push(change)
        else if (there !== null && !isSameTimer(there, change.timer)) throw sameKey(change.timer, there)
        else missed.push({ timer: change.timer, there })
      }
    }
    left = [...again, ...more]
  }
  return missed
}

/** The same timer may be in a file twice, and is in a part once. */
function eachOnce(changes: readonly Change[]): { readonly once: readonly Change[]; readonly more: readonly Change[] } {
  const seen = new Set<string>()
  const [once, more]: [Change[], Change[]] = [[], []]
  for (const change of changes) (seen.size < seen.add(change.timer.uuid).size ? once : more).push(change)
  return { once, more }
}

function putOf({ timer, there }: Change): Put {
  return { before: there, after: timer }
}

function sameKey(timer: Timer, there: Timer): TransferError {
  const [one, other] = [timer, there].map(({ namespace, id }) => `${namespace}/${id}`)
  return new TransferError(`Timers ${one} and ${other} have the same key: give one of them another id.`)
}

function fenced(shard: ShardId): TransferError {
  return new TransferError(`A node took shard ${shard} over: stop every node first. ${AGAIN}`)
}
