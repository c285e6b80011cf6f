// The headers of a callback as clients write them.

import { Type } from '../../runtime/schema-type.ts'
import { invalidInput } from '../../core/errors.ts'
import { HEADER_VALUE_CHARS_MAX, HEADERS_MAX } from '../../core/limits.ts'
import type { Headers } from '../../core/targets/target-type.ts'
import { isReservedHeader } from '../../targets/http/request-headers.ts'
import type { Maybe } from './callback-type.ts'

const HEADER_NAME_CHARS_MAX = 255

export const HeaderFields = Type.Unsafe<Headers>({
  type: 'object',
  maxProperties: HEADERS_MAX,
  additionalProperties: { type: 'string', maxLength: HEADER_VALUE_CHARS_MAX },
  description: 'Sent with every delivery. Values are shown as *** in answers, and *** in an update keeps the value.',
})

const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

export function readHeaders(headers: Maybe<Headers>): Headers | null {
  if (headers === undefined || headers === null) return null
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
