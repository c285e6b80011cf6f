// A part of a commit is one transaction in one partition, whose first item is the shard's fence; see keyed/fenced-commits.ts.

import type { Epoch, Timer, TimerUuid } from '../../core/timer/timer.ts'
import type { Fence, FencedShards } from '../keyed/fenced-commits.ts'
import type { Item } from '../keyed/timer-fields.ts'
import type { RowsInTheWay } from '../keyed/rows-in-the-way.ts'
import type { CommitPart } from '../store.ts'
import { refusalsIn } from './failures.ts'
import type { Refusals } from './failures.ts'
import { fenceKey, timerKey } from './keys.ts'
import { counterSteps, deleteSteps, eventSteps, putSteps } from './part-writes.ts'
import type { Step } from './part-writes.ts'
import type { Table } from './table.ts'
import { readTimer } from './timer-items.ts'

export function fencedShards(table: Table): FencedShards<Fence> {
  return {
    readFence: async (shard) => fenceOf(await table.get(fenceKey(shard))),

    async write(part, before, commit) {
      const steps = [
        fenceStep(part, commit),
        ...part.puts.flatMap((put) => putSteps(part.shard, put)),
        ...(await deletions(table, part)),
        ...counterSteps(part),
        ...eventSteps(part, commit.number),
      ]
      try {
        await table.transact(steps)
        return { type: 'written', fence: { ...before, ...commit } }
      } catch (error) {
        const refusals = refusalsIn(error)
        const fence = refusals[0]!.isInTheWay ? fenceOf(refusals[0]!.item) : before
        return { type: 'refused', fence, rows: await inTheWay(table, steps, refusals) }
      }
    },
  }
}

/** What a deletion is told of a row does not say in how many pieces its payload is. */
async function deletions(table: Table, { shard, deletes }: CommitPart): Promise<Step[]> {
  const keys = deletes.map(({ uuid }) => timerKey(shard, uuid))
  const items = await table.getMany(keys, 'sk, pc')
  const pieces = new Map(items.map(({ sk, pc }) => [sk, pc as number | undefined]))
  return deletes.flatMap((row, n) => deleteSteps(shard, row, pieces.get(keys[n]!.sk) ?? 0))
}

async function inTheWay(table: Table, steps: readonly Step[], refusals: Refusals): Promise<RowsInTheWay> {
  const rows = new Map<TimerUuid, Timer | null>()
  for (const [index, { isInTheWay, item }] of refusals.entries()) {
    const { row } = steps[index]!
    if (isInTheWay && row !== undefined) rows.set(row, item === null ? null : await readTimer(table, item))
  }
  return rows
}

function fenceOf(item: Item | null): Fence | null {
  if (item === null) return null
  const { epoch, who, seq, tok } = item as Readonly<Record<string, string | number | undefined>>
  return { epoch: epoch as Epoch, owner: (who as string) ?? null, number: seq as number, name: (tok as string) ?? null }
}

function fenceStep({ shard, epoch, owner }: CommitPart, { number, name }: { number: number; name: string }): Step {
  return {
    update: fenceKey(shard),
    by: { text: 'SET seq = :number, tok = :name', values: { number, name } },
    condition: { text: 'epoch = :epoch AND who = :owner AND seq = :last', values: { epoch, owner, last: number - 1 } },
  }
}
