// What every store must do, whoever made it: the contract of store.ts as tests. An adapter's own test file calls
// this with a way to open an empty store, and adds what only that adapter has.

import type { TestContext } from 'node:test'
import { Owned } from './owned-store.ts'
import type { OpenEmptyStore } from './owned-store.ts'
import { storeCommits } from './suite/commits.ts'
import { storeDueScans } from './suite/due-scans.ts'
import { storeEvents } from './suite/events.ts'
import { storeLists } from './suite/lists.ts'
import { storeMoves } from './suite/moves.ts'
import { storeOwnership } from './suite/ownership.ts'
import { storePageBytes } from './suite/page-bytes.ts'
import { storeQueries } from './suite/queries.ts'
import { storeClosing, storeCountersAndPruning, storeValues } from './suite/values.ts'

export function storeConformance(name: string, openStore: OpenEmptyStore): void {
  const setup = (t: TestContext): Promise<Owned> => Owned.open(t, openStore)
  storeOwnership(name, setup)
  storeMoves(name, setup)
  storeCommits(name, setup)
  storeDueScans(name, setup)
  storeLists(name, setup)
  storeCountersAndPruning(name, setup)
  storeQueries(name, setup)
  storePageBytes(name, setup)
  storeEvents(name, setup)
  storeValues(name, setup)
  storeClosing(name, openStore)
}
