// What is hidden when a timer is shown: header values, which are where credentials are, and user names and passwords in URLs.

import type { Timer } from './timer.ts'

const HARMLESS: ReadonlySet<string> = new Set(['accept', 'accept-language', 'content-language', 'content-type', 'user-agent'])
export const HIDDEN = '***'

/** For those who may read timers and not change them: what a callback carries would let them do more than that. */
export function withoutSecrets(timer: Timer): Timer {
  const { target } = timer
  if (target.type === 'none' || target.type === 'function') return timer
  const headers = target.headers === null ? null : redactHeaders(target.headers)
  return { ...timer, target: target.type === 'http' ? { ...target, url: redactUrl(target.url), headers } : { ...target, headers } }
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
