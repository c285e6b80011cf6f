// A commit on its way to the writer's thread, and the answer on its way back.

import type { Timer, TimerUuid } from '../../core/timer/timer.ts'
import { kindOf } from '../../core/timer/timer-kind.ts'
import { CellAt } from '../row/columns.ts'
import type { Cell } from '../row/columns.ts'
import { appendCells, timerAt } from '../row/timer-row.ts'
import type { CommitPart, PartResult, Put } from '../store.ts'
import { ABSENT, Keeps, SAME } from './threads/messages.ts'
import type { CommitReply, PackedPart } from './threads/messages.ts'

export function packPart({ shard, epoch, owner, puts, deletes, counters, events }: CommitPart): PackedPart {
  const cells: Cell[] = []
  for (const put of puts) appendPut(cells, put)
  return {
    shard,
    epoch,
    owner,
    puts: cells,
    deletes: deletes.flatMap(({ uuid, version, namespace, metadata }) => [uuid, version, namespace, metadata]),
    counters: counters.flatMap(({ namespace, slotAt, name, amount }) => [namespace, slotAt, name, amount]),
    events: events.flatMap(({ uuid, namespace, type, id, at, body }) => [uuid, namespace, type, id, at, body]),
  }
}

/** As PutAt and its stride say. */
function appendPut(cells: Cell[], { before, after }: Put): void {
  const offset = cells.length
  appendCells(cells, after)
  const keeps = before === null ? Keeps.nothing : keptOf(before, after)
  if (keeps !== Keeps.nothing) cells[offset + CellAt.timer_payload] = null
  const hadMetadata = before === null ? null : before.metadata
  cells.push(before?.version ?? ABSENT, keeps, hadMetadata === after.metadata ? SAME : hadMetadata)
}

function keptOf(before: Timer, after: Timer): number {
  if (before.payload !== after.payload) return Keeps.nothing
  const keepsCreation = before.createdAt === after.createdAt && kindOf(before) === kindOf(after)
  return keepsCreation ? Keeps.payloadAndCreation : Keeps.payload
}

export function partResults(reply: CommitReply): PartResult[] {
  return reply.map((misses) => {
    if (misses === null) return { type: 'fenced' }
    if (misses.length === 0) return { type: 'written' }
    const rows = misses.map(([uuid, cells]) => [uuid as TimerUuid, cells === null ? null : timerAt(cells, 0)] as const)
    return { type: 'missed', rows: new Map(rows) }
  })
}
