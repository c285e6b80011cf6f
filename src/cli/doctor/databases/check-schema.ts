// Whether the tables of a database on a server are there, and of which version.

import type { Setup } from '../../../store/sql/server/migrate.ts'
import type { Findings } from '../finding.ts'

export async function checkSchema(setup: Setup, findings: Findings): Promise<void> {
  const { schemaVersion } = await import('../../../store/sql/server/migrate.ts')
  const [version, latest] = [await schemaVersion(setup), setup.steps.length]
  const older = `the schema has version ${version}, and this program ${latest}`
  if (version === 0) findings.ok('the tables are not there yet; the first start makes them')
  else if (version < latest) findings.warn(older, 'The next start migrates it. Make a backup first.')
  else findings.ok(`the schema has version ${version}`)
}
