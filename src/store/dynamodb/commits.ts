// A part of a commit is one transaction in one partition. Its first item is the shard's fence, which every commit changes: it
// counts them, on the condition that owner, epoch and count are the expected ones. So commits of a shard come one after the
// other; one that got lost on its way can never be done after a later one; and one whose answer was lost is recognised by
// its name, which the fence keeps, when it is sent again.

import { randomUUID } from 'node:crypto'
import type { ShardId, Timer, TimerUuid } from '../../core/timer/timer.ts'
import { ShardTurns } from '../shard-turns.ts'
import { StoreError } from '../store.ts'
import type { CommitPart, PartResult } from '../store.ts'
import { Refusal } from './failures.ts'
import type { Item } from '../keyed/timer-fields.ts'
import type { Key } from './items.ts'
import { FENCE, keyOf, partitionOf, timerKey } from './keys.ts'
import { counterSteps, deleteSteps, eventSteps, putSteps } from './part-writes.ts'
import type { Step } from './part-writes.ts'
import type { Table } from './table.ts'
import { readTimer } from './timer-items.ts'

const FENCE_READS_MAX = 10
const WRITTEN: PartResult = { type: 'written' }
const FENCED: PartResult = { type: 'fenced' }

export class Commits {
  readonly #table: Table
  readonly #turns = new ShardTurns()
  /** The number of the last commit, where it is known. */
  readonly #last = new Map<ShardId, number>()

  constructor(table: Table) {
    this.#table = table
  }

  commit(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    return this.#turns.commit(parts, async (part) => {
      try {
        return await this.#write(part)
      } catch (error) {
        this.#last.delete(part.shard)
        throw error
      }
    })
  }

  async #write(part: CommitPart): Promise<PartResult> {
    const { shard } = part
    const name = randomUUID()
    const puts = part.puts.flatMap((put) => putSteps(part.shard, put))
    const steps = [...puts, ...(await this.#deleteSteps(part)), ...counterSteps(part)]
    for (let reads = 0; reads < FENCE_READS_MAX; reads++) {
      let last = this.#last.get(shard)
      if (last === undefined) {
        const fence = await this.#table.get(fenceKey(shard))
        if (!isOwned(fence, part)) return FENCED
        last = fence!['seq'] as number
      }
      const number = last + 1
      const all: Step[] = [fenceStep(part, number, name), ...steps, ...eventSteps(part, number)]
      const refusal = await this.#transact(all)
      if (refusal === null) {
        this.#last.set(shard, number)
        return WRITTEN
      }
      if (!refusal.reasons[0]!.isInTheWay) return this.#missed(part.shard, all, refusal)
      const fence = refusal.reasons[0]!.item
      if (fence === null) this.#last.delete(shard)
      else this.#last.set(shard, fence['seq'] as number)
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
        throw StoreError.lasting(`timers ${names} have the same uuid ${row.uuid}`)
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
