// How many threads of each kind a process has. Two cores are busy with deciding and with the store; what is more is for
// requests and deliveries. More threads than these find nothing to do: the deciding thread is the limit by then.

import { availableParallelism } from 'node:os'
import type { Config } from '../runtime/config/config.ts'

export type ThreadCounts = { readonly http: number; readonly delivery: number }

/** For a clock that is moved by hand: threads have none but the system's. */
export const NO_THREADS: ThreadCounts = { http: 0, delivery: 0 }

const CORES_TAKEN = 2
const SHARE_OF_HTTP = 0.6 // a request costs more than a delivery
const HTTP_MAX = 6
const DELIVERY_MAX = 4

/** Where several sockets may listen on one port, and the kernel spreads connections over them. Elsewhere requests stay on the main thread. */
const SHARES_PORTS: readonly NodeJS.Platform[] = ['linux', 'freebsd']

export function threadCounts(
  { httpThreads, deliveryThreads }: Pick<Config, 'httpThreads' | 'deliveryThreads'>,
  { cores = availableParallelism(), platform = process.platform }: { cores?: number; platform?: NodeJS.Platform } = {},
): ThreadCounts {
  const sharesPorts = SHARES_PORTS.includes(platform)
  const spare = Math.max(0, cores - CORES_TAKEN)
  const http = sharesPorts ? Math.min(HTTP_MAX, Math.max(Math.min(1, spare), Math.floor(spare * SHARE_OF_HTTP))) : 0
  const delivery = Math.min(DELIVERY_MAX, spare - http)
  return {
    http: httpThreads === 'auto' ? http : sharesPorts ? httpThreads : 0,
    delivery: deliveryThreads === 'auto' ? delivery : deliveryThreads,
  }
}
