// Events that wait to be published move with their timers to other shards. Cut short, some of them are there twice: receivers know
// events by their ids.

import type { LifecycleEvent } from '../../core/events/lifecycle-event.ts'
import type { ShardId } from '../../core/timer/timer.ts'
import { partsWithin } from '../commit-sheet.ts'
import { StoreError } from '../store.ts'
import type { OutboxEvent, OwnedShard, TimerStore } from '../store.ts'

export type EventsMove = {
  readonly store: TimerStore
  /** Of the shard that an event is to be in. */
  readonly fenceFor: (event: OutboxEvent) => OwnedShard
}

const EVENTS_AT_ONCE = 500

export async function moveEvents(shard: ShardId, { store, fenceFor }: EventsMove): Promise<void> {
  for (let after = 0; ;) {
    const events = await store.readEvents({ shard, after, limit: EVENTS_AT_ONCE })
    if (events.length === 0) return
    after = events.at(-1)!.number
    for (const [fence, some] of Map.groupBy(events, fenceFor)) {
      if (fence.shard === shard) continue
      await addEvents(store, fence, some)
      await store.removeEvents({ shard, numbers: some.map(({ number }) => number) })
    }
  }
}

async function addEvents(store: TimerStore, fence: OwnedShard, events: readonly OutboxEvent[]): Promise<void> {
  const parts = partsWithin(store.capabilities.partMax, events, (some) => {
    return { ...fence, puts: [], deletes: [], counters: [], events: some.map(withoutNumber) }
  })
  for (const { part } of parts) {
    const [result] = await store.commit([part])
    if (result!.type === 'failed') throw result!.error
    if (result!.type !== 'written') throw new StoreError(`shard ${fence.shard} has another owner`)
  }
}

function withoutNumber({ uuid, namespace, type, id, at, body }: OutboxEvent): LifecycleEvent {
  return { uuid, namespace, type, id, at, body }
}
