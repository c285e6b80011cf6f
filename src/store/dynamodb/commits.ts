// A part of a commit is one transaction in one partition. Its first item is the shard's fence, which every commit changes: it
// counts them, on the condition that owner, epoch and count are the expected ones. So commits of a shard come one after the
// other; one that got lost on its way can never be done after a later one; and one whose answer was lost is recognised by
// its name, which the fence keeps, when it is sent again.

import { randomUUID } from 'node:crypto'
import type { ShardId, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { StoreError } from '../store.ts'
import type { CommitPart, PartResult } from '../store.ts'
import { Refusal } from './failures.ts'
import type { Item, Key } from './items.ts'
import { FENCE, keyOf, partitionOf, timerKey } from './keys.ts'
import { counterSteps, deleteSteps, eventSteps, putSteps } from './part-writes.ts'
import type { Step } from './part-writes.ts'
import type { Table } from './table.ts'
import { readTimer } from './timer-items.ts'

/** `last`: the number of the last commit, as far as is known here. */
type ShardState = { tail: Promise<unknown>; last: number | null }

const FENCE_READS_MAX = 10
const WRITTEN: PartResult = { type: 'written' }
const FENCED: PartResult = { type: 'fenced' }

export class Commits {
  readonly #table: Table
  readonly #shards = new Map<ShardId, ShardState>()

  constructor(table: Table) {
    this.#table = table
  }

  /** Parts of different shards go at once, those of one shard in the order of the calls. */
  async commit(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    const ends = await Promise.allSettled(parts.map((part) => this.#inTurn(part)))
    const failed = ends.filter((end) => end.status === 'rejected')
    if (failed.length > 0 && failed.length === ends.length) throw failed[0]!.reason
    return ends.map((end) =>
      end.status === 'fulfilled' ? end.value : { type: 'failed', error: asStoreError(end.reason) },
    )
  }

  #inTurn(part: CommitPart): Promise<PartResult> {
    const state = this.#shards.get(part.shard) ?? { tail: Promise.resolve(), last: null }
    this.#shards.set(part.shard, state)
    const result = state.tail.then(() => this.#write(part, state))
    state.tail = result.catch(() => {
      state.last = null
    })
    return result
  }

  async #write(part: CommitPart, state: ShardState): Promise<PartResult> {
    const name = randomUUID()
    const puts = part.puts.flatMap((put) => putSteps(part.shard, put))
    const steps = [...puts, ...(await this.#deleteSteps(part)), ...counterSteps(part)]
    for (let reads = 0; reads < FENCE_READS_MAX; reads++) {
      if (state.last === null) {
        const fence = await this.#table.get(fenceKey(part.shard))
        if (!isOwned(fence, part)) return FENCED
        state.last = fence!['seq'] as number
      }
      const number = state.last + 1
      const all: Step[] = [fenceStep(part, number, name), ...steps, ...eventSteps(part, number)]
      const refusal = await this.#transact(all)
      if (refusal === null) {
        state.last = number
        return WRITTEN
      }
      if (!refusal.reasons[0]!.isInTheWay) return this.#missed(part.shard, all, refusal)
      const fence = refusal.reasons[0]!.item
      state.last = fence === null ? null : (fence['seq'] as number)
      if (fence?.['tok'] === name) return WRITTEN
      if (!isOwned(fence, part)) return FENCED
    }
    throw new StoreError(`shard ${part.shard} is written to by too many others at once`)
  }

  async #transact(steps: readonly Step[]): Promise<Refusal | null> {
    try {
      await this.#table.transact(steps)
      return null
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error
    }
  }

  async #missed(shard: ShardId, steps: readonly Step[], { reasons }: Refusal): Promise<PartResult> {
    const rows = new Map<TimerUuid, Timer | null>()
    for (const [index, { isInTheWay, item }] of reasons.entries()) {
      const { row } = steps[index]!
      if (!isInTheWay || row === undefined) continue
      const timer = item === null ? null : await readTimer(this.#table, shard, item)
      if (timer !== null && row.id !== null && (timer.id !== row.id || timer.namespace !== row.namespace)) {
        const names = `${timer.namespace}/${timer.id} and ${row.namespace}/${row.id}`
        throw new StoreError(`timers ${names} have the same uuid ${row.uuid}`, { retryable: false })
      }
      rows.set(row.uuid, timer)
    }
    return { type: 'missed', rows }
  }

  /** What a deletion is told of a row does not say in how many pieces its payload is. */
  async #deleteSteps({ shard, deletes }: CommitPart): Promise<Step[]> {
    const keys = deletes.map(({ uuid }) => timerKey(shard, uuid))
    const items = await this.#table.getMany(keys, 'sk, pc')
    const pieces = new Map(items.map(({ sk, pc }) => [sk, pc as number | undefined]))
    return deletes.flatMap((row, n) => deleteSteps(shard, row, pieces.get(keys[n]!.sk) ?? 0))
  }
}

export function fenceKey(shard: ShardId): Key {
  return keyOf(partitionOf(shard), FENCE)
}

function isOwned(fence: Item | null, { epoch, owner }: CommitPart): boolean {
  return fence !== null && fence['epoch'] === epoch && fence['who'] === owner
}

function fenceStep({ shard, epoch, owner }: CommitPart, number: number, name: string): Step {
  return {
    update: fenceKey(shard),
    by: { text: 'SET seq = :number, tok = :name', values: { number, name } },
    condition: { text: 'epoch = :epoch AND who = :owner AND seq = :last', values: { epoch, owner, last: number - 1 } },
  }
}

/** An error that nobody foresaw may have come at any time. */
function asStoreError(error: unknown): StoreError {
  return error instanceof StoreError ? error : new StoreError(String(error), { outcomeUnknown: true, cause: error })
}
