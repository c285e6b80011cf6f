// Is this delivery really from Duetime, and is it fresh? Checked as Standard Webhooks says, with Web Crypto.

import { platform } from '../platform.ts'
import type { HeadersLike } from '../platform.ts'

export type WebhookHeaders = HeadersLike | Readonly<Record<string, string | readonly string[] | undefined>>

export type VerifyOptions = {
  /** How far the sender's clock may be from ours, either way; also how long a recorded delivery could be replayed. Default 5 minutes. */
  readonly toleranceSeconds?: number | undefined
  /** Milliseconds since 1970, for tests. */
  readonly now?: number | undefined
}

export type VerifiedWebhook = {
  /** The same on every attempt of one firing: remember it to recognise duplicates. */
  readonly id: string
  /** When this attempt was sent. */
  readonly timestamp: Date
}

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

const TOLERANCE_SECONDS = 300

/**
 * Resolves when one of the secrets signed exactly this body; throws a WebhookVerificationError otherwise. `body` is what
 * was received, byte for byte: a body that was parsed and written again does not verify.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions = {},
): Promise<VerifiedWebhook> {
  const keys = [secrets].flat().map(secretBytes)
  if (keys.length === 0) throw new TypeError('verifyWebhook needs at least one secret')
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    header(headers, name),
  )
  if (!id || !timestamp || !signatures)
    throw new WebhookVerificationError('webhook-id, webhook-timestamp or webhook-signature is missing')
  const sentAt = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1_000 : Number.NaN
  if (!(Math.abs(now - sentAt) <= toleranceSeconds * 1_000))
    throw new WebhookVerificationError('webhook-timestamp is too old or too new')
  const content = signedContent(id, timestamp, body)
  const given = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => base64Bytes(one.slice('v1,'.length)))
  let isGenuine = false
  for (const key of keys) {
    const expected = await hmac(key, content)
    // Every signature is compared, so that the time it takes says nothing about which one was right.
    for (const one of given) isGenuine = sameBytes(one, expected) || isGenuine
  }
  if (!isGenuine) throw new WebhookVerificationError('webhook-signature is not right for this body and these secrets')
  return { id, timestamp: new Date(sentAt) }
}

function header(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === 'function') return (headers as HeadersLike).get(name)
  const fields = headers as Readonly<Record<string, string | readonly string[] | undefined>>
  const found = Object.keys(fields).find((key) => key.toLowerCase() === name)
  const value = found === undefined ? undefined : fields[found]
  return typeof value === 'object' ? (value[0] ?? null) : (value ?? null)
}

/** Bytes as they came: text that is not UTF-8 must not become equal to text that is. */
function signedContent(id: string, timestamp: string, body: string | Uint8Array | ArrayBuffer): Uint8Array {
  const encoder = new platform.TextEncoder()
  const start = encoder.encode(`${id}.${timestamp}.`)
  const end = typeof body === 'string' ? encoder.encode(body) : body instanceof Uint8Array ? body : new Uint8Array(body)
  const content = new Uint8Array(start.length + end.length)
  content.set(start)
  content.set(end, start.length)
  return content
}

async function hmac(key: Uint8Array, content: Uint8Array): Promise<Uint8Array> {
  const { subtle } = platform.crypto
  const imported = await subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await subtle.sign('HMAC', imported, content))
}

/** In a time that does not depend on where they differ. */
function sameBytes(a: Uint8Array | null, b: Uint8Array): boolean {
  if (a === null || a.length !== b.length) return false
  let difference = 0
  for (const [index, byte] of a.entries()) difference |= byte ^ b[index]!
  return difference === 0
}

/** The message never shows the secret: it ends up in logs. */
function secretBytes(secret: string): Uint8Array {
  const bytes = base64Bytes(secret.replace(/^whsec_/, ''))
  if (bytes === null || bytes.length === 0) throw new TypeError('a webhook secret must be whsec_ followed by base64')
  return bytes
}

function base64Bytes(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(platform.atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
