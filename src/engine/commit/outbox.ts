// What the engine needs of those who publish lifecycle events: it asks which events a change stands for, writes them with
// the change, and says where there is something to publish. Without one, no events are written.

import type { LifecycleEvent } from '../../core/events/lifecycle-event.ts'
import type { ShardId, Timer } from '../../core/timer/timer.ts'

export interface Outbox {
  eventsOf(before: Timer | null, after: Timer): readonly LifecycleEvent[]
  /** Throws UNAVAILABLE when so many events wait that clients must not add to them. Firings always may. */
  assertRoom(): void
  /** The shard is owned here, and may have events from before. */
  opened(shard: ShardId): void
  /** Events were written, or may have been. */
  written(shard: ShardId): void
  /** Nothing more is written to the shard here. Resolves soon, when what can still be published is. */
  closed(shard: ShardId): Promise<void>
  /** The shard has, or gets, another owner, who goes on with its events. */
  left(shard: ShardId): void
}
