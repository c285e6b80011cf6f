import { storeConformance } from '../conformance/conformance.ts'
import { openSqliteStore } from './sqlite-store.ts'
import { temporaryFile } from './file/temporary-file.fixture.ts'

storeConformance('sqlite', async () => openSqliteStore({ path: temporaryFile(), cacheMiB: 4 }))
