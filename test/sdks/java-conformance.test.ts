import { delimiter } from 'node:path'
import type { TestContext } from 'node:test'
import type { Command } from './support/runner-process.ts'
import { compiledJava } from './support/java.ts'
import { conformance } from './support/scenario.ts'
import { skipWithout } from './support/tools.ts'

async function command(t: TestContext): Promise<Command> {
  const { cwd, classes, testClasses, libraries } = await compiledJava(t)
  const classpath = [classes, testClasses, ...libraries].join(delimiter)
  return { program: 'java', args: ['-cp', classpath, 'dev.duetime.ConformanceRunner'], cwd }
}

conformance(command, skipWithout('java'), { frameworks: { servlet: false, spring: false } })
