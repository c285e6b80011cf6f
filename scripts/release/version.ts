// Whether everything that a release publishes has the version of its tag; a release stops here if not.
//
//   node scripts/release/version.ts v1.2.3

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { releaseNotes } from './notes.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const inJson = (path: string): string => (JSON.parse(read(path)) as { version: string }).version

/** One sentence for each place that has another version. */
export function otherVersions(version: string): string[] {
  const [, chart, app] = /^version: (.*)\nappVersion: (.*)$/m.exec(read('deploy/helm/duetime/Chart.yaml')) ?? []
  const first = (path: string, pattern: RegExp) => pattern.exec(read(path))?.[1]
  const places: Readonly<Record<string, string | undefined>> = {
    'package.json': inJson('package.json'),
    'sdks/typescript/package.json': inJson('sdks/typescript/package.json'),
    'deploy/helm/duetime/Chart.yaml, version': chart,
    'deploy/helm/duetime/Chart.yaml, appVersion': app,
    'deploy/kustomize/base/deployment.yaml': first('deploy/kustomize/base/deployment.yaml', /image: .*:(.*)$/m),
    'deploy/homebrew/duetime.rb': first('deploy/homebrew/duetime.rb', /\/v([^/]+)\/duetime-\1\.tgz/),
    'sdks/python/pyproject.toml': first('sdks/python/pyproject.toml', /^version = "(.*)"$/m),
    'sdks/python/src/duetime/__init__.py': first('sdks/python/src/duetime/__init__.py', /^__version__ = "(.*)"$/m),
    'sdks/java/pom.xml': first(
      'sdks/java/pom.xml',
      /<artifactId>duetime-client<\/artifactId>\s*<version>(.*)<\/version>/,
    ),
  }
  return Object.entries(places).flatMap(([place, found]) => (found === version ? [] : [`${place} has ${found}`]))
}

if (import.meta.main) {
  const version = (process.argv[2] ?? '').replace(/^v/, '')
  const faults = [
    ...otherVersions(version),
    ...(releaseNotes(version) === null ? [`CHANGELOG.md has no entry ${version}`] : []),
  ]
  for (const fault of faults) console.error(`The release is ${version}, and ${fault}.`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
