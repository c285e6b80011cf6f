// Finding one's way in JSON text without parsing it: where a string or a value ends, which numbers a double would
// change. The text must be known to be JSON. Each looks at a character a bounded number of times, however hostile the text.

import type { Brand } from '../brand.ts'

/** JSON as text. Payloads are carried from the request to the delivery without ever being understood. */
export type JsonText = Brand<string, 'JsonText'>

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** A number that may not come out of JSON.parse and JSON.stringify as it went in: 16 digits or more, an exponent, a negative zero. */
const DELICATE_NUMBER = /(?:^|[\s:,[])(?:-0|-?\d(?:[\d.]{15}|[\d.]*[eE]))/

/** Also true for a string that looks like one: it is a quick test before a careful one. */
export function mayHaveDelicateNumbers(json: string): boolean {
  return DELICATE_NUMBER.test(json)
}

/** The position behind the string whose opening quote is at `at`. */
export function endOfString(json: string, at: number): number {
  let end = json.indexOf('"', at + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end + 1
}

/** By an odd number of backslashes before it. */
function isEscaped(json: string, at: number): boolean {
  let first = at
  while (json.charCodeAt(first - 1) === BACKSLASH) first--
  return (at - first) % 2 === 1
}

/** The position behind the value that begins at `at`. */
export function endOfValue(json: string, at: number): number {
  const first = json.charCodeAt(at)
  if (first === QUOTE) return endOfString(json, at)
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return endOfContainer(json, at)
  let end = at
  while (end < json.length && !isDelimiter(json.charCodeAt(end))) end++
  return end
}

function endOfContainer(json: string, at: number): number {
  let depth = 0
  for (let i = at; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) i = endOfString(json, i) - 1
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++
    else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && --depth === 0) return i + 1
  }
  return json.length
}

function isDelimiter(code: number): boolean {
  return code <= 0x20 || code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT
}

export type Span = { readonly start: number; readonly end: number }

/** The members of the object that begins at `at`, in order, with where their values are; none when it is no object. */
export function* membersOf(json: string, at: number): Generator<{ readonly key: string; readonly value: Span }> {
  if (json.charCodeAt(at) !== OPEN_OBJECT) return
  for (let i = skipSpace(json, at + 1); json.charCodeAt(i) === QUOTE;) {
    const keyEnd = endOfString(json, i)
    const start = skipSpace(json, keyEnd)
    const end = endOfValue(json, start)
    yield { key: stringBetween(json, i, keyEnd), value: { start, end } }
    i = skipSpace(json, end)
  }
}

/** The items of the array that begins at `at`; none when it is no array. */
export function* itemsOf(json: string, at: number): Generator<Span> {
  if (json.charCodeAt(at) !== OPEN_ARRAY) return
  for (let start = skipSpace(json, at + 1); start < json.length && json.charCodeAt(start) !== CLOSE_ARRAY;) {
    const end = endOfValue(json, start)
    yield { start, end }
    start = skipSpace(json, end)
  }
}

/** Most strings have no escapes and are what stands between the quotes. */
function stringBetween(json: string, start: number, end: number): string {
  const written = json.slice(start + 1, end - 1)
  return written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written
}

/** Past white space, and past the colon or comma between what is being walked. */
export function skipSpace(json: string, at: number): number {
  let i = at
  for (let code = json.charCodeAt(i); code <= 0x20 || code === COLON || code === COMMA; code = json.charCodeAt(i)) i++
  return i
}

const NUMBER = /-?\d(?:[\d.]{15,}(?:[eE][+-]?\d+)?|[\d.]*[eE][+-]?\d+)/g

/** The text with its long numbers, and those with an exponent, replaced. What is in strings stays. */
export function replaceLongNumbers(json: string, replace: (number: string) => string): string {
  let replaced = ''
  for (let at = 0; at < json.length;) {
    const quote = json.indexOf('"', at)
    const between = json.slice(at, quote < 0 ? json.length : quote)
    replaced += between.replace(NUMBER, replace)
    if (quote < 0) break
    at = endOfString(json, quote)
    replaced += json.slice(quote, at)
  }
  return replaced
}
