// Who is asking: found out for every request before its body is read, and before its route is looked at more closely.
// A route needs a key unless it says `config: { open: true }`, so one that is forgotten is shut. What a key may do is
// not judged here but by the service, which handlers reach as `request.timers`: the timers as this principal may use them.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ANONYMOUS, NOBODY } from '../../core/access/access.ts'
import type { Principal } from '../../core/access/access.ts'
import { DuetimeError, ErrorCode } from '../../core/errors.ts'
import type { Taken } from '../../core/access/token-bucket.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { KeyRing } from '../../service/keys/key-ring.ts'
import { RateLimits } from '../../service/keys/rate-limits.ts'
import type { TimerService } from '../../service/timer-service.ts'
import type { Timers } from '../../service/timers.ts'
import { couldBeRebound } from './rebinding.ts'
import { QuietLog } from '../request/quiet-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is asking. Its name is what `cancelled_by` shows. */
    principal: Principal
    readonly timers: Timers
    /** For an answer that takes long: as its principal may use them by now. */
    timersNow(): Timers
  }
  interface FastifyContextConfig {
    /** Answers without a key. Its `request.timers` then refuses everything. */
    open?: boolean
    /** Which contract is addressed shows in the body only: a refusal looks into it for the right envelope. */
    sharedByBody?: boolean
  }
}

export type AccessParts = {
  readonly service: TimerService
  /** Null: no key is configured and everyone may do everything. */
  readonly keys: KeyRing | null
  readonly config: Pick<Config, 'allowAnonymous'>
  readonly clock: Clock
  readonly logger: Logger
  /** Absent: they are counted here. */
  readonly limits?: RequestLimits
}

/** Counts the requests of keys that have a limit; null for a key without one. */
export type RequestLimits = { take(principal: Principal): Taken | null | Promise<Taken | null> }

/** Must be called before the routes are added. */
export function registerAccess(app: FastifyInstance, parts: AccessParts): void {
  const { service, keys, config, clock, logger, limits = new RateLimits(clock) } = parts
  const refusals = new QuietLog({ clock, logger, message: 'requests refused: no valid API key', countAs: 'refused' })
  app.decorateRequest('principal', null as unknown as Principal)
  app.decorateRequest('timers', {
    getter(this: FastifyRequest) {
      return service.as(this.principal)
    },
  })
  app.decorateRequest('timersNow', function timersNow(this: FastifyRequest) {
    if (keys === null) return this.timers
    const presented = presentedKey(this)
    return service.as((presented === null ? null : keys.find(presented)) ?? NOBODY)
  })

  app.addHook('onRequest', (request, reply, done) => {
    const isOpen = request.routeOptions.config.open === true
    // Caches know that answers to Authorization are private; X-API-Key tells them nothing.
    if (!isOpen && request.method !== 'POST') reply.header('cache-control', 'no-store')
    if (keys === null) {
      const isForeign = !config.allowAnonymous && couldBeRebound(request.host)
      request.principal = isForeign ? NOBODY : ANONYMOUS
      return done(isForeign && !isOpen ? foreignName(request.host) : undefined)
    }
    if (isOpen) {
      request.principal = NOBODY
      return done()
    }
    const presented = presentedKey(request)
    const principal = presented === null ? null : keys.find(presented)
    request.principal = principal ?? NOBODY
    if (principal === null) {
      refusals.note({ remoteAddress: request.ip })
      reply.header('www-authenticate', 'Bearer realm="duetime"')
      return done(unauthorized())
    }
    const judge = (taken: Taken | null) => {
      if (taken !== null) showLimit(reply, principal, taken, clock)
      done(taken?.allowed === false ? rateLimited(principal, taken) : undefined)
    }
    const taken = limits.take(principal)
    if (taken instanceof Promise) taken.then(judge, done)
    else judge(taken)
  })
}

/**
 * Who is asking, for a request that needs none of what the hook does besides: null where it would be refused, where its rate is limited,
 * or where the route is open.
 */
export function admission({ keys, config }: Pick<AccessParts, 'keys' | 'config'>) {
  return ({ headers }: Pick<IncomingMessage, 'headers'>): Principal | null => {
    if (keys === null) {
      const { host } = headers
      return host !== undefined && (config.allowAnonymous || !couldBeRebound(host)) ? ANONYMOUS : null
    }
    const presented = presentedKey({ headers })
    const principal = presented === null ? null : keys.find(presented)
    return principal?.rateLimit === null ? principal : null
  }
}

const BEARER = /^bearer +([^ ]+) *$/i

/** X-API-Key, or a bearer token; the first when both are there, since a proxy may need the other for itself. */
function presentedKey({ headers }: Pick<IncomingMessage, 'headers'>): string | null {
  const key = headers['x-api-key']
  if (typeof key === 'string' && key !== '') return key
  return BEARER.exec(headers.authorization ?? '')?.[1] ?? null
}

/** The same for no key and for a wrong one. */
function unauthorized(): DuetimeError {
  return new DuetimeError(
    ErrorCode.unauthorized,
    'a valid API key is needed: send it as X-API-Key, or as Authorization: Bearer',
  )
}

function foreignName(host: string): DuetimeError {
  const message = `without API keys only names of this machine are served, and '${host}' could be anyone's: set API_KEY or ALLOW_ANONYMOUS`
  return new DuetimeError(ErrorCode.forbidden, message)
}

function rateLimited({ name, rateLimit }: Principal, { retryAfterMs }: Taken): DuetimeError {
  const message = `the key '${name}' may send ${rateLimit!.perSecond} requests a second, ${rateLimit!.burst} at once`
  return new DuetimeError(ErrorCode.rateLimited, message, { retryAfterMs: Math.ceil(retryAfterMs) })
}

/** How many may come at once, how many are left of them, and when (in seconds since 1970) it will be all again. */
function showLimit(
  reply: FastifyReply,
  { rateLimit }: Principal,
  { remaining, fullAfterMs }: Taken,
  clock: Clock,
): void {
  reply.header('x-ratelimit-limit', String(rateLimit!.burst))
  reply.header('x-ratelimit-remaining', String(remaining))
  reply.header('x-ratelimit-reset', String(Math.ceil((clock.now() + fullAfterMs) / 1_000)))
}
