// A commit on its way to the writer's thread, and the answer on its way back.

import type { Timer, TimerUuid } from '../../core/timer/timer.ts'
import { kindOf } from '../../core/timer/timer-kind.ts'
import { areSame, CellAt, emptyColumns } from '../row/columns.ts'
import { appendToColumns, timerAt } from '../row/timer-row.ts'
import type { CommitPart, PartResult, Put } from '../store.ts'
import { ABSENT, Keeps, PUT_COLUMNS, PutAt, SAME } from './threads/messages.ts'
import type { CommitReply, PackedPart, PackedPuts } from './threads/messages.ts'

export function packPart({ shard, epoch, owner, puts, deletes, counters, events }: CommitPart): PackedPart {
  return {
    shard,
    epoch,
    owner,
    puts: packPuts(puts),
    deletes: deletes.flatMap(({ uuid, version, namespace, metadata }) => [uuid, version, namespace, metadata]),
    counters: counters.flatMap(({ namespace, slotAt, name, amount }) => [namespace, slotAt, name, amount]),
    events: events.flatMap(({ uuid, namespace, type, id, at, body }) => [uuid, namespace, type, id, at, body]),
  }
}

function packPuts(puts: readonly Put[]): PackedPuts {
  const columns = emptyColumns(PUT_COLUMNS)
  for (let index = 0; index < puts.length; index++) {
    const { before, after } = puts[index]!
    appendToColumns(columns, after)
    const keeps = before === null ? Keeps.nothing : keptOf(before, after)
    if (keeps !== Keeps.nothing) columns[CellAt.timer_payload]![index] = null
    const hadMetadata = before === null ? null : before.metadata
    columns[PutAt.expectedVersion]!.push(before?.version ?? ABSENT)
    columns[PutAt.keeps]!.push(keeps)
    columns[PutAt.metadataBefore]!.push(hadMetadata === after.metadata ? SAME : hadMetadata)
  }
  return { count: puts.length, columns: columns.map((column) => (areSame(column) ? column.slice(0, 1) : column)) }
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
