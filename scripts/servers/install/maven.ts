// The jar files of a Maven artifact and all that it needs at run time.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from './command.ts'

export type Artifact = { readonly group: string; readonly name: string; readonly version: string }

export async function fetchJars(directory: string, { group, name, version }: Artifact): Promise<void> {
  const project = join(directory, 'project')
  mkdirSync(project)
  writeFileSync(
    join(project, 'pom.xml'),
    `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>jars</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies><dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency></dependencies>
</project>
`,
  )
  const jars = join(directory, 'lib')
  await command(
    'mvn',
    ['-B', '-q', 'dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${jars}`],
    {
      cwd: project,
    },
  )
  rmSync(project, { recursive: true, force: true })
}
