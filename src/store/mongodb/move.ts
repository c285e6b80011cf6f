// Timers of one shard become timers of another. A timer is one document, so it is in one of the two at every moment. An empty commit
// to each shard comes first: it tells whether the fence is the current one, and takes the place of the last entry in the log, which
// would otherwise be done again by the next owner, on timers that are elsewhere by then.

import type { OwnedShard, RowMove } from '../store.ts'
import type { Commits } from './commits.ts'
import type { Documents } from './documents.ts'

export async function moveTimers(
  documents: Documents,
  commits: Commits,
  { from, to, timers }: RowMove,
): Promise<boolean> {
  const results = await commits.commit([from, to].map(emptyPart))
  for (const result of results) if (result.type === 'failed') throw result.error
  if (results.some(({ type }) => type !== 'written')) return false
  // Any commit of the shard has a higher number.
  const moved = timers.map(({ uuid }) => ({ q: { _id: uuid, s: from.shard }, u: { $set: { s: to.shard, n: 0 } } }))
  if (moved.length > 0) await documents.update(moved)
  return true
}

function emptyPart(owned: OwnedShard) {
  return { ...owned, puts: [], deletes: [], counters: [], events: [] }
}
