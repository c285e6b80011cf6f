// What is hidden when a timer is shown: header values, which are where credentials are, and user names and passwords in URLs.

import { invalidInput } from '../errors.ts'
import type { Target, Timer } from './timer.ts'

const HARMLESS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-language',
  'content-type',
  'user-agent',
])
export const HIDDEN = '***'

/** For those who may read timers and not change them: what a callback carries would let them do more than that. */
export function withoutSecrets(timer: Timer): Timer {
  const { target } = timer
  if (target.type === 'none' || target.type === 'function') return timer
  const headers = target.headers === null ? null : redactHeaders(target.headers)
  return {
    ...timer,
    target: target.type === 'http' ? { ...target, url: redactUrl(target.url), headers } : { ...target, headers },
  }
}

export function redactHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
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
  if (given.type !== 'http' && given.type !== 'nats') return given
  const headers = given.headers === null ? null : revealedHeaders(given.headers, current)
  if (given.type === 'nats') return headers === given.headers ? given : { ...given, headers }
  const url = given.url.includes(HIDDEN) ? revealedUrl(given.url, current) : given.url
  return headers === given.headers && url === given.url ? given : { ...given, url, headers }
}

function revealedUrl(url: string, current: Target | null): string {
  if (URL.parse(url)?.username !== HIDDEN) return url
  if (current?.type === 'http' && redactUrl(current.url) === url) return current.url
  throw hiddenValue('callback', 'the callback URL has hidden credentials (***)')
}

function revealedHeaders(
  headers: Readonly<Record<string, string>>,
  current: Target | null,
): Readonly<Record<string, string>> {
  const hidden = Object.keys(headers).filter((name) => headers[name] === HIDDEN)
  if (hidden.length === 0) return headers
  const known =
    current !== null && (current.type === 'http' || current.type === 'nats')
      ? Object.entries(current.headers ?? {})
      : []
  const values = new Map(known.map(([name, value]) => [name.toLowerCase(), value]))
  const revealed = { ...headers }
  for (const name of hidden) {
    const value = values.get(name.toLowerCase())
    if (value === undefined)
      throw hiddenValue(`callback.headers.${name}`, `the value of callback.headers.${name} is hidden (***)`)
    revealed[name] = value
  }
  return revealed
}

function hiddenValue(field: string, what: string): Error {
  return invalidInput(field, `${what}, and this timer has none that it could stand for: give the real one`)
}
