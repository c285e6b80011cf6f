// API keys as text: how one is made, and the hash that is stored instead of it. Keys are random and long, so nobody can
// guess one from its hash and a fast hash is the right one; see docs/decisions/0007-api-keys.md.

import crypto from 'node:crypto'

const KEY_BYTES = 32
/** What a search for leaked secrets can look for. */
const PREFIX = 'dtk_'
const HASH_PREFIX = 'sha256:'
/** Tells these hashes from any other SHA-256 of the same text. */
const DOMAIN = 'duetime api key\0'

/** `sha256:` and 64 hex digits. */
export const KEY_HASH = /^sha256:[\da-f]{64}$/

export function createKey(): string {
  return `${PREFIX}${crypto.randomBytes(KEY_BYTES).toString('base64url')}`
}

export function hashKey(key: string): string {
  return `${HASH_PREFIX}${crypto.hash('sha256', `${DOMAIN}${key}`)}`
}
