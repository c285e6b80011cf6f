// Finds a timer in the store, wherever a reshard has it at the moment.

import { placesOf } from '../core/cluster/split.ts'
import { unavailable } from '../core/errors.ts'
import type { TimerIdentity } from '../core/timer/ids.ts'
import type { Timer } from '../core/timer/timer.ts'
import type { GatheredGets } from '../store/gathered-gets.ts'
import { RETRY_AFTER_MS } from './commit/owned-rows.ts'
import type { Ownership } from './cluster/ownership.ts'

type Known = Pick<Ownership, 'layout' | 'isCertain' | 'lookNow'>

/** Null when it is surely not there: a node that may be out of date looks at the layout first. */
export async function findTimer(identity: TimerIdentity, reads: GatheredGets, known: Known): Promise<Timer | null> {
  for (;;) {
    const places = placesOf(known.layout.current, identity)
    for (const shard of places) {
      const timer = await reads.get({ ...identity, shard })
      if (timer !== null) return timer
    }
    if (!known.isCertain) await known.lookNow()
    if (!known.isCertain) throw unavailable('this node cannot tell where the timer is: try another one', RETRY_AFTER_MS)
    if (placesOf(known.layout.current, identity).join() === places.join()) return null
  }
}
