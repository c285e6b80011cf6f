// Reads a request body: no larger than its route allows, UTF-8, JSON, not too deep, no poisonous keys. Each refusal says
// what is wrong and where. Parsing happens on the thread that fires timers, so everything that makes it long is bounded
// first: the size before the body is read, depth and number of values before it is parsed.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DuetimeError, ErrorCode, invalidInput } from '../../core/errors.ts'
import { BODY_VALUES_MAX, JSON_DEPTH_MAX } from '../../core/limits.ts'
import type { Config } from '../../runtime/config/config.ts'
import { askForBody } from './expect-continue.ts'
import { surveyJson } from './json-guards.ts'
import type { JsonFault } from './json-guards.ts'
import { locateJsonFault } from './json-position.ts'
import { rememberPayloads } from '../../language/payload-text.ts'
import { keepForPeeking } from './peek-body.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes many timers at once: its body may be as large as BATCH_BODY_MAX_BYTES. */
    batch?: boolean
    /** The body comes from another node, which has held the client to the limits. */
    fromPeer?: boolean
  }
}

type Done = (error: Error | null, body?: unknown) => void

/** Must be called before the routes are added. */
export function registerRequestBodies(
  app: FastifyInstance,
  { batchBodyMaxBytes }: Pick<Config, 'batchBodyMaxBytes'>,
): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.batch === true) route.bodyLimit = batchBodyMaxBytes
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json(?:;|$)/, (request, stream, done) =>
    readBody(request, stream, done),
  )
}

/** Bodies that were read before Fastify got their requests. */
const readBodies = new WeakMap<IncomingMessage, Buffer>()

export function keepReadBody(request: IncomingMessage, body: Buffer): void {
  readBodies.set(request, body)
}

function readBody(request: FastifyRequest, stream: IncomingMessage, done: Done): void {
  const known = readBodies.get(stream)
  if (known !== undefined) return parseBody(request, known, done)
  const limit = request.routeOptions.bodyLimit
  if (Number(request.headers['content-length'] ?? 0) > limit) return done(bodyTooLarge(request, limit))
  askForBody(stream)
  const chunks: Buffer[] = []
  let bytes = 0
  const stop = (error: Error | null) => {
    stream.off('data', take).off('end', whole).off('error', stop)
    if (error === null) parseBody(request, Buffer.concat(chunks, bytes), done)
    else done(error)
  }
  const whole = () => stop(null)
  const take = (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes <= limit) return
    keepForPeeking(request, Buffer.concat(chunks))
    stop(bodyTooLarge(request, limit))
  }
  stream.on('data', take).on('end', whole).on('error', stop)
}

function parseBody(request: FastifyRequest, body: Buffer, done: Done): void {
  // Some clients announce JSON on every request; a DELETE has none to send.
  if (body.length === 0 && request.method === 'DELETE') return done(null)
  let value: unknown
  try {
    value = readJson(body, request.routeOptions.config.fromPeer === true ? Infinity : BODY_VALUES_MAX)
  } catch (error) {
    keepForPeeking(request, body)
    done(error as Error)
    return
  }
  done(null, value)
}

/** Throws what is wrong with it. */
export function readJson(body: Buffer, valuesMax: number): unknown {
  if (body.length === 0) throw emptyBody()
  if (!isUtf8(body)) throw malformedBody('the body is not valid UTF-8')
  const { fault, hasDelicateNumbers } = surveyJson(body, { depthMax: JSON_DEPTH_MAX, valuesMax })
  if (fault !== null) throw refused(fault, valuesMax)
  const text = body.toString('utf8')
  const value = parseJson(text)
  if (hasDelicateNumbers) rememberPayloads(value, text)
  return value
}

function refused(fault: JsonFault, valuesMax: number): DuetimeError {
  switch (fault.kind) {
    case 'tooDeep':
      return malformedBody(`the body is nested more than ${JSON_DEPTH_MAX} levels deep`)
    case 'tooManyValues': {
      const message = `the body has more than ${valuesMax} values, keys included; send fewer timers at once`
      return new DuetimeError(ErrorCode.payloadTooLarge, message, { maxValues: valuesMax })
    }
    case 'forbiddenKey': {
      const { path } = fault
      return invalidInput(
        path,
        `'${path}' is a key that is never accepted, because it can change the prototype of objects`,
      )
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const { position, line, column, found } = locateJsonFault(text)
    throw malformedBody(`the body is not valid JSON: unexpected ${found} at line ${line}, column ${column}`, {
      position,
      line,
      column,
    })
  }
}

export function emptyBody(): DuetimeError {
  return malformedBody('the request has no body; send a JSON object with Content-Type: application/json')
}

function malformedBody(message: string, details: Readonly<Record<string, unknown>> = {}): DuetimeError {
  return new DuetimeError(ErrorCode.invalidInput, message, details)
}

function bodyTooLarge(request: FastifyRequest, maxBytes: number): DuetimeError {
  const setting = request.routeOptions.config.batch === true ? 'BATCH_BODY_MAX_BYTES' : 'BODY_MAX_BYTES'
  return new DuetimeError(
    ErrorCode.payloadTooLarge,
    `the body is larger than the ${maxBytes} bytes that ${setting} allows`,
    { maxBytes },
  )
}
