// What is hidden when a target is shown: header values, which are where credentials are, and user names and passwords in URLs.

import { invalidInput } from '../errors.ts'
import { fieldOf, targetFields } from './target.ts'
import type { FieldValue, Target } from './target.ts'
import type { Headers, TargetFieldKind } from './target-type.ts'

const HARMLESS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-language',
  'content-type',
  'user-agent',
])
const HIDDEN = '***'

/** For those who may read timers and not change them: what a callback carries would let them do more than that. */
export function withoutSecrets(target: Target): Target {
  const shown: Record<string, FieldValue> = { type: target.type }
  for (const field of targetFields(target.type)) shown[field.name] = redacted(fieldOf(target, field), field.kind)
  return shown as unknown as Target
}

/** The value of a field as everybody may see it. */
export function redacted(value: FieldValue, kind: TargetFieldKind): FieldValue {
  if (value === null) return null
  if (kind === 'headers') return redactHeaders(value as Headers)
  return kind === 'url' ? redactUrl(value as string) : value
}

function redactHeaders(headers: Headers): Headers {
  const shown: Record<string, string> = {}
  for (const name in headers) shown[name] = HARMLESS.has(name.toLowerCase()) ? headers[name]! : HIDDEN
  return shown
}

/**
 * Read as the delivery reads it, so that nothing is sent as a credential that is not hidden. The user name is hidden as
 * well: many services take a token there.
 */
export function redactUrl(url: string): string {
  if (!url.includes('@')) return url
  const parsed = URL.parse(url)
  if (parsed === null) return HIDDEN
  if (parsed.username === '' && parsed.password === '') return url
  parsed.username = HIDDEN
  parsed.password = ''
  return parsed.href
}

/**
 * A target as it was given, with what an answer had hidden put back from the timer it was read from: sent back as it was
 * shown, it stays as it is. What cannot be put back is refused, or the stars would be sent as credentials.
 */
export function withSecretsOf(current: Target | null, given: Target): Target {
  const hidden = targetFields(given.type).filter((field) => isHidden(fieldOf(given, field), field.kind))
  if (hidden.length === 0) return given // as nearly always
  const real = hidden.map((field) => [field.name, revealed(fieldOf(given, field), field.kind, current)] as const)
  return { ...given, ...(Object.fromEntries(real) as object) }
}

function isHidden(value: FieldValue, kind: TargetFieldKind): boolean {
  if (value === null) return false
  if (kind === 'url') return (value as string).includes(HIDDEN) && URL.parse(value as string)?.username === HIDDEN
  if (kind !== 'headers') return false
  for (const name in value as Headers) if ((value as Headers)[name] === HIDDEN) return true
  return false
}

function revealed(hidden: FieldValue, kind: TargetFieldKind, current: Target | null): FieldValue {
  const known = valuesOf(current, kind)
  return kind === 'url'
    ? revealedUrl(hidden as string, known as readonly string[])
    : revealedHeaders(hidden as Headers, known as readonly Headers[])
}

/** What the timer has of this kind: header values stand for those of any other type of target, too. */
function valuesOf(current: Target | null, kind: TargetFieldKind): readonly FieldValue[] {
  if (current === null) return []
  const fields = targetFields(current.type).filter((field) => field.kind === kind)
  return fields.map((field) => fieldOf(current, field)).filter((value) => value !== null)
}

function revealedUrl(url: string, known: readonly string[]): string {
  const real = known.find((one) => redactUrl(one) === url)
  if (real !== undefined) return real
  throw hiddenValue('callback', 'the callback URL has hidden credentials (***)')
}

function revealedHeaders(headers: Headers, known: readonly Headers[]): Headers {
  const values = new Map(known.flatMap(Object.entries<string>).map(([name, value]) => [name.toLowerCase(), value]))
  const real = { ...headers }
  for (const name in headers) {
    if (headers[name] !== HIDDEN) continue
    const value = values.get(name.toLowerCase())
    if (value === undefined)
      throw hiddenValue(`callback.headers.${name}`, `the value of callback.headers.${name} is hidden (***)`)
    real[name] = value
  }
  return real
}

function hiddenValue(field: string, what: string): Error {
  return invalidInput(field, `${what}, and this timer has none that it could stand for: give the real one`)
}
