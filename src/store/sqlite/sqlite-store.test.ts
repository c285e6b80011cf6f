import { storeConformance } from '../conformance/conformance.ts'
import { openSqliteStore } from './sqlite-store.ts'
import { temporaryFile } from './file/temporary-file.ts'

storeConformance('sqlite', async () => openSqliteStore({ path: temporaryFile(), cacheMiB: 4 }))
