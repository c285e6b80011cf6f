// What JSON.parse lets through and we do not: nesting that a recursive serializer could not write again, and keys that
// poison an object's prototype in whatever program the timer is delivered to. And what it changes: some numbers.

const PATH_CHARS_MAX = 200 // the path is repeated in the answer, and its keys can be of any length
const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

export type Survey = {
  readonly isTooDeep: boolean
  /** Numbers that would not come out of JSON.parse and JSON.stringify as they went in: see payload-text.ts. */
  readonly hasDelicateNumbers: boolean
}

const [DIGIT_0, DIGIT_9, DOT, MINUS, SMALL_E, LARGE_E] = [0x30, 0x39, 0x2e, 0x2d, 0x65, 0x45]
const DELICATE_CHARS = 16 // a double keeps 15 digits whatever they are

/** Runs before parsing, on bytes: about a nanosecond each. What lies behind the place where it is too deep is not looked at. */
export function surveyJson(json: Uint8Array, depthMax: number): Survey {
  let depth = 0
  let digits = 0
  let hasDelicateNumbers = false
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]!
    if ((byte >= DIGIT_0 && byte <= DIGIT_9) || byte === DOT) {
      if (++digits >= DELICATE_CHARS || (byte === DIGIT_0 && json[i - 1] === MINUS)) hasDelicateNumbers = true
      continue
    }
    // The literals true and false have an e, too, but no digit before it.
    if (digits > 0 && (byte === SMALL_E || byte === LARGE_E)) hasDelicateNumbers = true
    digits = 0
    if (byte === QUOTE) i = closingQuote(json, i)
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++depth > depthMax) return { isTooDeep: true, hasDelicateNumbers }
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
  }
  return { isTooDeep: false, hasDelicateNumbers }
}

function closingQuote(json: Uint8Array, opening: number): number {
  for (let i = opening + 1; i < json.length; i++) {
    const byte = json[i]
    if (byte === BACKSLASH) i++
    else if (byte === QUOTE) return i
  }
  return json.length
}

/** The dotted path of a key `__proto__`, or `prototype` of a `constructor`; null without one. `text` is what `value` was parsed from. */
export function forbiddenKey(value: unknown, text: string): string | null {
  const path = mayHaveForbiddenKey(text) ? findForbidden(value, '') : null
  return path !== null && path.length > PATH_CHARS_MAX ? `…${path.slice(-PATH_CHARS_MAX)}`.toWellFormed() : path
}

/** A key can be spelled with escapes, so a text with any of them is looked at too. */
export function mayHaveForbiddenKey(text: string): boolean {
  return text.includes('__proto__') || text.includes('constructor') || text.includes('\\u')
}

function findForbidden(value: unknown, path: string): string | null {
  if (typeof value !== 'object' || value === null) return null
  for (const [key, child] of Object.entries(value)) {
    const here = path === '' ? key : `${path}.${key}`
    if (key === '__proto__') return here
    if (key === 'constructor' && hasPrototype(child)) return `${here}.prototype`
    const found = findForbidden(child, here)
    if (found !== null) return found
  }
  return null
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}
