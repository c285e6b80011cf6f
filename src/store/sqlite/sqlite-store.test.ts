import { storeConformance } from '../conformance/conformance.ts'
import { openSqliteStore } from './sqlite-store.ts'
import { temporaryFile } from './temporary-file.ts'

storeConformance('sqlite', async () => openSqliteStore({ path: temporaryFile(), cacheMiB: 4 }))
