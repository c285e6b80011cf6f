// The native API over request and reply: the last word of the subject is the verb, the message is the body, and so is
// the answer. Failures carry the status and code in the headers that services on NATS use for it.

import { headerOf } from '../../broker/broker.ts'
import type { Header, Message, Reply } from '../../broker/broker.ts'
import { DuetimeError, ERROR_CATALOGUE, ErrorCode } from '../../core/errors.ts'
import type { Millis } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { Subjects } from '../subjects.ts'
import { boundTo } from './bound-body.ts'

/** Answers a call of the native API as its HTTP route would; null when there is no such verb. */
export type NativeApi = (call: NativeCall) => Promise<{ readonly status: number; readonly body: string } | null>
export type NativeCall = {
  readonly verb: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly answerBytesMax: number
}

export type RequestHandlerParts = {
  readonly api: NativeApi
  readonly subjects: Subjects
  /** The size of a reply at most, its headers included; another one after each connection. */
  readonly replyBytesMax: () => number
  readonly clock: Clock
  readonly logger: Logger
}

const UNDER_WAY_MAX = 2_000 // requests of some kB each; a client that is told to wait is better off than one that times out
const HEADERS_BYTES = 1_024 // of a reply: the code and status of an error
const PASSED_ON = ['authorization', 'x-api-key', 'x-request-id', 'traceparent']

export class RequestHandler {
  readonly #parts: RequestHandlerParts
  #underWay = 0

  constructor(parts: RequestHandlerParts) {
    this.#parts = parts
  }

  async answer(request: Message): Promise<Reply> {
    if (this.#underWay >= UNDER_WAY_MAX) {
      return this.#failure(ErrorCode.unavailable, `${UNDER_WAY_MAX} requests are under way already: try again`)
    }
    this.#underWay++
    try {
      return await this.#call(request)
    } catch (error) {
      if (error instanceof DuetimeError) return this.#failure(error.code, error.message)
      this.#parts.logger.error({ err: error, subject: request.subject }, 'request failed unexpectedly')
      return this.#failure(ErrorCode.internal, 'something failed here that should not; the log has the cause')
    } finally {
      this.#underWay--
    }
  }

  async #call(request: Message): Promise<Reply> {
    const { api, subjects } = this.#parts
    const verb = request.subject.slice(request.subject.lastIndexOf('.') + 1)
    const written = Buffer.from(request.data).toString('utf8')
    const namespace = subjects.namespaceIn(request.subject)
    const body = namespace === null ? written : boundTo(namespace, verb, written)
    if (body === null) {
      return this.#failure(
        ErrorCode.forbidden,
        `the subject is that of namespace '${namespace}', and the request is for another one`,
      )
    }
    const answerBytesMax = this.#parts.replyBytesMax() - HEADERS_BYTES
    const answer = await api({ verb: encodeURIComponent(verb), body, headers: passedOn(request), answerBytesMax })
    if (answer === null)
      return this.#failure(ErrorCode.routeNotFound, `'${verb}' is not a verb of this API; /docs lists them all`)
    const bytes = Buffer.byteLength(answer.body)
    if (bytes > answerBytesMax) return this.#failure(ErrorCode.payloadTooLarge, tooLarge(bytes, answerBytesMax))
    return { headers: answer.status < 400 ? [] : errorHeaders(answer.status, answer.body), data: answer.body }
  }

  #failure(code: ErrorCode, message: string): Reply {
    const body = JSON.stringify({ error: code, message, details: {}, timestamp: isoText(this.#parts.clock.now()) })
    return { headers: errorHeaders(ERROR_CATALOGUE[code].status, body), data: body }
  }
}

function tooLarge(bytes: number, bytesMax: number): string {
  const advice = 'ask for fewer timers at a time, or for some fields only'
  return `the request was carried out, but its answer has ${bytes} bytes and the NATS server takes ${bytesMax}: ${advice}`
}

function passedOn(request: Message): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of PASSED_ON) {
    const value = headerOf(request, name)
    if (value !== undefined) headers[name] = value
  }
  return headers
}

function errorHeaders(status: number, body: string): Header[] {
  const code = /"error":"([A-Z_]+)"/.exec(body)?.[1] ?? 'ERROR'
  return [
    ['Nats-Service-Error', code],
    ['Nats-Service-Error-Code', String(status)],
  ]
}

function isoText(at: Millis): string {
  return new Date(at).toISOString()
}
