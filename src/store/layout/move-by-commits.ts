// Moves timers between shards of an engine that keeps each shard by itself and can change one of them at a time: the timers are
// written to the second shard, and only then deleted from the first one. Whoever is stopped in between does it again; what is in
// the second shard by then stays as it is.

import { kindOf } from '../../core/timer/timer-kind.ts'
import type { Timer } from '../../core/timer/timer.ts'
import { partsWithin } from '../commit-sheet.ts'
import type { CommitPart, OwnedShard, RowMove, StoredRow, TimerStore } from '../store.ts'

type Engine = Pick<TimerStore, 'commit' | 'capabilities'>
/** Counts stay as they are: a counter is of a namespace, in whichever shard it is kept. */
const NOTHING = { puts: [], deletes: [], counters: [], events: [] } as const
const DELETED_AT_ONCE = 5 // with the pieces of large payloads; a transaction of DynamoDB has 100 items

export async function moveByCommits(engine: Engine, { from, to, timers }: RowMove): Promise<boolean> {
  const adding = (some: readonly Timer[]): CommitPart => {
    return { ...to, ...NOTHING, puts: some.map((after) => ({ before: null, after })) }
  }
  const deleting = (some: readonly Timer[]): CommitPart => {
    return { ...from, ...NOTHING, deletes: some.map((timer) => storedRow(timer, from)) }
  }
  if (!(await commitAll(engine, timers, adding))) return false
  for (let at = 0; at < timers.length; at += DELETED_AT_ONCE)
    if (!(await commitAll(engine, timers.slice(at, at + DELETED_AT_ONCE), deleting))) return false
  return true
}

/** Rows in the way have been seen to by an earlier move: they are left out, and the others go again. False when it is fenced. */
async function commitAll(
  engine: Engine,
  timers: readonly Timer[],
  make: (some: readonly Timer[]) => CommitPart,
): Promise<boolean> {
  for (const { part, members } of partsWithin(engine.capabilities.partMax, timers, make)) {
    const [result] = await engine.commit([part])
    if (result!.type === 'fenced') return false
    if (result!.type === 'failed') throw result!.error
    if (result!.type === 'written') continue
    const { rows } = result!
    const others = members.filter(({ uuid }) => !rows.has(uuid))
    if (others.length > 0 && !(await commitAll(engine, others, make))) return false
  }
  return true
}

function storedRow(timer: Timer, { shard }: OwnedShard): StoredRow {
  const { uuid, namespace, version, status, wakeAt, metadata } = timer
  return { shard, uuid, namespace, version, status, wakeAt, metadata, kind: kindOf(timer) }
}
