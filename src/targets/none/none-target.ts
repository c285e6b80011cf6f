// The target of a timer that calls nobody: it fires, is recorded as completed and shows in events and history.

import type { DeliveryOutcome } from '../../core/timer/delivery.ts'
import type { NoTarget } from '../../core/targets/none.ts'
import type { TargetAdapter } from '../target.ts'

const DELIVERED: DeliveryOutcome = Object.freeze({ type: 'delivered', statusCode: null })

export class NoneTarget implements TargetAdapter<NoTarget> {
  readonly type = 'none'

  destinationOf(): string {
    return 'none'
  }

  deliver(): Promise<DeliveryOutcome> {
    return Promise.resolve(DELIVERED)
  }

  async close(): Promise<void> {}
}
