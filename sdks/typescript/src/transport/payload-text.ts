// JSON.parse makes doubles of all numbers, and an integer beyond 2^53 becomes another one: 12345678901234567891 is ...8000
// then. Payloads with such numbers have their exact text beside them, in `payloadText`, for a parser that can read it.
// All others, nearly every one, cost a look at the text.

/** Of what comes where a number can begin. Strings can look like that, too: it is a quick test before a careful one. */
const MAY_BE_INEXACT = /[:,[\s]-?(?:\d[\d.]{15}|\d[\d.]*[eE])/
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const MARK = '\0number:'
const MARKED = /"\\u0000number:([^"]*)"/g

/** JSON.parse, and `payloadText` wherever a `payload` is not what was sent. Throws what JSON.parse throws. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!MAY_BE_INEXACT.test(text)) return value
  let isInexact = false
  const marked = text.replaceAll(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"') || String(Number(token)) === token) return token
    isInexact = true
    return JSON.stringify(MARK + token)
  })
  if (isInexact) addTexts(value, JSON.parse(marked))
  return value
}

/** `exact` is the same value, with numbers that would change as marked texts. */
function addTexts(value: unknown, exact: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const [owner, twin] = [value as Record<string, unknown>, exact as Record<string, unknown>]
  for (const name of Object.keys(owner)) if (name !== 'payload') addTexts(owner[name], twin[name])
  if (!Object.hasOwn(owner, 'payload')) return
  const json = JSON.stringify(twin['payload'])
  const payloadText = json.replaceAll(MARKED, '$1')
  if (payloadText !== json) owner['payloadText'] = payloadText
}
