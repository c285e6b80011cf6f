import { cpSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { maven, sdkFolder } from '../../scripts/sdks/languages.ts'
import { tempDir } from '../support/temp-dir.ts'
import type { Command } from './support/runner-process.ts'
import { conformance } from './support/scenario.ts'
import { skipWithout } from './support/tools.ts'

async function command(t: TestContext): Promise<Command> {
  // A copy, so that nothing else that builds at the same time meets half of it.
  const cwd = join(tempDir(t), 'java')
  cpSync(sdkFolder('java'), cwd, { recursive: true, filter: (path) => path !== join(sdkFolder('java'), 'target') })
  await maven(cwd, ['test-compile', 'dependency:build-classpath', '-Dmdep.outputFile=target/classpath'])
  const libraries = readFileSync(join(cwd, 'target', 'classpath'), 'utf8').trim()
  const classpath = ['target/classes', 'target/test-classes', libraries].join(delimiter)
  return { program: 'java', args: ['-cp', classpath, 'dev.duetime.ConformanceRunner'], cwd }
}

conformance(command, skipWithout('java'), { frameworks: { servlet: false, spring: false } })
