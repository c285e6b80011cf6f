// Where a timer fires, as clients write it: `callbackUrl` alone, or `callback` with a type and headers. This is the list of
// the types that clients can write; see targets/.

import { Type } from '../runtime/schema-type.ts'
import { invalidInput } from '../core/errors.ts'
import { URL_CHARS_MAX } from '../core/limits.ts'
import { redacted, redactUrl } from '../core/targets/secrets.ts'
import { fieldOf, targetFields } from '../core/targets/target.ts'
import type { Target } from '../core/targets/target.ts'
import { httpCallback, readUrl } from './targets/http.ts'
import type { HttpCallback } from './targets/http.ts'
import { natsCallback } from './targets/nats.ts'
import type { NatsCallback } from './targets/nats.ts'

/** Names the way of delivering that timers of the native contracts follow: see contracts/v1/delivery.ts. */
export const NATIVE_PROTOCOL = 'v1'

export type Callback = HttpCallback | NatsCallback

const CALLBACK_TYPES = { http: httpCallback, nats: natsCallback }
type CallbackTypes = typeof CALLBACK_TYPES
type Written = { [Type in keyof CallbackTypes]: Parameters<CallbackTypes[Type]['read']>[0] }[keyof CallbackTypes]

export const CALLBACK_EXAMPLES = Object.values(CALLBACK_TYPES)
  .map(({ example }) => example)
  .join(' or ')

/** A discriminated union, so that a mistake in one kind is not reported as "matches none of them". */
export const CallbackField = Type.Unsafe<Callback>({
  type: 'object',
  discriminator: { propertyName: 'type' },
  oneOf: Object.values(CALLBACK_TYPES).map(({ schema }) => schema),
  description: 'Where the timer fires, with headers or over NATS; instead of callbackUrl.',
})

export const CallbackUrlField = Type.String({
  minLength: 1,
  maxLength: URL_CHARS_MAX,
  description:
    'Where the timer fires: an http or https URL that gets a POST. A user name and password in it are shown as ***.',
})

export type CallbackFields = { readonly callbackUrl?: string; readonly callback?: Callback }

/** Undefined when neither field is there. */
export function readTarget({ callbackUrl, callback }: CallbackFields): Target | undefined {
  if (callback === undefined) return callbackUrl === undefined ? undefined : readWebTarget(callbackUrl, 'callbackUrl')
  if (callbackUrl !== undefined) throw invalidInput('callback', 'give callbackUrl or callback, not both')
  return readCallback(callback)
}

/** Other contracts write null for what they leave out. */
export function readCallback(callback: Written): Target {
  return (CALLBACK_TYPES[callback.type].read as (callback: Written) => Target)(callback)
}

/** A URL alone, which means a request to it. */
export function readWebTarget(url: string, field: string): Target {
  return { type: 'http', url: readUrl(url, field), headers: null }
}

/** What would have been written as `callbackUrl`; null when the timer fires elsewhere. */
export function callbackUrlOf(target: Target, { secrets = false } = {}): string | null {
  if (target.type !== 'http') return null
  return secrets ? target.url : redactUrl(target.url)
}

/** As it was given, credentials hidden; null when nothing is called. */
export function callbackJson(target: Target, { secrets = false } = {}): string | null {
  if (target.type === 'none') return null
  let json = `{"type":"${target.type}"`
  for (const field of targetFields(target.type)) {
    const value = fieldOf(target, field)
    if (value !== null) json += `,"${field.name}":${JSON.stringify(secrets ? value : redacted(value, field.kind))}`
  }
  return `${json}}`
}
