// Reads a request body: UTF-8, JSON, not too deep, no poisonous keys. Each refusal says what is wrong and where.

import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { DuetimeError, ErrorCode, invalidInput } from '../core/errors.ts'
import { JSON_DEPTH_MAX } from '../core/limits.ts'
import { forbiddenKey, surveyJson } from './json-guards.ts'
import { locateJsonFault } from './json-position.ts'
import { rememberPayloads } from './payload-text.ts'

/** In the form of a Fastify content type parser. */
export function parseJsonBody(request: FastifyRequest, body: Buffer, done: (error: Error | null, body?: unknown) => void): void {
  // Some clients announce JSON on every request; a DELETE has none to send.
  if (body.length === 0 && request.method === 'DELETE') return done(null)
  let value: unknown
  try {
    value = readJson(body)
  } catch (error) {
    done(error as Error)
    return
  }
  done(null, value)
}

function readJson(body: Buffer): unknown {
  if (body.length === 0) throw emptyBody()
  if (!isUtf8(body)) throw malformedBody('the body is not valid UTF-8')
  const { isTooDeep, hasDelicateNumbers } = surveyJson(body, JSON_DEPTH_MAX)
  if (isTooDeep) throw malformedBody(`the body is nested more than ${JSON_DEPTH_MAX} levels deep`)
  const text = body.toString('utf8')
  const value = parseJson(text)
  const key = forbiddenKey(value, text)
  if (key !== null) throw invalidInput(key, `'${key}' is a key that is never accepted, because it can change the prototype of objects`)
  if (hasDelicateNumbers) rememberPayloads(value, text)
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const { position, line, column, found } = locateJsonFault(text)
    throw malformedBody(`the body is not valid JSON: unexpected ${found} at line ${line}, column ${column}`, { position, line, column })
  }
}

export function emptyBody(): DuetimeError {
  return malformedBody('the request has no body; send a JSON object with Content-Type: application/json')
}

function malformedBody(message: string, details: Readonly<Record<string, unknown>> = {}): DuetimeError {
  return new DuetimeError(ErrorCode.invalidInput, message, details)
}
