// What the scenarios of sdks/conformance expect of values, and how they refer to earlier ones.

import { isDeepStrictEqual } from 'node:util'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type Fields = { readonly [name: string]: Json }

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/
const REFERENCE = /\$\{([^}]+)\}/g

/** Replaces `${name.field}` in all texts. A text that is nothing else becomes the value itself. */
export function resolved(value: Json, known: ReadonlyMap<string, Json>): Json {
  if (typeof value === 'string') return resolvedText(value, known)
  if (Array.isArray(value)) return value.map((item) => resolved(item, known))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolved(item, known)]))
}

function resolvedText(text: string, known: ReadonlyMap<string, Json>): Json {
  const whole = /^\$\{([^}]+)\}$/.exec(text)
  if (whole !== null) return lookedUp(whole[1]!, known)
  return text.replaceAll(REFERENCE, (_, path: string) => textOf(lookedUp(path, known)))
}

function lookedUp(path: string, known: ReadonlyMap<string, Json>): Json {
  const [name, ...fields] = path.split('.')
  let value = known.get(name!)
  for (const field of fields) value = (value as Fields | undefined)?.[field]
  if (value === undefined) throw new Error(`the scenario refers to \${${path}}, which no step before has made`)
  return value
}

/** What differs, one line each; none when the value is as expected. */
export function differences(value: Json | undefined, pattern: Json, path = 'value'): string[] {
  if (isFields(pattern)) {
    if ('$any' in pattern) return value === undefined ? [`${path} is missing`] : []
    if ('$absent' in pattern) return value === undefined ? [] : [`${path} is ${shown(value)} and should be absent`]
    if ('$matches' in pattern) {
      const regex = new RegExp(textOf(pattern['$matches']), 'u')
      const isMatch = typeof value === 'string' && regex.test(value)
      return isMatch ? [] : [`${path} is ${shown(value)} and does not match ${regex.source}`]
    }
    if (!isFields(value)) return [`${path} is ${shown(value)} instead of ${shown(pattern)}`]
    return Object.entries(pattern).flatMap(([name, item]) => differences(value[name], item, `${path}.${name}`))
  }
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value) || value.length !== pattern.length)
      return [`${path} is ${shown(value)} instead of ${pattern.length} items`]
    const items = value as readonly Json[]
    return pattern.flatMap((item: Json, index) => differences(items[index], item, `${path}[${index}]`))
  }
  return isSame(value, pattern) ? [] : [`${path} is ${shown(value)} instead of ${shown(pattern)}`]
}

/** Equal in all fields, whatever the spelling of instants and whether what is null is there. */
export function isSameAnswer(a: Json, b: Json): boolean {
  return isDeepStrictEqual(comparable(a), comparable(b))
}

function comparable(value: Json): Json {
  if (typeof value === 'string') return INSTANT.test(value) ? new Date(value).toISOString() : value
  if (Array.isArray(value)) return value.map(comparable)
  if (!isFields(value)) return value
  const fields = Object.entries(value).filter(([, item]) => item !== null)
  return Object.fromEntries(fields.map(([name, item]) => [name, comparable(item)]))
}

function isSame(value: Json | undefined, expected: Json): boolean {
  if (typeof value === 'string' && typeof expected === 'string' && INSTANT.test(value) && INSTANT.test(expected))
    return Date.parse(value) === Date.parse(expected)
  return isDeepStrictEqual(value, expected)
}

export function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'absent' : JSON.stringify(value)
}
