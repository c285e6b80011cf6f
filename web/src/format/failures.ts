// What went wrong, in words that say what to do about it.

import { DuetimeError } from '@duetime/client'
import { roughSpan } from './times.ts'

export type Explained = { readonly title: string; readonly advice: string }

export function explain(error: Error): Explained {
  if (!(error instanceof DuetimeError)) return { title: 'Something in this page went wrong', advice: error.message }
  if (error.status === 0) {
    return {
      title: 'The service does not answer',
      advice: 'It may be restarting, or the network is away. Nothing is lost: timers are on disk.',
    }
  }
  const { status, message, details } = error
  if (status === 403) return { title: 'This key may not do that', advice: needs(details) ?? sentence(message) }
  if (status === 429) {
    const wait = error.retryAfterMs === null ? 'a moment' : roughSpan(Math.max(1_000, error.retryAfterMs))
    return { title: 'Too many requests', advice: `${sentence(message)} Try again in ${wait}.` }
  }
  if (status === 404 && error.code === 'TIMER_NOT_FOUND') {
    return { title: 'No such timer', advice: 'It never existed, or it finished and its retention time is over.' }
  }
  if (error.code === 'TIMER_NOT_PENDING') return { title: 'Too late for that', advice: sentence(message) }
  if (error.code === 'VERSION_CONFLICT')
    return { title: 'Somebody changed this timer meanwhile', advice: 'Reload it, and decide anew.' }
  if (status === 503) return { title: 'The service is not able to do that right now', advice: sentence(message) }
  return { title: status >= 500 ? 'The service failed' : 'The service refused that', advice: sentence(message) }
}

function needs(details: Readonly<Record<string, unknown>>): string | null {
  const permission = details['requiredPermission']
  const namespace = details['namespace']
  if (typeof permission !== 'string') return null
  const where = typeof namespace === 'string' ? ` in the namespace ${namespace}` : ''
  return `It takes the permission ${permission}${where}. Sign in with another key, or ask whoever gave you this one.`
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(capital) ? capital : `${capital}.`
}
