import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { promises } from './promises.ts'

promises({ newStore: async () => new MemoryStore() })
