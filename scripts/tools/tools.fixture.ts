// Tests with a tool. Where it is not installed they are skipped, with a line that says what to run. CI installs all that
// can be had on its machine and names them in REQUIRED_TOOLS: of those it must not skip a test.

import { missingTools } from './tools.ts'
import type { ToolName } from './tools.ts'
import { cannotBeHad } from '../testing/cannot-be-had.ts'

/** As the `skip` of a test: false where all of them are here. */
export function toolsHere(...names: readonly ToolName[]): string | false {
  const missing = missingTools(...names)
  if (missing === null) return false
  const required = (process.env['REQUIRED_TOOLS'] ?? '').split(/[\s,]+/)
  return names.some((name) => required.includes(name)) ? missing : cannotBeHad(missing)
}
