import { storeConformance } from '../conformance/conformance.ts'
import { storeRandomWalk } from '../conformance/random-walk.ts'
import { emptyDatabase, onEveryMysql } from './mysql-server.fixture.ts'
import { openMysqlStore } from './mysql-store.ts'

onEveryMysql((name, server) => {
  storeConformance(name, () => openMysqlStore(emptyDatabase(server())))

  storeRandomWalk(name, async () => {
    const location = emptyDatabase(server())
    return () => openMysqlStore({ ...location, shards: 301 })
  })
})
