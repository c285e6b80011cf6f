// What JSON.parse lets through and we do not: nesting that a recursive serializer could not write again, and keys that
// poison an object's prototype in whatever program the timer is delivered to.

const PATH_CHARS_MAX = 200 // the path is repeated in the answer, and its keys can be of any length
const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Runs before parsing, on bytes: about a nanosecond each, and short bodies cannot be deep. */
export function isDeeperThan(json: Uint8Array, depthMax: number): boolean {
  if (json.length <= depthMax) return false
  let depth = 0
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]
    if (byte === QUOTE) i = closingQuote(json, i)
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++depth > depthMax) return true
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
  }
  return false
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
  // A key can be spelled with escapes, so a text with any of them is looked at too.
  const suspicious = text.includes('__proto__') || text.includes('constructor') || text.includes('\\u')
  const path = suspicious ? findForbidden(value, '') : null
  return path !== null && path.length > PATH_CHARS_MAX ? `…${path.slice(-PATH_CHARS_MAX)}`.toWellFormed() : path
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
