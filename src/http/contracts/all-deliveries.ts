// How the timers of each contract are delivered, in one list; those of `groups` as those of `v1`.

import type { HttpProtocol } from '../../targets/http/protocol.ts'
import { cyclesDelivery } from './cycles/delivery.ts'
import { platformDelivery } from './platform/delivery.ts'
import { v1Delivery } from './v1/delivery.ts'

export const DELIVERIES: readonly HttpProtocol[] = [v1Delivery, cyclesDelivery, platformDelivery]
