import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { clusterPromises } from './cluster-promises.ts'

clusterPromises(async (shards) => new MemoryStore({ shards, shared: true }))
