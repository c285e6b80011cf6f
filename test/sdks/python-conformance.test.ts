import { pythonTools, sdkFolder } from '../../scripts/sdks/languages.ts'
import { conformance } from './support/scenario.ts'
import { skipWithout } from './support/tools.ts'

conformance(
  async () => ({
    program: await pythonTools(),
    args: ['conformance/runner.py'],
    cwd: sdkFolder('python'),
    env: { PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' },
  }),
  skipWithout('python'),
  { frameworks: { fastapi: false, flask: false, django: false } },
)
