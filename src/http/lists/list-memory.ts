// Sets memory aside for each answer with a page of timers, from before the store is asked until the client has the last byte or
// is gone. What goes beyond the limit of a key, or of all, is answered with 503: memory stays bounded, however slowly
// somebody reads. The service's gate counts; it also bounds how many questions the store is asked at a time.

import type { FastifyInstance } from 'fastify'
import type { QueryGate } from '../../service/queries/query-gate.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers with a page of timers. */
    list?: boolean
  }
}

/** Must be called before the routes are added. */
export function registerListMemory(app: FastifyInstance, gate: QueryGate): void {
  app.addHook('preHandler', (request, reply, done) => {
    if (request.routeOptions.config.list !== true) return done()
    const { name } = request.principal
    try {
      gate.beginAnswer(name)
    } catch (error) {
      return done(error as Error)
    }
    reply.raw.once('close', () => gate.endAnswer(name))
    done()
  })
}
