import { cpSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { maven, sdkFolder } from '../../scripts/sdks/languages.ts'
import { tempDir } from '../support/temp-dir.ts'
import { conformance } from './support/scenario.ts'
import { skipWithout } from './support/tools.ts'

conformance(async (t) => {
  // A copy, so that nothing else that builds at the same time meets half of it.
  const cwd = join(tempDir(t), 'java')
  cpSync(sdkFolder('java'), cwd, { recursive: true, filter: (path) => path !== join(sdkFolder('java'), 'target') })
  await maven(cwd, ['test-compile', 'dependency:build-classpath', '-Dmdep.outputFile=target/classpath'])
  const libraries = readFileSync(join(cwd, 'target', 'classpath'), 'utf8').trim()
  const classpath = ['target/classes', 'target/test-classes', libraries].join(delimiter)
  return { program: 'java', args: ['-cp', classpath, 'dev.duetime.ConformanceRunner'], cwd }
}, skipWithout('java'))
