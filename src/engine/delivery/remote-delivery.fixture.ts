// A delivery that another node has under way, for tests in which only that counts.

import type { RemoteDelivery } from './remote-delivery.ts'

export const DELIVERY = {
  uuid: 'u',
  deliveryId: 'd',
  attempt: 1,
  lastAttemptAt: null,
  timeoutMs: 1_000,
  node: 'a',
} as RemoteDelivery
