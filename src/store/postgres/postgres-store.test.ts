import { after, before } from 'node:test'
import { storeConformance } from '../conformance/conformance.ts'
import { storeRandomWalk } from '../conformance/random-walk.ts'
import { storeUniqueTimers } from '../conformance/suite/unique-timers.ts'
import { PostgresServer } from './postgres-server.fixture.ts'
import { openPostgresStore } from './postgres-store.ts'

let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(() => server.stop())

const open = async () => openPostgresStore(await server.createDatabase())

storeConformance('postgres', open)
storeUniqueTimers('postgres', open)

storeRandomWalk('postgres', async () => {
  const database = await server.createDatabase()
  return () => openPostgresStore({ ...database, shards: 301 })
})
