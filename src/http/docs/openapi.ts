// The OpenAPI document, from the schemas of the routes. These are only kept while the routes are added; what writes the
// document is loaded when somebody asks for it, which most processes never see.

import type { FastifyInstance, RouteOptions } from 'fastify'
import { VERSION } from '../../runtime/version.ts'
import type { OpenApiDocument } from './page.ts'
import { ErrorAnswer, TimerAnswer } from '../../language/answer-schema.ts'

const DESCRIPTION =
  'Durable timers: say what to call and when; it is stored before the answer, and called on the dot, whatever crashes in between. ' +
  'Every firing carries one delivery id on all its attempts, so that a receiver can recognise duplicates.'

const KEY_NEEDED = ' Every request needs an API key, sent as X-API-Key or as Authorization: Bearer.'
const SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  bearer: { type: 'http', scheme: 'bearer' },
} as const

declare module 'fastify' {
  interface FastifyInstance {
    /** Written when it is first asked for. */
    openApi(): Promise<OpenApiDocument>
  }
}

type Collected = Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'>

/** Must be called before the routes are added. */
export function registerOpenApi(app: FastifyInstance, { keysNeeded }: { readonly keysNeeded: boolean }): void {
  const routes: Collected[] = []
  app.addHook('onRoute', ({ method, url, schema, config }) => {
    if (method !== 'HEAD') routes.push({ method, url, ...(schema && { schema }), ...(config && { config }) })
  })
  for (const schema of SHARED) app.addSchema(schema)
  let document: Promise<OpenApiDocument> | undefined
  app.decorate('openApi', () => (document ??= written(routes, keysNeeded)))
}

const SHARED = [TimerAnswer, ErrorAnswer]

/** By the plugin of Fastify, in an instance that serves nobody. */
async function written(routes: readonly Collected[], keysNeeded: boolean): Promise<OpenApiDocument> {
  const [{ fastify }, { default: swagger }] = await Promise.all([import('fastify'), import('@fastify/swagger')])
  const app = fastify({ exposeHeadRoutes: false })
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => String)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Duetime', description: `${DESCRIPTION}${keysNeeded ? KEY_NEEDED : ''}`, version: VERSION },
      // Relative: the API is at the address that the document was asked at, whatever proxy is in front.
      servers: [{ url: '/', description: 'Where this document was read.' }],
      ...(keysNeeded && { components: { securitySchemes: SCHEMES }, security: [{ apiKey: [] }, { bearer: [] }] }),
      tags: [
        { name: 'timers', description: 'The native contract: one POST for each verb.' },
        {
          name: 'groups',
          description: 'Timers as resources: /api/v1/timers/{groupId}/{timerId}. A create can be repeated.',
        },
        {
          name: 'cycles',
          description: 'One-shots and cycles: /api/v1/timers/{timer_id}, with pages, statistics and the timing wheel.',
        },
        {
          name: 'platform',
          description: 'Timers with ids made by the service: /timers. One attempt each; {code, message, data}.',
        },
        {
          name: 'calendars',
          description: 'Named lists of days and times when nothing fires. Timers name them in calendar.',
        },
        {
          name: 'observing',
          description:
            'For people who watch: how things are, what happens, what will fire, and whether a callback works.',
        },
        { name: 'operation', description: 'For load balancers, monitoring and tools.' },
      ],
    },
    hideUntagged: true,
    transform: ({ schema, url, route }) => {
      const isOpen = keysNeeded && route.config?.open === true
      return { url, schema: isOpen ? { ...schema, security: [] } : schema }
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `schema-${index}`,
    },
  })
  for (const schema of SHARED) app.addSchema(schema)
  for (const route of routes) app.route({ ...route, handler: () => undefined })
  await app.ready()
  return app.swagger() as OpenApiDocument
}
