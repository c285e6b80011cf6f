// Creates that can be repeated without an id: an idempotency key stands for one timer of its namespace. The timer's id
// is made from the key, so that the same key leads to the same row of the same shard, whose owner alone decides, wherever
// and whenever the create is repeated. There is nothing else to store, and nothing that could get lost in between.

import { invalidInput } from '../errors.ts'
import { hash128, timerIdentity } from './ids.ts'
import type { TimerIdentity } from './ids.ts'
import { IDEMPOTENCY_KEY_CHARS_MAX } from '../limits.ts'
import type { Namespace, TimerId } from './timer.ts'

/** What a header can carry without quotes, so that a body and a header can say the same. */
const KEY = /^[!-~]+$/

export function parseIdempotencyKey(text: string, field: string): string {
  if (text.length <= IDEMPOTENCY_KEY_CHARS_MAX && KEY.test(text)) return text
  throw invalidInput(
    field,
    `${field} must have 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters, without spaces: a UUID, for example`,
  )
}

/** The key of one of several creates that share one. No key has a NUL in it, so none is like it. */
export function keyOfItem(key: string, index: number): string {
  return `${key}\0${index}`
}

export function keyedIdentity(namespace: Namespace, key: string): TimerIdentity {
  // No namespace has a space in it, so this is not the hash of any id.
  const hash = hash128(`idempotency key\0${namespace}\0${key}`)
  return timerIdentity(namespace, uuidV8(hash) as TimerId)
}

/** Version 8 of RFC 9562 is for ids of one's own making; the other versions say how they were made, and it was not so. */
function uuidV8(hex: string): string {
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}
