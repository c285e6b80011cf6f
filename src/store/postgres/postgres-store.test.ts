import { after, before } from 'node:test'
import { PLAINTEXT } from '../../runtime/postgres-location.ts'
import { storeConformance } from '../conformance.ts'
import { PostgresServer } from './postgres-server.fixture.ts'
import { openPostgresStore } from './postgres-store.ts'

let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(() => server.stop())

storeConformance('postgres', async () => openPostgresStore({ ...(await server.createDatabase()), tls: PLAINTEXT }))
