// The routes that carry the load, create and batch, answered directly on Node's server: what Fastify does for every request
// (two objects, hooks, a parser and a serializer to choose) costs as much as reading and checking a create.
//
// Only a plain request that succeeds is answered here. Everything else goes to Fastify, where the same route is
// registered with the same schema and the same answer: at once where the headers are enough to tell (another type, a foreign
// origin, no right, a limited rate), else with the body that has been read, or with the error that the answer ended in. So
// there is one place that checks and one that refuses, and a request is carried out at most once.

import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Principal } from '../../core/access/access.ts'
import { BODY_VALUES_MAX } from '../../core/limits.ts'
import type { TimerService } from '../../service/timer-service.ts'
import type { Timers } from '../../service/timers.ts'
import { ANSWER_HEADERS } from '../answer/answer-headers.ts'
import { JSON_TYPE, sendJson } from '../answer/send-json.ts'
import type { CollectedRequest } from '../body/collected-request.ts'
import { keepReadBody, readJson } from '../body/request-body.ts'
import type { OperationSchema } from '../docs/shared-route-docs.ts'

export type DirectRequest<Body> = {
  readonly body: Body
  readonly headers: IncomingHttpHeaders
  readonly timers: Timers
}

export type DirectRoute<Body extends TSchema = TSchema> = {
  readonly url: string
  readonly schema: OperationSchema<Body>
  /** Takes many timers at once. */
  readonly batch?: boolean
  /** The JSON of a 200. */
  readonly answer: (request: DirectRequest<Static<Body>>) => Promise<string>
}

export type DirectParts = {
  readonly service: TimerService
  /** Who may ask for what needs no further look; null: the hooks decide. */
  readonly admit: (request: IncomingMessage) => Principal | null
  /** That all answers have, besides those that they always have. */
  readonly headers: Readonly<Record<string, string>>
  readonly bodyMaxBytes: number
  readonly batchBodyMaxBytes: number
}

type Served = {
  readonly answer: DirectRoute['answer']
  readonly bytesMax: number
  isValid: (body: unknown) => unknown
}

export class DirectRoutes {
  readonly #parts: DirectParts
  readonly #routes = new Map<string, Served>()
  readonly #headers: readonly string[]
  /** What the answers to requests ended in that are now Fastify's. */
  readonly #failures = new WeakMap<IncomingMessage, Error>()
  #isClosing = false

  constructor(parts: DirectParts) {
    this.#parts = parts
    this.#headers = Object.entries({ 'content-type': JSON_TYPE, ...ANSWER_HEADERS, ...parts.headers }).flat()
  }

  /** Registers it in Fastify, too. */
  add<Body extends TSchema>(app: FastifyInstance, { url, schema, batch = false, answer }: DirectRoute<Body>): void {
    app.post<{ Body: Static<Body> }>(url, { config: { batch }, schema }, async (request, reply) => {
      const failure = this.#failures.get(request.raw)
      if (failure !== undefined) throw failure
      return sendJson(reply, await answer(request as DirectRequest<Static<Body>>))
    })
    const { bodyMaxBytes, batchBodyMaxBytes } = this.#parts
    app.addHook('onReady', (done) => {
      const isValid = app.validatorCompiler!({ schema: schema.body, method: 'POST', url, httpPart: 'body' })
      const bytesMax = batch ? batchBodyMaxBytes : bodyMaxBytes
      this.#routes.set(url, { answer: answer as DirectRoute['answer'], bytesMax, isValid })
      done()
    })
  }

  /** Puts itself before Fastify, which must be ready and have a server whose requests are CollectedRequests. */
  attach({ server }: FastifyInstance): void {
    const [framework] = server.listeners('request') as RequestListener[]
    server.off('request', framework!)
    server.on('request', (request, response) => {
      const route = request.method === 'POST' ? this.#routes.get(request.url!) : undefined
      if (route === undefined || !this.#serve(route, request as CollectedRequest, response, framework!))
        framework!(request, response)
    })
  }

  /** From here on Fastify answers, which tells clients that their connections end. */
  close(): void {
    this.#isClosing = true
  }

  /** False: not for here. */
  #serve(route: Served, request: CollectedRequest, response: ServerResponse, framework: RequestListener): boolean {
    if (this.#isClosing || !isPlain(request.headers, route.bytesMax)) return false
    const principal = this.#parts.admit(request)
    if (principal === null) return false
    request.collect((bytes) => {
      const body = goodBody(bytes, route)
      if (body === undefined) {
        keepReadBody(request, bytes)
        return framework(request, response)
      }
      const timers = this.#parts.service.as(principal)
      route.answer({ body, headers: request.headers, timers }).then(
        (json) => this.#send(response, json),
        (error: Error) => {
          keepReadBody(request, bytes)
          this.#failures.set(request, error)
          framework(request, response)
        },
      )
    })
    return true
  }

  #send(response: ServerResponse, json: string): void {
    const bytes = Buffer.byteLength(json)
    response.writeHead(200, [...this.#headers, 'content-length', String(bytes)])
    // ASCII is the same in both, and a tenth of the work: a batch is answered with some hundred kilobytes.
    response.end(json, bytes === json.length ? 'latin1' : 'utf8')
  }
}

/** Nothing in the headers that would change how it is read or answered. */
function isPlain(headers: IncomingHttpHeaders, bytesMax: number): boolean {
  const type = headers['content-type']
  return (
    (type === 'application/json' || type === JSON_TYPE) &&
    Number(headers['content-length']) <= bytesMax &&
    headers.expect === undefined &&
    headers.origin === undefined
  )
}

/** Undefined when there is anything wrong with it: Fastify will find it again, and say what. */
function goodBody(bytes: Buffer, { isValid }: Served): unknown {
  try {
    const body = readJson(bytes, BODY_VALUES_MAX)
    return isValid(body) === true ? body : undefined
  } catch {
    return undefined
  }
}
