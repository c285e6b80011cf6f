// Timers for the tests of the stores: valid values with everything at its default, but for what a test names.

import { emptyTimer } from '../../core/rules/empty-timer.ts'
import { timerIdentity } from '../../core/timer/ids.ts'
import { DEFAULT_RETRY } from '../../core/rules/retry.ts'
import type { JsonText, Namespace, Timer, TimerId } from '../../core/timer/timer.ts'

/** Long past and round, so that a time in a failed assertion can be read. */
export const SAMPLE_NOW = Date.UTC(2030, 0, 1)

export function sampleTimer(changes: Partial<Timer> = {}): Timer {
  const namespace = changes.namespace ?? ('default' as Namespace)
  const id = changes.id ?? ('sample' as TimerId)
  const dueAt = changes.dueAt ?? changes.wakeAt ?? SAMPLE_NOW + 60_000
  return {
    ...emptyTimer(timerIdentity(namespace, id), SAMPLE_NOW),
    nominalAt: dueAt,
    dueAt,
    wakeAt: dueAt,
    target: { type: 'http', url: 'http://127.0.0.1:9/hooks/orders/reminders', headers: null },
    protocol: 'v1',
    payload: '{"order":"o-1234567890","reason":"payment reminder","n":1}' as JsonText,
    retry: DEFAULT_RETRY,
    ...changes,
  }
}

export function namedTimers(...ids: string[]): Timer[] {
  return ids.map((id) => sampleTimer({ id: id as TimerId }))
}
