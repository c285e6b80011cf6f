// Which adapter delivers a timer: the one of its target's type. A stored timer may name a type that is no longer configured:
// its attempts fail and say so, unless its timers wait for an adapter.

import { failedDelivery } from '../../core/timer/delivery.ts'
import { targetTypeOf } from '../../core/targets/target.ts'
import type { Target } from '../../core/targets/target.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import type { Callback, TargetAdapter } from '../../targets/target.ts'

export function targetFinder(adapters: readonly TargetAdapter[]): (target: Target) => TargetAdapter {
  const byType = new Map(adapters.map((adapter) => [adapter.type, adapter]))
  return ({ type }) => byType.get(type) ?? unconfigured(type)
}

function unconfigured(type: Target['type']): TargetAdapter {
  return {
    type,
    refuse: () => targetTypeOf(type).unconfigured,
    destinationOf: () => `unconfigured:${type}`,
    ...(targetTypeOf(type).waitsForAdapter && { isOpen: () => false }),
    deliver: () => Promise.resolve(failedDelivery(`this service has no ${type} connection configured`)),
    close: () => Promise.resolve(),
  }
}

/** Why timers of a namespace may not have a callback, by what can be delivered here; null when they may. */
export function targetRefusal(
  targets: readonly TargetAdapter[],
): (callback: Callback, namespace: Namespace) => string | null {
  const adapterOf = targetFinder(targets)
  return (callback, namespace) => adapterOf(callback.target).refuse?.(callback, namespace) ?? null
}
