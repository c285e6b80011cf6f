// Where a timer fires, as clients write it: `callbackUrl` alone, or `callback` with a type and headers.

import { Type } from 'typebox'
import { invalidInput } from '../../core/errors.ts'
import { HEADER_VALUE_CHARS_MAX, HEADERS_MAX, URL_CHARS_MAX } from '../../core/limits.ts'
import type { Target } from '../../core/timer/timer.ts'
import { isReservedHeader } from '../../targets/http/request-headers.ts'

/** Names the way of delivering that timers of the native contracts follow: see contracts/v1/delivery.ts. */
export const NATIVE_PROTOCOL = 'v1'

export const TOPIC_CHARS_MAX = 255
const HEADER_NAME_CHARS_MAX = 255

type Headers = Readonly<Record<string, string>>
type HttpCallback = { readonly type: 'http'; readonly url: string; readonly headers?: Headers }
type NatsCallback = { readonly type: 'nats'; readonly topic: string; readonly key?: string; readonly headers?: Headers }
export type Callback = HttpCallback | NatsCallback

const HeaderFields = Type.Unsafe<Headers>({
  type: 'object',
  maxProperties: HEADERS_MAX,
  additionalProperties: { type: 'string', maxLength: HEADER_VALUE_CHARS_MAX },
  description: 'Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value.',
})

const HttpCallbackFields = Type.Object(
  {
    type: Type.Literal('http'),
    url: Type.String({ minLength: 1, maxLength: URL_CHARS_MAX }),
    headers: Type.Optional(HeaderFields),
  },
  { additionalProperties: false, title: 'HTTP' },
)
const NatsCallbackFields = Type.Object(
  {
    type: Type.Literal('nats'),
    topic: Type.String({ minLength: 1, maxLength: TOPIC_CHARS_MAX }),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: TOPIC_CHARS_MAX })),
    headers: Type.Optional(HeaderFields),
  },
  { additionalProperties: false, title: 'NATS' },
)

/** A discriminated union, so that a mistake in one kind is not reported as "matches none of them". */
export const CallbackField = Type.Unsafe<Callback>({
  type: 'object',
  discriminator: { propertyName: 'type' },
  oneOf: [HttpCallbackFields, NatsCallbackFields],
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
  if (callback === undefined) {
    return callbackUrl === undefined
      ? undefined
      : { type: 'http', url: readUrl(callbackUrl, 'callbackUrl'), headers: null }
  }
  if (callbackUrl !== undefined) throw invalidInput('callback', 'give callbackUrl or callback, not both')
  const headers = readHeaders(callback.headers)
  if (callback.type === 'http') return { type: 'http', url: readUrl(callback.url, 'callback.url'), headers }
  const key = callback.key === undefined ? null : readSubject(callback.key, 'callback.key')
  return { type: 'nats', topic: readSubject(callback.topic, 'callback.topic'), key, headers }
}

/** URL parsing drops tabs and line breaks silently and trims spaces; a client that sends them made a mistake. */
const WEB_URL = /^https?:\/\/[^\s\0-\x20\x7f]+$/i

/** Nothing before the host, and the host where everyone sees it. */
const PLAIN_URL = /^https?:\/\/[^/\\?#@]+(?:[/?#]|$)/i

/** The same few URLs come with most timers, and a URL that was right stays right. */
const goodUrls = new Map<string, string>()
const GOOD_URLS_KEPT = 500

/** As it was given, as a rule. One with credentials, or with slashes of an odd number or kind, is put into the form in which it is used. */
export function readUrl(text: string, field: string): string {
  const known = goodUrls.get(text)
  if (known !== undefined) return known
  const url = WEB_URL.test(text) && text.isWellFormed() ? URL.parse(text) : null
  if (url !== null) {
    if (goodUrls.size >= GOOD_URLS_KEPT) goodUrls.clear()
    const stored = PLAIN_URL.test(text) ? text : url.href
    goodUrls.set(text, stored)
    return stored
  }
  throw invalidInput(field, `${field} must be an absolute http or https URL, such as https://example.com/hooks/timer`)
}

const SUBJECT = /^[^\s\0-\x20\x7f.*>]+(?:\.[^\s\0-\x20\x7f.*>]+)*$/

export function readSubject(text: string, field: string): string {
  if (SUBJECT.test(text) && text.isWellFormed()) return text
  throw invalidInput(field, `${field} must be a NATS subject: words joined by dots, without spaces and wildcards`)
}

const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

export function readHeaders(headers: Headers | undefined): Headers | null {
  if (headers === undefined) return null
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    const field = `callback.headers.${name.slice(0, HEADER_NAME_CHARS_MAX)}`
    if (!TOKEN.test(name) || name.length > HEADER_NAME_CHARS_MAX)
      throw invalidInput(field, `${field} is not a valid header name`)
    if (isReservedHeader(name)) throw invalidInput(field, `${field} is set by the service and cannot be chosen`)
    if (!FIELD_VALUE.test(value))
      throw invalidInput(field, `${field} has characters that a header cannot carry, such as line breaks`)
    if (seen.has(name.toLowerCase()))
      throw invalidInput(field, `${field} is there twice: header names do not differ by case`)
    seen.add(name.toLowerCase())
  }
  return seen.size === 0 ? null : headers
}
