// The entry point of a thread of deliveries.

import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../runtime/clock/clock.ts'
import { openDelivery } from './delivery.ts'
import type { DeliveryData } from './messages.ts'

openDelivery(workerData as DeliveryData, parentPort!, systemClock)
