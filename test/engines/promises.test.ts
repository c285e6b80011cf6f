// The promises of one node and of a cluster, on each engine: real calls, which clocks stand still for.

import { afterEach, describe } from 'node:test'
import { whileClocksStand } from '../../src/runtime/clock/manual-clock.ts'
import type { Store } from '../../src/store/store.ts'
import { clusterPromises } from '../promises/cluster-promises.ts'
import { promises } from '../promises/promises.ts'
import { onEngines, openOn } from './engines.ts'
import type { RunningServer } from '../../scripts/servers/servers.ts'

// Each part on a server of its own: every test has a database of its own, and Cassandra becomes slow with a hundred of them.
onEngines('promises', (_, server) => {
  describe('one node', () => promises({ newStore: stores(server, 1), runs: 5, stored: 400 }))
})
onEngines('promises', (_, server) => {
  describe('a cluster', () => clusterPromises(stores(server)))
})

function stores(server: () => RunningServer, one?: number): (shards?: number) => Promise<Store> {
  const open = new Set<Store>()
  let databases = 0
  afterEach(async () => {
    await Promise.all(Array.from(open, (store) => store.close()))
    open.clear()
  })
  return async (shards = one!) => {
    const store = await openOn(server(), `promises_${++databases}`, shards)
    open.add(store)
    return standing(store)
  }
}

/** An object of its own, so that a test can put another operation in the place of one. */
function standing(store: Store): Store {
  const operations: Record<string, unknown> = { capabilities: store.capabilities }
  for (let type: object = store; type !== Object.prototype; type = Object.getPrototypeOf(type) as object) {
    for (const name of Object.getOwnPropertyNames(type)) {
      const operation = (store as unknown as Record<string, unknown>)[name]
      if (name === 'constructor' || typeof operation !== 'function') continue
      operations[name] ??= (...given: unknown[]) => whileClocksStand(operation.apply(store, given) as Promise<unknown>)
    }
  }
  return operations as unknown as Store
}
