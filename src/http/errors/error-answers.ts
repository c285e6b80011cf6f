// Everything that goes wrong ends here: it becomes an error of the catalogue, then an answer in the envelope of the
// contract that was addressed. What nobody foresaw is logged with its cause and answered without it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DuetimeError, ErrorCode } from '../../core/errors.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { AllowedMethods } from './allowed-methods.ts'
import { ANSWER_HEADERS } from '../answer/answer-headers.ts'
import { sendJson } from '../answer/send-json.ts'
import type { Envelope } from './envelope.ts'
import { fromFramework } from './framework-error.ts'
import { peekBody } from '../body/peek-body.ts'
import { QuietLog } from '../request/quiet-log.ts'
import { emptyBody } from '../body/request-body.ts'
import { discardRest } from '../body/unread-body.ts'

export type ErrorAnswersOptions = {
  /** The first one also answers for paths that belong to nobody. */
  readonly contracts: readonly [Envelope, ...Envelope[]]
  readonly clock: Clock
  readonly logger: Logger
}

export class ErrorAnswers {
  readonly #options: ErrorAnswersOptions
  readonly allowed = new AllowedMethods()
  readonly #unavailable: QuietLog

  constructor(options: ErrorAnswersOptions) {
    this.#options = options
    this.#unavailable = new QuietLog({ ...options, message: 'requests answered with 503', countAs: 'refused' })
  }

  /** Must be called before the routes are added. */
  attach(app: FastifyInstance): void {
    this.allowed.watch(app)
    app.setErrorHandler((error, request, reply) => this.answer(error, request, reply))
    app.setNotFoundHandler((request, reply) => this.answer(this.#noRoute(request), request, reply))
  }

  async answer(thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const error = this.#inCatalogue(thrown, request)
    const { clock } = this.#options
    const body = await peekBody(request, clock)
    const rendered = this.#contractOf(request, body).renderError(error, {
      now: clock.now(),
      requestId: request.id,
      body,
    })
    if (error.code === ErrorCode.payloadTooLarge) discardRest(request.raw)
    // A path that is no URL is refused before any hook has run.
    reply.headers(ANSWER_HEADERS)
    setHeaders(error, reply)
    return sendJson(reply.code(rendered.status), rendered.body)
  }

  #inCatalogue(thrown: unknown, request: FastifyRequest): DuetimeError {
    if (thrown instanceof DuetimeError) {
      // Its cause says what the answer must not: where the database is, for one.
      if (thrown.code === ErrorCode.unavailable && thrown.cause !== undefined)
        this.#unavailable.note({ err: thrown.cause, requestId: request.id })
      return isAboutMissingBody(thrown, request) ? emptyBody() : thrown
    }
    const known = fromFramework(thrown)
    if (known !== null) return known
    const { id: requestId, method } = request
    this.#options.logger.error({ err: thrown, requestId, method, path: pathOf(request) }, 'request failed unexpectedly')
    return new DuetimeError(
      ErrorCode.internal,
      `something failed that should not; the log has the cause under ${requestId}`,
      { requestId },
    )
  }

  #noRoute(request: FastifyRequest): DuetimeError {
    const path = pathOf(request)
    const allowed = this.allowed.of(path, this.#contractOf(request, request.body).name)
    return allowed.length === 0
      ? new DuetimeError(ErrorCode.routeNotFound, `there is no ${request.method} ${path}; /docs lists all routes`)
      : new DuetimeError(ErrorCode.methodNotAllowed, `${path} takes ${allowed.join(', ')}, not ${request.method}`, {
          allowed,
        })
  }

  #contractOf(request: FastifyRequest, body: unknown): Envelope {
    const { contracts } = this.#options
    const addressed = { method: request.method, path: decoded(pathOf(request)), body }
    return contracts.find((contract) => contract.owns(addressed)) ?? contracts[0]
  }
}

/** A schema that meets no body at all complains about its type, which would not tell what is missing. */
function isAboutMissingBody(error: DuetimeError, request: FastifyRequest): boolean {
  return request.body === undefined && 'validationContext' in error && error.validationContext === 'body'
}

function setHeaders({ code, details }: DuetimeError, reply: FastifyReply): void {
  if (code === ErrorCode.methodNotAllowed) reply.header('allow', (details['allowed'] as readonly string[]).join(', '))
  const { retryAfterMs } = details
  if (typeof retryAfterMs === 'number')
    reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterMs / 1_000))))
}

/** As the router reads it: `/%74imers` is `/timers`. An encoded slash stays part of its segment. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

function pathOf(request: FastifyRequest): string {
  const query = request.url.indexOf('?')
  return query < 0 ? request.url : request.url.slice(0, query)
}
