// The envelope that messages come in. What is known is checked strictly; fields that are not known are left alone, so
// that senders can add some before every receiver knows them.

import { ID_CHARS_MAX } from '../../core/limits.ts'
import { isStorable, STORABLE } from '../../core/json/storable-text.ts'

export type Envelope = {
  readonly id: string
  readonly type: string
  readonly tenantId: string
  readonly aggregateId?: string
  readonly timestampMs: number
  readonly correlationId?: string
  readonly causationId?: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** The message cannot be read, however often it is delivered. Its text says why, to whoever looks at the dead letters. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const UUID = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i

export function parseEnvelope(data: Uint8Array): Envelope {
  const fields = parseObject(data)
  const envelope = {
    id: text(fields, 'id'),
    type: text(fields, 'type'),
    tenantId: text(fields, 'tenantId'),
    ...optionalText(fields, 'aggregateId'),
    timestampMs: instantMs(fields, 'timestampMs'),
    ...optionalText(fields, 'correlationId'),
    ...optionalText(fields, 'causationId'),
    payload: payloadOf(fields),
  }
  if (!UUID.test(envelope.id)) throw new MalformedMessage('id must be a UUID')
  const tag = envelope.payload['_tag']
  if (tag !== undefined && tag !== envelope.type) {
    throw new MalformedMessage(
      `payload._tag must be the same as type, ${JSON.stringify(envelope.type)}; it is ${quoted(tag)}`,
    )
  }
  return envelope
}

type Fields = Readonly<Record<string, unknown>>

function parseObject(data: Uint8Array): Fields {
  let json: string
  try {
    json = utf8.decode(data)
  } catch {
    throw new MalformedMessage('the message is not UTF-8 text')
  }
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw new MalformedMessage(`the message is not JSON: ${(error as Error).message}`)
  }
  if (!isObject(value)) throw new MalformedMessage('the message must be a JSON object')
  return value
}

/** `path` is how the field is called in the reason. */
export function text(fields: Fields, name: string, path = name): string {
  const value = fields[name]
  if (value === undefined) throw new MalformedMessage(`${path} is missing`)
  if (typeof value !== 'string' || value === '' || value.length > ID_CHARS_MAX || !isStorable(value)) {
    throw new MalformedMessage(
      `${path} must be a string of 1 to ${ID_CHARS_MAX} characters, ${STORABLE}; it is ${quoted(value)}`,
    )
  }
  return value
}

function optionalText<Name extends string>(fields: Fields, name: Name): { readonly [N in Name]?: string } {
  if (fields[name] === null) throw new MalformedMessage(`${name} must be left out when there is none, not null`)
  return (fields[name] === undefined ? {} : { [name]: text(fields, name) }) as { readonly [N in Name]?: string }
}

function instantMs(fields: Fields, name: string): number {
  const value = fields[name]
  if (value === undefined) throw new MalformedMessage(`${name} is missing`)
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new MalformedMessage(`${name} must be whole milliseconds since 1970; it is ${quoted(value)}`)
  }
  return value as number
}

function payloadOf(fields: Fields): Fields {
  const { payload } = fields
  if (payload === undefined) throw new MalformedMessage('payload is missing')
  if (!isObject(payload)) throw new MalformedMessage('payload must be a JSON object')
  return payload
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const QUOTED_CHARS_MAX = 80

function quoted(value: unknown): string {
  const json = JSON.stringify(value)
  return json.length > QUOTED_CHARS_MAX ? `${json.slice(0, QUOTED_CHARS_MAX)}…`.toWellFormed() : json
}
