// api/api.yaml as its readers need it: no client of the last release breaks, everything has an example, and the linter that
// generators trust has nothing to say. `npm run check` holds the file against the service.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { toolPath } from '../tools/tools.ts'
import { toolsHere } from '../tools/tools.fixture.ts'
import { breakingChanges } from './breaking-changes.ts'
import type { Operation } from './openapi.ts'
import { apiNow, apiReleased } from './released.ts'

const api = apiNow()
const operations = Object.entries(api.paths).flatMap(([path, byMethod]) =>
  Object.entries(byMethod).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
)

test('no client of the last release breaks', () => {
  assert.deepEqual(breakingChanges(apiReleased(), api), [])
})

test('every body and every answer has a schema and an example, and every operation a name', () => {
  for (const [place, { operationId, requestBody, responses }] of operations) {
    assert.ok(operationId, place)
    const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)]
    for (const [type, media] of contents.flatMap((content) => Object.entries(content ?? {})))
      assert.ok(
        media.schema !== undefined && media.example !== undefined,
        `${place}: ${type}: ${JSON.stringify(media)}`,
      )
  }
})

type Problem = { readonly ruleId: string; readonly message: string; readonly location: readonly { pointer?: string }[] }
type Redocly = {
  readonly createConfig: (config: object) => Promise<object>
  readonly lintFromString: (options: object) => Promise<readonly Problem[]>
}

test('the linter of Redocly has nothing to say', { skip: toolsHere('packages') }, async () => {
  const path = toolPath('packages', 'node_modules', '@redocly', 'openapi-core', 'lib', 'index.js')
  const { createConfig, lintFromString } = (await import(pathToFileURL(path).href)) as Redocly
  // Probes and the document itself cannot be asked wrongly.
  const config = await createConfig({ extends: ['recommended'], rules: { 'operation-4xx-response': 'off' } })
  const problems = await lintFromString({ source: JSON.stringify(api), absoluteRef: '/api.json', config })
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  )
})
