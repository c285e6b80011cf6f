import { join } from 'node:path'
import { conformance } from './support/scenario.ts'

const SDK = join(import.meta.dirname, '..', '..', 'sdks', 'typescript')

conformance(() => ({ program: process.execPath, args: ['conformance/runner.ts'], cwd: SDK }))
