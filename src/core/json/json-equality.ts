// Whether two JSON texts say the same: the order of keys, white space and the spelling of strings and numbers do not
// matter. Numbers are compared as decimals, because two different integers beyond 2^53 are one and the same double.

import { mayHaveDelicateNumbers, replaceLongNumbers } from './json-text.ts'
import type { JsonText } from './json-text.ts'

export function sameJson(a: JsonText | null, b: JsonText | null): boolean {
  if (a === b || a === null || b === null) return a === b
  return equal(parsed(a), parsed(b))
}

/** The same text for all that `sameJson` takes for the same. */
export function canonicalJson(json: JsonText): string {
  return JSON.stringify(canonical(parsed(json)))
}

/** Objects as sorted pairs: a key that looks like a number would not stay where it is put. */
function canonical(value: unknown): unknown {
  if (typeof value === 'number') return decimal(String(value))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(canonical)
  const pairs = Object.entries(value).map(([key, child]) => [key, canonical(child)] as const)
  return { sorted: pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)) }
}

/** Long numbers become strings that no honest payload has. A reviver could tell them, too, at fifty times the cost. */
function parsed(json: JsonText): unknown {
  return JSON.parse(
    mayHaveDelicateNumbers(json) ? replaceLongNumbers(json, (number) => JSON.stringify(decimal(number))) : json,
  )
}

const MARK = '\0decimal:'
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const EXPONENT_CHARS_MAX = 15 // beyond, it is compared as it is written

/** Sign, digits without zeros at either end, and the power of ten of the last digit: `1.50e3` and `1500` are both `15e2`. */
function decimal(written: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(written) ?? []
  const { digits, dropped } = withoutOuterZeros(`${whole}${fraction}`)
  if (digits === '') return `${MARK}0`
  if (exponent.length > EXPONENT_CHARS_MAX) return MARK + written
  return `${MARK}${sign}${digits}e${Number(exponent) - fraction.length + dropped}`
}

/** By hand: a regular expression for zeros at the end would look at each run of zeros again and again. */
function withoutOuterZeros(text: string): { readonly digits: string; readonly dropped: number } {
  let [start, end] = [0, text.length]
  while (start < end && text[start] === '0') start++
  while (end > start && text[end - 1] === '0') end--
  return { digits: text.slice(start, end), dropped: text.length - end }
}

/** As deep as JSON that is let in can be, which is not deep. */
function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return isSameNumber(a, b)
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]))
    )
  }
  return equalObjects(a as Members, b as Members)
}

type Members = Readonly<Record<string, unknown>>

function equalObjects(a: Members, b: Members): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
}

/** One of them may be spelled in a way that made it a decimal: `1e2` and `100`. */
function isSameNumber(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'string') return decimal(String(a)) === b
  return typeof a === 'string' && typeof b === 'number' && decimal(String(b)) === a
}
