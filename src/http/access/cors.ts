// Web pages of other origins that may use the API from a browser (CORS_ORIGINS). Without it browsers let a page of another
// origin send nothing that this API takes (JSON, a key, a PUT) and read no answer; that is also what keeps the pages that
// somebody visits away from a service on that person's machine. So only the origins that are named are answered, only
// for the API, and never with `Access-Control-Allow-Credentials`: keys are sent by the page, no cookie is one.
//
// It says nothing about who may do what: a key is asked for as ever, and so are the names of this machine (rebinding.ts).

import type { FastifyInstance } from 'fastify'
import { ANY_ORIGIN } from '../../runtime/config/origin.ts'

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, Prefer, X-API-Key, X-Request-ID, traceparent, tracestate',
  'access-control-max-age': '600', // how long a page goes on after its origin was taken from the list
}
/** What clients read besides the few headers that every page may see. */
const EXPOSED = 'Date, Retry-After, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset'
const API = /^\/(?:api|timers)(?:[/?]|$)/

/** Of every answer of the API, also of those to other origins and to none: a cache must not give them to a page that is allowed. */
export function corsHeaders(origins: readonly string[]): Readonly<Record<string, string>> {
  return origins.length === 0 || origins.includes(ANY_ORIGIN) ? {} : { vary: 'Origin' }
}

/** Must be called before access is: a preflight carries no key, and a page must be able to read why its key was refused. */
export function registerCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  const named = new Set(origins)
  const isAny = named.has(ANY_ORIGIN)
  const always = corsHeaders(origins)
  app.addHook('onRequest', (request, reply, done) => {
    if (!API.test(request.url)) return done()
    reply.headers(always)
    const { origin } = request.headers
    if (origin === undefined || !(isAny || named.has(origin))) return done()
    reply.header('access-control-allow-origin', isAny ? ANY_ORIGIN : origin)
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      reply.code(204).headers(PREFLIGHT_HEADERS).send()
      return
    }
    reply.header('access-control-expose-headers', EXPOSED)
    done()
  })
}
