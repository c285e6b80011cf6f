import { onServer } from '../../../scripts/servers/server.fixture.ts'
import { storeConformance } from '../conformance/conformance.ts'
import { storeRandomWalk } from '../conformance/random-walk.ts'
import { emptyTable } from './dynamodb-server.fixture.ts'
import { openDynamodbStore } from './dynamodb-store.ts'

onServer('dynamodb', (server) => {
  storeConformance('dynamodb', () => openDynamodbStore(emptyTable(server())))

  storeRandomWalk('dynamodb', async () => {
    const location = emptyTable(server())
    return () => openDynamodbStore({ ...location, shards: 301 })
  })
})
