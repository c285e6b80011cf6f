// The OpenAPI document: collected from the schemas of the routes while they are added.

import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { VERSION } from '../runtime/version.ts'
import { ErrorAnswer, TimerAnswer } from './native/answer-schema.ts'

const DESCRIPTION =
  'Durable timers: say what to call and when; it is stored before the answer, and called on the dot, whatever crashes in between. ' +
  'Every firing carries one delivery id on all its attempts, so that a receiver can recognise duplicates.'

export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Duetime', description: DESCRIPTION, version: VERSION },
      tags: [
        { name: 'timers', description: 'The native contract: one POST for each verb.' },
        { name: 'operation', description: 'For load balancers, monitoring and tools.' },
      ],
    },
    hideUntagged: true,
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => (typeof json.$id === 'string' ? json.$id : `schema-${index}`) },
  })
  app.addSchema(TimerAnswer)
  app.addSchema(ErrorAnswer)
}
