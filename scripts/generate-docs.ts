// Writes the reference pages and the types that repeat what the code knows. With --check it writes nothing and fails when a page
// on disk is not what it would write.
//
//   npm run docs

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cliPage } from '../src/cli/command/reference-page.ts'
import { ERROR_CATALOGUE } from '../src/core/errors.ts'
import { configurationPage } from '../src/runtime/config/docs.ts'
import { sdkTypes } from './generate-sdk-types.ts'
import { apiYaml } from './openapi/document.ts'
import { goModels } from './sdks/go-models.ts'
import { javaModels } from './sdks/java-models.ts'
import { pythonModels } from './sdks/python-models.ts'

const root = join(import.meta.dirname, '..')
const JAVA_MODELS = 'sdks/java/src/main/java/dev/duetime/model'

const PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  'api/api.yaml': apiYaml,
  'deploy/helm/duetime/files/duetime.json': () => same('deploy/grafana/duetime.json'),
  'deploy/helm/duetime/files/duetime.rules.yaml': () => same('deploy/prometheus/duetime.rules.yaml'),
  'docs/reference/cli.md': cliPage,
  'docs/reference/configuration.md': configurationPage,
  'docs/reference/errors.md': errorsPage,
  'sdks/go/models.go': goModels,
  ...Object.fromEntries(Object.entries(javaModels()).map(([file, text]) => [`${JAVA_MODELS}/${file}`, () => text])),
  'sdks/python/src/duetime/_models.py': pythonModels,
  'sdks/typescript/src/generated.ts': sdkTypes,
  'sdks/typescript/src/time/written-duration.ts': () => copyOf('src/core/time/written-duration.ts'),
  'sdks/typescript/src/time/written-schedule.ts': () => copyOf('src/core/time/written-schedule.ts'),
}

/** The SDK depends on nothing, so what it shares with the service it has a copy of. */
function copyOf(path: string): string {
  return `// A copy of ${path}, made by \`npm run docs\`: change it there.\n\n${readFileSync(join(root, path), 'utf8')}`
}

/** A chart reads files of its own folder only. */
function same(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function errorsPage(): string {
  const rows = Object.entries(ERROR_CATALOGUE).map(
    ([code, { status, help }]) => `| \`${code}\` | ${status} | ${help.replaceAll('|', '\\|')} |`,
  )
  return `<!-- Generated from src/core/errors.ts by \`npm run docs\`: change it there. -->

# Errors

Every failure a client can meet has one of these codes. The codes and statuses are those of the native contract; the other
contracts answer in their own envelopes, and some have names of their own for the same failures.

| Code | Status | What it means and what to do |
|---|---|---|
${rows.join('\n')}
`
}

function stored(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const pages = await Promise.all(Object.entries(PAGES).map(async ([path, page]) => [path, await page()] as const))
const stale = pages.filter(([path, page]) => stored(path) !== page)
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is stale: run \`npm run docs\` and commit it`)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  for (const [path, page] of stale) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, page)
    console.log(`wrote ${path}`)
  }
}
