// What the main thread and the threads of deliveries say to each other.

import type { DeliveryOutcome, Firing } from '../../core/timer/delivery.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { Failure } from '../channel/failure.ts'

export type DeliveryData = { readonly config: Config }

/** Deliveries have numbers; those that one signal ends are of one group. */
export type ToDelivery =
  | { readonly deliver: number; readonly group: number; readonly firing: Firing }
  | { readonly abortGroup: number }

export type FromDelivery =
  | { readonly delivered: number; readonly outcome: DeliveryOutcome }
  | { readonly delivered: number; readonly failure: Failure }
