// Rows that were found by their uuids, in the order of the keys that were asked for. A uuid is a hash: only with the same
// namespace and id is it the timer that was meant.

import type { Timer, TimerUuid } from '../core/timer/timer.ts'
import type { TimerKey } from './store.ts'

export function inOrderOf(keys: readonly TimerKey[], found: readonly Timer[]): (Timer | null)[] {
  const timers = new Map<TimerUuid, Timer>(found.map((timer) => [timer.uuid, timer]))
  return keys.map(({ uuid, namespace, id }) => {
    const timer = timers.get(uuid)
    return timer !== undefined && timer.id === id && timer.namespace === namespace ? timer : null
  })
}
