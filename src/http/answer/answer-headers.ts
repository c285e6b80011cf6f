// Headers that every answer has, so that no browser takes data of somebody's timers for a page or a script, and no other
// site can embed it. Pages that may call the API are named by CORS_ORIGINS, which this does not touch.

import type { FastifyInstance } from 'fastify'

export const ANSWER_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Must be called before the routes are added. */
export function registerAnswerHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(ANSWER_HEADERS)
    done()
  })
}
