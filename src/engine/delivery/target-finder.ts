// Which adapter delivers a timer: the one of its target's type. A stored timer may name a type that is no longer configured:
// its attempts fail and say so. A function is in a program that is not running now, which is no failure: its timers wait.

import { failedDelivery } from '../../core/timer/delivery.ts'
import type { Target } from '../../core/timer/timer.ts'
import type { TargetAdapter } from '../../targets/target.ts'

export function targetFinder(adapters: readonly TargetAdapter[]): (target: Target) => TargetAdapter {
  const byType = new Map(adapters.map((adapter) => [adapter.type, adapter]))
  return ({ type }) => byType.get(type) ?? unconfigured(type)
}

function unconfigured(type: Target['type']): TargetAdapter {
  return {
    type,
    laneOf: () => `unconfigured:${type}`,
    ...(type === 'function' && { isOpen: () => false }),
    deliver: () => Promise.resolve(failedDelivery(`this service has no ${type} connection configured`)),
    close: () => Promise.resolve(),
  }
}
