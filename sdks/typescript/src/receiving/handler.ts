// The receiving side: turns a function into an endpoint that speaks the callback protocol. What the function returns or
// throws decides whether the timer is done, fires again at another time, or is tried again.

import { parseExactly } from '../transport/payload-text.ts'
import { platform, viewedAs } from '../platform.ts'
import type { MinimalRequest, WebRequest, WebResponse } from '../platform.ts'
import type { Metadata } from '../timers/timer.ts'
import { verifyWebhook, WebhookVerificationError } from './webhook.ts'
import type { WebhookHeaders } from './webhook.ts'
import { instantText } from '../time/when.ts'
import type { InstantLike } from '../time/when.ts'

/** What is delivered when a timer fires. */
export type Firing<Payload = unknown> = {
  readonly id: string
  readonly namespace: string
  /** The namespace by its other name. */
  readonly groupId: string
  readonly payload: Payload
  /** The payload as JSON, where it has numbers that JavaScript rounds: integers beyond 2^53, for example. */
  readonly payloadText?: string
  /** When it was due. */
  readonly executeAt: string
  /** When the schedule says, if that is another time. */
  readonly nominalAt?: string
  /** When this attempt was sent. */
  readonly firedAt: string
  /** From 1. */
  readonly attempt: number
  /** The same on every attempt: remember it to recognise duplicates. */
  readonly deliveryId: string
  readonly schedule?: string
  /** Of a cycle, from 1. */
  readonly iteration?: number
  /** Of a cycle: it fires once more, beside its schedule, because somebody triggered it; the iteration is the one that comes next. */
  readonly triggered?: true
  readonly metadata?: Metadata
}

/** Nothing, for done; or what `reschedule` and `fail` return. */
export type FiringAnswer = void | undefined | ProtocolAnswer
type ProtocolAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: object | null
}

export type FiringFunction<Payload = unknown> = (firing: Firing<Payload>) => FiringAnswer | Promise<FiringAnswer>

export type HandlerOptions = {
  /** One or more of the service's WEBHOOK_SECRETS. With it, only deliveries that are signed are taken: others get 401. */
  readonly secret?: string | readonly string[] | undefined
  readonly toleranceSeconds?: number | undefined
  /** Larger bodies get 413. Default 8 MiB, which is more than the service sends unless it is told to. */
  readonly maxBodyBytes?: number | undefined
  /** Told of what the function threw. The sender only learns that it failed. Default: console.error. */
  readonly onError?: ((error: unknown, firing: Firing) => void) | undefined
}

/** The same timer fires again then, as a new firing: `return reschedule(new Date(…))`. */
export function reschedule(at: InstantLike): FiringAnswer {
  return { status: 200, headers: {}, body: { ok: false, nextExecuteAt: instantText(at, 'at') } }
}

export type FailOptions = {
  /** Not to be tried again before so many seconds have passed. */
  readonly retryAfterSeconds?: number | undefined
  /** Not to be tried again at all. */
  readonly final?: boolean | undefined
}

/** This attempt failed, and why; the timer is tried again by its retry policy. The reason is stored with the timer. */
export function fail(reason: string, { retryAfterSeconds, final = false }: FailOptions = {}): FiringAnswer {
  const headers: Record<string, string> = {}
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(Math.ceil(retryAfterSeconds))
  return { status: final ? 410 : 200, headers, body: { ok: false, error: reason } }
}

/** For everything that speaks in Request and Response: Bun, Deno, Next.js, Hono, Cloudflare Workers, service workers. */
export function handler<Payload = unknown>(
  run: FiringFunction<Payload>,
  options: HandlerOptions = {},
): (request: WebRequest) => Promise<WebResponse> {
  return async (webRequest) => {
    const request = viewedAs<MinimalRequest>(webRequest)
    // Servers of this kind bound what they read themselves; this spares them what says beforehand that it is too large.
    const isTooLarge = Number(request.headers.get('content-length')) > bodyBytesMax(options)
    const body = request.method !== 'POST' ? null : isTooLarge ? TOO_LARGE : new Uint8Array(await request.arrayBuffer())
    const { status, headers, text } = await answerDelivery(
      run as FiringFunction,
      { body, headers: request.headers },
      options,
    )
    return viewedAs<WebResponse>(new platform.Response(text, { status, headers }))
  }
}

export const TOO_LARGE = Symbol('too large')
/** `body` is null when it was no POST. */
export type Delivery = {
  readonly body: Uint8Array | string | typeof TOO_LARGE | null
  readonly headers: WebhookHeaders
}
export type DeliveryAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** What the adapters for servers share. Never throws. */
export async function answerDelivery(
  run: FiringFunction,
  { body, headers }: Delivery,
  options: HandlerOptions,
): Promise<DeliveryAnswer> {
  if (body === null) return written(405, { ok: false, error: 'deliveries are sent by POST' }, { allow: 'POST' })
  if (body === TOO_LARGE || body.length > bodyBytesMax(options))
    return written(413, { ok: false, error: 'the body is too large' })
  const { secret, toleranceSeconds, onError = logError } = options
  if (secret !== undefined) {
    try {
      await verifyWebhook(body, headers, secret, { toleranceSeconds })
    } catch (error) {
      if (error instanceof WebhookVerificationError) return written(401, { ok: false, error: error.message })
      // A secret that is no secret: the receiver's own mistake, which only its log should show.
      onError(error, {} as Firing)
      return written(500, { ok: false })
    }
  }
  const firing = parseFiring(body)
  if (firing === null) return written(400, { ok: false, error: 'the body is not a delivery of Duetime' })
  try {
    const answer = (await run(firing)) ?? { status: 200, headers: {}, body: { ok: true } }
    return written(answer.status, answer.body, answer.headers)
  } catch (error) {
    onError(error, firing)
    return written(500, { ok: false })
  }
}

export function bodyBytesMax({ maxBodyBytes = 8 * 1_024 * 1_024 }: HandlerOptions): number {
  return maxBodyBytes
}

function parseFiring(body: Uint8Array | string): Firing | null {
  try {
    const value = parseExactly(
      typeof body === 'string' ? body : new platform.TextDecoder().decode(body),
    ) as Partial<Firing> | null
    return typeof value?.id === 'string' && typeof value.deliveryId === 'string' ? (value as Firing) : null
  } catch {
    return null
  }
}

function written(status: number, body: object | null, headers: Readonly<Record<string, string>> = {}): DeliveryAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    text: body === null ? '' : JSON.stringify(body),
  }
}

function logError(error: unknown, { id }: Firing): void {
  const { console } = globalThis as unknown as { readonly console: { error(...parts: unknown[]): void } }
  console.error(`duetime: the handler of timer ${JSON.stringify(id)} failed`, error)
}
