// A payload is carried as it was sent. Bodies are parsed, and JSON.parse rounds integers beyond 2^53 and turns 1e400 into
// null; so the payloads of a body with such numbers are cut out of its text, and remembered beside the parsed objects
// they belong to. Bodies without them, nearly all, cost nothing here: writing their values again says the same.

import { DuetimeError, ErrorCode } from '../core/errors.ts'
import { itemsOf, mayHaveDelicateNumbers, membersOf, skipSpace } from '../core/json/json-text.ts'
import type { Span } from '../core/json/json-text.ts'
import { BATCH_TIMERS_MAX } from '../core/limits.ts'
import type { JsonText } from '../core/timer/timer.ts'

const UTF8_BYTES_PER_UNIT_MAX = 3

/** The object a payload is a field of: a body, one of the timers of a batch, a callback. */
export type PayloadOwner = { readonly payload?: unknown }

/** By the owner; an entry lives as long as the request. */
const sent = new WeakMap<object, string>()

/** The payload of a body as JSON text. Null and absent are the same: no payload. */
export function payloadText(owner: PayloadOwner, maxBytes: number): JsonText | null {
  const { payload } = owner
  if (payload === undefined || payload === null) return null
  return payloadWithin((sent.get(owner) ?? JSON.stringify(payload)) as JsonText, maxBytes)
}

/** The text, unless it is too large. */
export function payloadWithin(text: JsonText, maxBytes: number): JsonText {
  // Most texts are so short that counting their bytes can be spared.
  if (text.length * UTF8_BYTES_PER_UNIT_MAX <= maxBytes) return text
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return text
  throw new DuetimeError(
    ErrorCode.payloadTooLarge,
    `payload has ${bytes} bytes as JSON; PAYLOAD_MAX_BYTES allows ${maxBytes}`,
    {
      field: 'payload',
      bytes,
      maxBytes,
    },
  )
}

/** Where contracts have payloads: in the body itself, in its `callback`, and in the same way in each of its `timers`. One walk over the text. */
export function rememberPayloads(body: unknown, text: string): void {
  if (!isObject(body)) return
  const members = lastMembers(text, skipSpace(text, 0))
  rememberOf(body, text, members)
  const { timers } = body
  // A longer batch is refused anyway.
  if (!Array.isArray(timers) || timers.length > BATCH_TIMERS_MAX) return
  let index = 0
  for (const item of itemsOf(text, members.get('timers')!.start)) rememberIn(timers[index++], text, item)
}

function rememberIn(owner: unknown, text: string, span: Span | undefined): void {
  if (isObject(owner) && span !== undefined) rememberOf(owner, text, lastMembers(text, span.start))
}

/** `members` are those of the owner. No callback has a callback, whatever a body says; the schemas refuse it. */
function rememberOf(owner: Record<string, unknown>, text: string, members: ReadonlyMap<string, Span>): void {
  remember(owner, text, members.get('payload'))
  rememberIn(owner['callback'], text, members.get('callback'))
}

const LOOKED_FOR: ReadonlySet<string> = new Set(['payload', 'callback', 'timers'])

/** Of two members of one name the last one counts, for JSON.parse and here. */
function lastMembers(text: string, start: number): ReadonlyMap<string, Span> {
  const found = new Map<string, Span>()
  for (const { key, value } of membersOf(text, start)) if (LOOKED_FOR.has(key)) found.set(key, value)
  return found
}

/** What can be written from its value need not be remembered. */
function remember(owner: object, text: string, span: Span | undefined): void {
  if (span === undefined) return
  const payload = text.slice(span.start, span.end)
  if (mayHaveDelicateNumbers(payload)) sent.set(owner, copied(payload))
}

/** A part of a string keeps the whole of it in memory, and a timer may wait for years. */
function copied(part: string): string {
  return Buffer.from(part).toString()
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
