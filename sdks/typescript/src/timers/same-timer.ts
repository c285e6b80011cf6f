// Whether a timer that is there is the one that was asked for. Needed after an answer was lost: what looks like a
// conflict may be the trace of the first attempt.

import type { Callback, CreateBody } from '../generated.ts'
import { platform } from '../platform.ts'
import type { Timer } from './timer.ts'

/** What create and update have in common. Policies and time limits are left out: the server writes them in its own way. */
type Asked = Pick<CreateBody, 'executeAt' | 'schedule' | 'callbackUrl' | 'callback' | 'payload' | 'metadata'>

/** Everything that was asked for is so. Fields that were left out do not count. */
export function isAsAsked(timer: Timer, asked: Asked): boolean {
  return (
    (asked.executeAt === undefined || timer.schedule === asked.executeAt || isInstant(timer, asked.executeAt)) &&
    (asked.schedule === undefined || timer.schedule === asked.schedule || isInstant(timer, asked.schedule)) &&
    isTarget(timer.callback, asked) &&
    (asked.payload === undefined || sameJson(timer.payload ?? null, plain(asked.payload))) &&
    (asked.metadata === undefined || sameJson(timer.metadata ?? null, plain(asked.metadata)))
  )
}

/** A schedule can be an instant as well, and then shows as the due time, or as the time that the spread moved it away from. */
function isInstant({ executeAt, nominalAt = executeAt, schedule }: Timer, asked: string): boolean {
  return schedule === undefined && Date.parse(nominalAt) === Date.parse(asked)
}

function isTarget(callback: Callback | undefined, asked: Asked): boolean {
  const wanted =
    asked.callback ?? (asked.callbackUrl === undefined ? undefined : { type: 'http' as const, url: asked.callbackUrl })
  if (wanted === undefined) return true
  if (callback === undefined) return false
  const [shown, given] = [callback, wanted] as Readonly<Record<string, unknown>>[]
  const names = new Set([...Object.keys(callback), ...Object.keys(wanted)])
  names.delete('headers') // answers hide their values
  return [...names].every((name) => {
    return (
      shown![name] === given![name] || (name === 'url' && shownAs(String(given![name])).includes(String(shown![name])))
    )
  })
}

/** Answers show a URL as it was given, or in the form in which it is used; credentials are hidden. */
function shownAs(url: string): readonly string[] {
  if (!platform.URL.canParse(url)) return [url]
  const parsed = new platform.URL(url)
  if (parsed.username === '' && parsed.password === '') return [url, parsed.href]
  parsed.username = '***'
  parsed.password = ''
  return [parsed.href]
}

/** As the server has read it: without undefined, with dates as text. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? null : (JSON.parse(text) as unknown)
}

function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  const names = Object.keys(left)
  if (names.length !== Object.keys(right).length) return false
  return names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]))
}
