// api/released.json: the shape of the API as the last release had it, for the test that finds breaking changes. A release
// writes it anew, and nothing else does:
//
//   node scripts/openapi/released.ts

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { shapeOf } from './breaking-changes.ts'
import type { OpenApiDocument } from './openapi.ts'

const API = join(import.meta.dirname, '..', '..', 'api')

export function apiNow(): OpenApiDocument {
  return parse(readFileSync(join(API, 'api.yaml'), 'utf8')) as OpenApiDocument
}

export function apiReleased(): OpenApiDocument {
  return JSON.parse(readFileSync(join(API, 'released.json'), 'utf8')) as OpenApiDocument
}

if (import.meta.main) {
  const { info, paths, components } = shapeOf(apiNow())
  const lines = (of: object) =>
    Object.entries(of)
      .map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n')
  // One line for each path, so that a release is a short diff.
  const text = `{
  "info": ${JSON.stringify(info)},
  "paths": {
${lines(paths)}
  },
  "components": { "schemas": {
${lines(components!.schemas!)}
  } }
}
`
  writeFileSync(join(API, 'released.json'), text)
}
