// Whether anything is left in a shard whose timers and events move to others.

import type { ShardId } from '../../core/timer/timer.ts'
import type { TimerStore } from '../store.ts'

export async function isEmptyShard(store: Pick<TimerStore, 'scan' | 'readEvents'>, shard: ShardId): Promise<boolean> {
  const scan = { shard, after: null, limit: 1 }
  const found = await Promise.all([
    store.scan({ ...scan, finished: false }),
    store.scan({ ...scan, finished: true }),
    store.readEvents({ shard, after: 0, limit: 1 }),
  ])
  return found.every((rows) => rows.length === 0)
}
