// Origins of web pages, as browsers send them. A slip here would show only as a page that does not work, with a message
// in the browser's console that names no setting.

import type { ValueType } from './values.ts'

export const ANY_ORIGIN = '*'

const FORM =
  'an origin as browsers send it: `https://app.example.com`, with a port if it is not the usual one, and without a path; or `*`'
/** Pages in apps have schemes of their own. */
const OTHER_SCHEME = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+$/

export function webOrigin(): ValueType<string> {
  return {
    describes: 'origin, or `*`',
    placeholder: 'origin',
    parse: (text) => {
      if (text === ANY_ORIGIN) return text
      if (text === 'null') throw new RangeError(`${FORM}. \`null\` is what every sandboxed frame of every page sends`)
      const url = URL.parse(text)
      const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol)
      if (isWeb ? url.origin === text : OTHER_SCHEME.test(text)) return text
      throw new RangeError(isWeb ? `${FORM}; this one is \`${url.origin}\`` : FORM)
    },
  }
}
