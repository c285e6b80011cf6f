import { storeConformance } from '../conformance/conformance.ts'
import { storeRandomWalk } from '../conformance/random-walk.ts'
import { storeUniqueTimers } from '../conformance/suite/unique-timers.ts'
import { emptyDatabase, onEveryMysql } from './mysql-server.fixture.ts'
import { openMysqlStore } from './mysql-store.ts'

onEveryMysql((name, server) => {
  const open = () => openMysqlStore(emptyDatabase(server()))

  storeConformance(name, open)
  storeUniqueTimers(name, open)

  storeRandomWalk(name, async () => {
    const location = emptyDatabase(server())
    return () => openMysqlStore({ ...location, shards: 301 })
  })
})
