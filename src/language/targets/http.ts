// A callback over HTTP, as clients write it.

import { Type } from '../../runtime/schema-type.ts'
import { invalidInput } from '../../core/errors.ts'
import { URL_CHARS_MAX } from '../../core/limits.ts'
import type { Headers } from '../../core/targets/target-type.ts'
import type { CallbackType, Maybe } from './callback-type.ts'
import { HeaderFields, readHeaders } from './headers.ts'

export type HttpCallback = { readonly type: 'http'; readonly url: string; readonly headers?: Headers }

type Written = { readonly type: 'http'; readonly url: string; readonly headers?: Maybe<Headers> }

export const httpCallback: CallbackType<Written> = {
  schema: Type.Object(
    {
      type: Type.Literal('http'),
      url: Type.String({ minLength: 1, maxLength: URL_CHARS_MAX }),
      headers: Type.Optional(HeaderFields),
    },
    { additionalProperties: false, title: 'HTTP' },
  ),
  example: "{ type: 'http', url: 'https://…' }",
  read: (callback) => {
    const headers = readHeaders(callback.headers)
    return { type: 'http', url: readUrl(callback.url, 'callback.url'), headers }
  },
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
