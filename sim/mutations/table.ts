// All deliberate bugs, in the order in which they are tried.

import type { Mutation } from './mutation.ts'
import { MUTATIONS_OF_CLUSTERS } from './of-clusters.ts'
import { MUTATIONS_OF_SPLITS } from './of-splits.ts'
import { MUTATIONS_OF_TIMERS } from './of-timers.ts'
import { MUTATIONS_OF_WRITES } from './of-writes.ts'

export const MUTATIONS: readonly Mutation[] = [
  ...MUTATIONS_OF_WRITES,
  ...MUTATIONS_OF_CLUSTERS,
  ...MUTATIONS_OF_SPLITS,
  ...MUTATIONS_OF_TIMERS,
]
