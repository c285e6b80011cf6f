// What JSON.parse lets through and we do not: nesting that a recursive serializer could not write again, so many values
// that parsing them would hold up the thread that fires, and keys that poison an object's prototype in whatever program
// the timer is delivered to. And what it changes: some numbers.
//
// One pass over the bytes, before anything else is done with them. It looks at each byte a bounded number of times and
// stops at the first fault, so its cost is known from the size of the body, whatever is in it.

import { JSON_DEPTH_MAX } from '../../core/limits.ts'

const PATH_CHARS_MAX = 200 // the path is repeated in the answer, and its keys can be of any length
const [QUOTE, BACKSLASH, COMMA, COLON, SPACE] = [0x22, 0x5c, 0x2c, 0x3a, 0x20]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** `valuesMax`: keys count, too. */
export type JsonLimits = { readonly depthMax: number; readonly valuesMax: number }

export type JsonFault =
  | { readonly kind: 'tooDeep' | 'tooManyValues' }
  | { readonly kind: 'forbiddenKey'; readonly path: string }

export type Survey = {
  readonly fault: JsonFault | null
  /** Numbers that would not come out of JSON.parse and JSON.stringify as they went in: see payload-text.ts. */
  readonly hasDelicateNumbers: boolean
}

const [DIGIT_0, DIGIT_9, DOT, MINUS, SMALL_E, LARGE_E] = [0x30, 0x39, 0x2e, 0x2d, 0x65, 0x45]
const DELICATE_CHARS = 16 // a double keeps 15 digits whatever they are

/** Where the pass is, by depth: of an object the position of its current key, of an array -1 minus the current index. */
const places = new Int32Array(JSON_DEPTH_MAX + 1)
/** By depth: 1 for an object that is the value of a key `constructor`. */
const isConstructor = new Uint8Array(JSON_DEPTH_MAX + 1)

/** The bytes need not be JSON: what is wrong with them otherwise is found by JSON.parse. */
export function surveyJson(json: Buffer, { depthMax, valuesMax }: JsonLimits): Survey {
  let depth = 0
  let digits = 0
  let values = 1
  let isConstructorNext = 0
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
    if (byte === QUOTE) {
      const end = closingQuote(json, i)
      const next = skipSpace(json, end + 1)
      if (json[next] === COLON) {
        places[depth] = i
        values++
        const name = dangerousName(json, i, end)
        if (name === PROTO || (name === PROTOTYPE && isConstructor[depth] === 1)) {
          return { fault: { kind: 'forbiddenKey', path: pathOf(json, depth) }, hasDelicateNumbers }
        }
        isConstructorNext = name === CONSTRUCTOR ? 1 : 0
      }
      i = next - 1
    } else if (byte === COMMA) {
      isConstructorNext = 0
      if (places[depth]! < 0) places[depth]!--
      if (++values > valuesMax) return { fault: { kind: 'tooManyValues' }, hasDelicateNumbers }
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++depth > depthMax) return { fault: { kind: 'tooDeep' }, hasDelicateNumbers }
      places[depth] = byte === OPEN_ARRAY ? -1 : 0
      isConstructor[depth] = byte === OPEN_OBJECT ? isConstructorNext : 0
      isConstructorNext = 0
      if (++values > valuesMax) return { fault: { kind: 'tooManyValues' }, hasDelicateNumbers }
    } else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && depth > 0) depth--
  }
  return { fault: null, hasDelicateNumbers }
}

/** The names of the object that begins the text, as an object that has them as keys; the text may be cut off anywhere. */
export function topLevelKeys(json: Buffer): Readonly<Record<string, true>> {
  const keys: Record<string, true> = Object.create(null)
  if (json[skipSpace(json, 0)] !== OPEN_OBJECT) return keys
  let depth = 0
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]!
    if (byte === QUOTE) {
      const end = closingQuote(json, i)
      const next = skipSpace(json, end + 1)
      if (depth === 1 && json[next] === COLON) keys[keyAt(json, i, end)] = true
      i = next - 1
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
  }
  return keys
}

function closingQuote(json: Buffer, opening: number): number {
  for (let i = opening + 1; i < json.length; i++) {
    const byte = json[i]
    if (byte === BACKSLASH) i++
    else if (byte === QUOTE) return i
  }
  return json.length
}

function skipSpace(json: Buffer, from: number): number {
  let i = from
  while (i < json.length && json[i]! <= SPACE) i++
  return i
}

const [PROTO, CONSTRUCTOR, PROTOTYPE] = ['__proto__', 'constructor', 'prototype'] as const
const DANGEROUS: readonly string[] = [PROTO, CONSTRUCTOR, PROTOTYPE]
const SHORTEST = PROTO.length
const LONGEST = CONSTRUCTOR.length
const ESCAPED_CHARS = '\\u0000'.length

/** A key can be spelled with escapes. Null for nearly all, which their length or their first letters tell. */
function dangerousName(json: Buffer, quote: number, end: number): string | null {
  const length = end - quote - 1
  if (length < SHORTEST || length > LONGEST * ESCAPED_CHARS) return null
  for (const name of DANGEROUS) if (length === name.length && isSpelled(json, quote + 1, name)) return name
  if (!hasEscape(json, quote + 1, end)) return null
  const key = keyAt(json, quote, end)
  return DANGEROUS.find((name) => name === key) ?? null
}

function isSpelled(json: Buffer, start: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if (json[start + i] !== name.charCodeAt(i)) return false
  return true
}

function hasEscape(json: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (json[i] === BACKSLASH) return true
  return false
}

/** As JSON.parse reads it; as it is written where that is no JSON. */
function keyAt(json: Buffer, quote: number, end: number): string {
  const written = json.toString('utf8', quote + 1, end)
  if (!written.includes('\\')) return written
  try {
    return JSON.parse(`"${written}"`) as string
  } catch {
    return written
  }
}

function pathOf(json: Buffer, depth: number): string {
  const parts: string[] = []
  for (let level = 1; level <= depth; level++) {
    const place = places[level]!
    parts.push(place < 0 ? String(-1 - place) : keyAt(json, place, closingQuote(json, place)))
  }
  const path = parts.join('.')
  return path.length > PATH_CHARS_MAX ? `…${path.slice(-PATH_CHARS_MAX)}`.toWellFormed() : path
}
