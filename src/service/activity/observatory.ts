// Everything that watches this node for people, put together: what it remembers, what it tells at once, and the observer
// that the engine and the service report to.

import type { EngineGauges, EngineObserver } from '../../engine/engine.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Store } from '../../store/store.ts'
import { observeWith } from '../observers.ts'
import type { ServiceObserver } from '../observers.ts'
import { Activity } from './activity.ts'
import { LiveFeed } from './live-feed.ts'
import { Overviews } from './overview.ts'
import { SharedCounts } from './shared-counts.ts'

export type Observatory = {
  readonly overviews: Overviews
  readonly feed: LiveFeed
  readonly observer: EngineObserver & ServiceObserver
}

export type ObservatoryParts = {
  readonly store: Pick<Store, 'stats'>
  readonly clock: Clock
  /** Not asked before somebody looks, so the engine may be built later. */
  readonly gauges: () => EngineGauges
}

export function openObservatory({ store, clock, gauges }: ObservatoryParts): Observatory {
  const activity = new Activity(clock)
  const overviews = new Overviews({ activity, counts: new SharedCounts(store, clock), gauges, clock })
  const feed = new LiveFeed(clock, (sight) => overviews.pulse(sight))
  return { overviews, feed, observer: observeWith([activity.observer(), feed.observer()]) }
}
