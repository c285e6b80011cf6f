import { storeConformance } from '../conformance/conformance.ts'
import { storeUniqueTimers } from '../conformance/suite/unique-timers.ts'
import { openSqliteStore } from './sqlite-store.ts'
import { temporaryFile } from './file/temporary-file.fixture.ts'

const open = () => openSqliteStore({ path: temporaryFile(), cacheMiB: 4 })

storeConformance('sqlite', open)
storeUniqueTimers('sqlite', open)
