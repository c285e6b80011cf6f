import { onServer } from '../../../scripts/servers/server.fixture.ts'
import { storeConformance } from '../conformance/conformance.ts'
import { storeRandomWalk } from '../conformance/random-walk.ts'
import { emptyKeyspace } from './cassandra-server.fixture.ts'
import { openCassandraStore } from './cassandra-store.ts'

onServer('cassandra', (server) => {
  storeConformance('cassandra', async () => openCassandraStore(await emptyKeyspace(server())))

  storeRandomWalk('cassandra', async () => {
    const location = await emptyKeyspace(server())
    return () => openCassandraStore({ ...location, shards: 301 })
  })
})
