// Signs deliveries as Standard Webhooks asks (https://www.standardwebhooks.com): an HMAC over id, timestamp and
// body, one signature per configured secret. While secrets are rotated both are configured, and a receiver that
// knows either of them can verify.

import { createHmac, createSecretKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

export type SignedContent = { readonly id: string; readonly timestamp: string; readonly body: string }

/** Gives the value of `webhook-signature`. */
export type Signer = (content: SignedContent) => string

const PREFIX = 'whsec_'
const SECRET_BYTES_MIN = 24 // the least that Standard Webhooks allows
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Null when there is no secret: the deliveries are then not signed. Throws for a secret that is not one. */
export function createSigner(secrets: readonly string[]): Signer | null {
  const keys = secrets.map((secret, index) => parseSecret(secret, index + 1))
  if (keys.length === 0) return null
  return ({ id, timestamp, body }) => {
    const content = `${id}.${timestamp}.${body}`
    return keys.map((key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`).join(' ')
  }
}

/** The messages name a secret by its place in the list, never by its text: they end up in logs. */
function parseSecret(secret: string, place: number): KeyObject {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret
  const unpadded = text.replace(/=+$/, '')
  if (!BASE64.test(text) || unpadded.length % 4 === 1) {
    throw new Error(
      `signing secret ${place} is not base64: expected ${PREFIX} and the output of, for instance, openssl rand -base64 32`,
    )
  }
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length < SECRET_BYTES_MIN) {
    throw new Error(
      `signing secret ${place} has ${bytes.length} bytes: at least ${SECRET_BYTES_MIN} are needed (32 characters of base64)`,
    )
  }
  return createSecretKey(bytes)
}
