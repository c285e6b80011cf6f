// A request on the subject of a namespace is for that namespace and no other. Its name is put into the text of the body
// rather than into what the text says: JSON.parse rounds numbers beyond 2^53, and payloads are carried as they were sent.

import { itemsOf, membersOf, skipSpace } from '../../core/json/json-text.ts'
import type { Span } from '../../core/json/json-text.ts'
import type { Namespace } from '../../core/timer/timer.ts'

/** The body with its namespace filled in; null when it names another. What is no JSON object is left for the API to refuse. */
export function boundTo(namespace: Namespace, verb: string, written: string): string | null {
  if (verb === 'preview') return written // it is about no timer
  const body = parsedObject(written)
  if (body === null) return written
  const start = skipSpace(written, 0)
  const { timers } = body
  if (verb === 'batch' && Array.isArray(timers)) return boundItems(namespace, written, { start, timers })
  if (isOfAnother(body, namespace)) return null
  return body['namespace'] === namespace ? written : named(written, { start, end: written.trimEnd().length }, namespace)
}

function boundItems(
  namespace: Namespace,
  written: string,
  batch: { start: number; timers: readonly unknown[] },
): string | null {
  let [text, end, index] = ['', 0, 0]
  for (const item of itemsOf(written, lastTimers(written, batch.start))) {
    const timer = batch.timers[index++]
    if (!isObject(timer)) continue
    if (isOfAnother(timer, namespace)) return null
    if (timer['namespace'] === namespace) continue
    text += written.slice(end, item.start) + named(written, item, namespace)
    end = item.end
  }
  return text + written.slice(end)
}

/** Of two members of one name the last one counts, for JSON.parse and here. */
function lastTimers(written: string, start: number): number {
  let found = start
  for (const { key, value } of membersOf(written, start)) if (key === 'timers') found = value.start
  return found
}

/** At the end, because there it counts, whatever the object said before. */
function named(written: string, { start, end }: Span, namespace: Namespace): string {
  const inside = written.slice(start, end - 1)
  const isEmpty = inside.trimEnd() === '{'
  return `${inside}${isEmpty ? '' : ','}"namespace":${JSON.stringify(namespace)}}`
}

/** Null is none. */
function isOfAnother(item: Readonly<Record<string, unknown>>, namespace: Namespace): boolean {
  return (item['namespace'] ?? namespace) !== namespace
}

function parsedObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
