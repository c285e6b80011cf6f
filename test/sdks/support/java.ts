import { cpSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { maven, sdkFolder } from '../../../scripts/sdks/languages.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** Paths in `cwd`, and of the libraries that the SDK and its tests need. */
export type CompiledJava = {
  readonly cwd: string
  readonly classes: string
  readonly testClasses: string
  readonly libraries: readonly string[]
}

/** A copy, so that nothing else that builds at the same time meets half of it. */
export async function compiledJava(t: TestContext): Promise<CompiledJava> {
  const cwd = join(tempDir(t), 'java')
  cpSync(sdkFolder('java'), cwd, { recursive: true, filter: (path) => path !== join(sdkFolder('java'), 'target') })
  await maven(cwd, ['test-compile', 'dependency:build-classpath', '-Dmdep.outputFile=target/classpath'])
  const libraries = readFileSync(join(cwd, 'target', 'classpath'), 'utf8')
    .trim()
    .split(delimiter)
  return { cwd, classes: 'target/classes', testClasses: 'target/test-classes', libraries }
}
