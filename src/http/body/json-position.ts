// Where a text stops being JSON. V8 tells the position for some mistakes and not for others, and people who send a
// body from a shell need it most. Only runs after JSON.parse has failed.

export type JsonFault = {
  readonly position: number
  readonly line: number
  readonly column: number
  readonly found: string
}

/** What may come next: a value, a key, what follows a value, and so on. */
type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'next' | 'nothing'

const SPACE = /[\t\n\r ]*/y
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y

/** The first character that cannot be there; the end of the text when something is missing. */
export function locateJsonFault(text: string): JsonFault {
  const position = firstFault(text)
  let line = 1
  let lineStart = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) {
    line++
    lineStart = at + 1
  }
  const column = position - lineStart + 1
  const character = text.codePointAt(position)
  const found = character === undefined ? 'end of the body' : JSON.stringify(String.fromCodePoint(character))
  return { position, line, column, found }
}

function firstFault(text: string): number {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  let at = skip(SPACE, text, 0)
  const afterValue = (): Expected => (open.length === 0 ? 'nothing' : 'next')
  for (; at < text.length; at = skip(SPACE, text, at)) {
    const char = text[at]!
    const wantsValue: boolean = expected === 'value' || expected === 'valueOrEnd'
    if (wantsValue && (char === '{' || char === '[')) {
      open.push(char)
      expected = char === '{' ? 'keyOrEnd' : 'valueOrEnd'
      at++
    } else if (char === '"' && (wantsValue || expected === 'key' || expected === 'keyOrEnd')) {
      const end = endOfString(text, at)
      if (!end.closed) return end.at
      at = end.at
      expected = wantsValue ? afterValue() : 'colon'
    } else if (wantsValue && skip(LITERAL, text, at) > at) {
      at = skip(LITERAL, text, at)
      expected = afterValue()
    } else if (char === ':' && expected === 'colon') {
      at++
      expected = 'value'
    } else if (char === ',' && expected === 'next') {
      at++
      expected = open.at(-1) === '{' ? 'key' : 'value'
    } else if (closes(char, open.at(-1), expected)) {
      at++
      open.pop()
      expected = afterValue()
    } else {
      return at
    }
  }
  return at
}

function closes(char: string, innermost: '{' | '[' | undefined, expected: Expected): boolean {
  if (char === '}') return innermost === '{' && (expected === 'next' || expected === 'keyOrEnd')
  return char === ']' && innermost === '[' && (expected === 'next' || expected === 'valueOrEnd')
}

/** Character by character: a regular expression that backtracks over a string of megabytes would run out of stack. */
function endOfString(text: string, from: number): { readonly at: number; readonly closed: boolean } {
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at]!
    if (char === '"') return { at: at + 1, closed: true }
    if (char < ' ') return { at, closed: false }
    if (char !== '\\') continue
    const next = skip(ESCAPE, text, at)
    if (next === at) return { at, closed: false }
    at = next - 1
  }
  return { at: text.length, closed: false }
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
