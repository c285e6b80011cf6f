// api/api.yaml: the OpenAPI document of the service with its keys, as a file for generators, linters and readers. It is what
// `GET /openapi.json` answers, with an address to send requests to, and with the answers of the golden examples.

import { stringify } from 'yaml'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { startServer } from '../../src/server.ts'
import { fillIn, goldenAnswers } from './golden-answers.ts'
import type { OpenApiDocument } from './openapi.ts'

const KEY = 'x'.repeat(40) // the document of a service with keys says how to send one

export async function openApiDocument(): Promise<OpenApiDocument> {
  const env = { DATABASE_URL: 'memory:', HOST: '127.0.0.1', PORT: '0', API_KEY: KEY, LOG_LEVEL: 'error' }
  const server = await startServer(loadConfig({ env }))
  try {
    const served = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument
    return fillIn(
      {
        ...served,
        info: { ...served.info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
        servers: [
          {
            url: '{address}',
            description: 'Where the service listens.',
            variables: { address: { default: 'http://localhost:8080' } },
          },
        ],
      },
      goldenAnswers(),
    )
  } finally {
    await server.stop()
  }
}

export async function apiYaml(): Promise<string> {
  const text = stringify(await openApiDocument(), withoutDiscriminators, { lineWidth: 0, aliasDuplicateObjects: false })
  return `# Generated from the schemas of the routes by \`npm run docs\`: change them there.\n${text}`
}

/** They make the validator's messages better. In OpenAPI they need schemas with names, which these alternatives have not. */
function withoutDiscriminators(key: unknown, value: unknown): unknown {
  return key === 'discriminator' ? undefined : value
}
