// A path that several contracts share, told apart by the body. The router takes one route per method and path, so each
// contract adds its dialect here and the app registers the path once: the body is checked by the schema of the contract
// it speaks, and by no other, and goes to that contract's handler.
//
// Whose envelope an error has is asked of `Contract.owns`, as everywhere. Where nothing can be known, as of a body that
// is no JSON, the dialect without `speaks` is meant: its contract owns the path whatever the body, and is listed last.

import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { FastifyValidationResult } from 'fastify/types/schema.js'
import type { Static, TSchema } from 'typebox'
import { mergedDocumentation } from '../docs/shared-route-docs.ts'
import type { OperationSchema } from '../docs/shared-route-docs.ts'
import type { SchemaFault } from '../errors/validation-message.ts'

export type Dialect<Body extends TSchema = TSchema> = {
  readonly method: HTTPMethods
  readonly url: string
  /** Whether the body speaks this dialect; null takes what no other does, and there is one such dialect. */
  readonly speaks: ((body: Readonly<Record<string, unknown>>) => boolean) | null
  readonly schema: OperationSchema<Body>
  readonly handler: (request: FastifyRequest<{ Body: Static<Body> }>, reply: FastifyReply) => Promise<FastifyReply>
}

/** A compiled schema: says yes, or no and leaves its reasons behind. */
type Validator = { (body: unknown): unknown; errors?: readonly SchemaFault[] | null }
type Registered = { readonly dialect: Dialect; validate: Validator }

export class SharedRoutes {
  readonly #dialects: Dialect[] = []

  add<Body extends TSchema>(dialect: Dialect<Body>): void {
    this.#dialects.push(dialect)
  }

  /** To be called when every contract has added what it has. */
  register(app: FastifyInstance): void {
    const byRoute = Map.groupBy(this.#dialects, ({ method, url }) => `${method} ${url}`)
    for (const dialects of byRoute.values()) registerRoute(app, dialects)
  }
}

function registerRoute(app: FastifyInstance, dialects: readonly Dialect[]): void {
  const { method, url } = dialects[0]!
  const registered = dialects.map((dialect): Registered => ({ dialect, validate: notCompiledYet }))
  app.addHook('onReady', (done) => {
    for (const one of registered) {
      one.validate = app.validatorCompiler!({
        schema: one.dialect.schema.body,
        method: String(method),
        url,
        httpPart: 'body',
      }) as Validator
    }
    done()
  })

  const validate: Validator = (body) => {
    const chosen = spokenBy(registered, body)
    const isValid = chosen.validate(body) === true
    validate.errors = isValid ? null : chosen.validate.errors!
    return isValid
  }
  app.route({
    method,
    url,
    config: { sharedByBody: true },
    schema: mergedDocumentation(dialects.map(({ schema }) => schema)),
    validatorCompiler: () => validate as FastifyValidationResult,
    handler: (request, reply) => spokenBy(registered, request.body).dialect.handler(request, reply),
  })
}

function spokenBy(registered: readonly Registered[], body: unknown): Registered {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  const speaking = isObject
    ? registered.find(({ dialect }) => dialect.speaks?.(body as Record<string, unknown>))
    : undefined
  // A contract that is served alone answers for its own path.
  return speaking ?? registered.find(({ dialect }) => dialect.speaks === null) ?? registered[0]!
}

function notCompiledYet(): never {
  throw new Error('a request came before the app was ready')
}
