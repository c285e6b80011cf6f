import { onServer } from '../../../scripts/servers/server.fixture.ts'
import { storeConformance } from '../conformance/conformance.ts'
import { storeRandomWalk } from '../conformance/random-walk.ts'
import { crashingStore } from './crashing-store.fixture.ts'
import { emptyDatabase, LossyWay } from './mongodb-server.fixture.ts'
import { openMongodbStore } from './mongodb-store.ts'

onServer('ferretdb', (server) => {
  storeConformance('mongodb', () => openMongodbStore(emptyDatabase(server())))

  storeRandomWalk('mongodb', async () => {
    const location = emptyDatabase(server())
    return () => openMongodbStore({ ...location, shards: 301 })
  })

  storeRandomWalk('mongodb whose nodes die between the log and the rows', async () => {
    const { way, location } = await LossyWay.to(server(), emptyDatabase(server()))
    return () => crashingStore(way, location, 301)
  })
})
