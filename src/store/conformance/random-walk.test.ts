import { storeRandomWalk } from './random-walk.ts'
import { openSqliteStore } from '../sqlite/sqlite-store.ts'
import { temporaryFile } from '../sqlite/file/temporary-file.fixture.ts'

storeRandomWalk('sqlite', async () => {
  const path = temporaryFile()
  return () => openSqliteStore({ path, cacheMiB: 4 })
})
