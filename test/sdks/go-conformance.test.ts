import { join } from 'node:path'
import { runTool, sdkFolder } from '../../scripts/sdks/languages.ts'
import { tempDir } from '../support/temp-dir.ts'
import { conformance } from './support/scenario.ts'
import { skipWithout } from './support/tools.ts'

conformance(async (t) => {
  const cwd = tempDir(t)
  const program = join(cwd, 'runner')
  await runTool('go', ['build', '-o', program, './internal/conformance'], { cwd: sdkFolder('go') })
  return { program, args: [], cwd }
}, skipWithout('go'))
