import { join } from 'node:path'
import { toolsHere } from '../../scripts/tools/tools.fixture.ts'
import { toolPath } from '../../scripts/tools/tools.ts'
import { conformance } from './support/scenario.ts'

const SDK = join(import.meta.dirname, '..', '..', 'sdks', 'typescript')
const FOLDER = toolPath('frameworks', 'package.json')
const skip = toolsHere('frameworks')

conformance(
  () => ({ program: process.execPath, args: ['conformance/runner.ts'], cwd: SDK, env: { FRAMEWORKS: FOLDER } }),
  { skip: false },
  { frameworks: { fastify: false, express: skip, hono: skip, next: skip } },
)
