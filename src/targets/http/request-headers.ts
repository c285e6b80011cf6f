// The headers of a delivery. Some are the service's own and stand whatever a timer says: a receiver relies on them
// to deduplicate and verify, and the connection's framing is nobody else's business.

import { randomBytes } from 'node:crypto'
import type { Firing } from '../../core/timer/delivery.ts'
import type { Signer } from './signature.ts'

type Headers = Readonly<Record<string, string>>

const RESERVED: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that a timer cannot set. Create refuses them; here they are left out. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return RESERVED.has(lower) || lower.startsWith('webhook-')
}

export type HeaderSources = {
  readonly firing: Firing
  readonly body: string | null
  readonly userAgent: string
  readonly signer: Signer | null
  /** `Basic …` from a URL with a user name, or null. */
  readonly authorization: string | null
  readonly protocolHeaders: Headers | undefined
  readonly targetHeaders: Headers | null
}

/** Names and values in turn, the way undici takes them fastest. */
export function deliveryHeaders(sources: HeaderSources): string[] {
  const { firing, body, signer } = sources
  const id = firing.deliveryId
  const timestamp = String(Math.floor(firing.firedAt / 1_000))
  const headers = ['webhook-id', id, 'webhook-timestamp', timestamp, 'idempotency-key', id]
  if (signer) headers.push('webhook-signature', signer({ id, timestamp, body: body ?? '' }))
  for (const [name, value] of replaceableHeaders(sources)) headers.push(name, value)
  return headers
}

/** Defaults, then the contract's, then the timer's: the last one to name a header wins, in whatever case it is spelled. */
function replaceableHeaders(sources: HeaderSources): Map<string, string> {
  const { firing, body, userAgent, authorization, protocolHeaders, targetHeaders } = sources
  const headers = new Map<string, string>([['user-agent', userAgent]])
  if (body !== null) headers.set('content-type', 'application/json')
  if (authorization !== null) headers.set('authorization', authorization)
  const traceparent = firing.timer.traceparent === null ? null : childTraceparent(firing.timer.traceparent)
  if (traceparent !== null) headers.set('traceparent', traceparent)
  for (const name in protocolHeaders) headers.set(name.toLowerCase(), protocolHeaders[name]!)
  for (const name in targetHeaders) {
    if (!isReservedHeader(name)) headers.set(name.toLowerCase(), targetHeaders[name]!)
  }
  return headers
}

const TRACEPARENT = /^([0-9a-f]{2}-[0-9a-f]{32}-)[0-9a-f]{16}(-[0-9a-f]{2}.*)$/

/** The trace that created the timer goes on, with a span of its own for every attempt. */
function childTraceparent(parent: string): string | null {
  const parts = TRACEPARENT.exec(parent)
  return parts && `${parts[1]}${randomBytes(8).toString('hex')}${parts[2]}`
}
