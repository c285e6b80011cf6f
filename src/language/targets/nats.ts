// A callback over NATS, as clients write it.

import { Type } from '../../runtime/schema-type.ts'
import { invalidInput } from '../../core/errors.ts'
import type { Headers } from '../../core/targets/target-type.ts'
import type { CallbackType, Maybe } from './callback-type.ts'
import { HeaderFields, readHeaders } from './headers.ts'

export const TOPIC_CHARS_MAX = 255

export type NatsCallback = {
  readonly type: 'nats'
  readonly topic: string
  readonly key?: string
  readonly headers?: Headers
}

type Written = {
  readonly type: 'nats'
  readonly topic: string
  readonly key?: Maybe<string>
  readonly headers?: Maybe<Headers>
}

export const natsCallback: CallbackType<Written> = {
  schema: Type.Object(
    {
      type: Type.Literal('nats'),
      topic: Type.String({ minLength: 1, maxLength: TOPIC_CHARS_MAX }),
      key: Type.Optional(Type.String({ minLength: 1, maxLength: TOPIC_CHARS_MAX })),
      headers: Type.Optional(HeaderFields),
    },
    { additionalProperties: false, title: 'NATS' },
  ),
  example: "{ type: 'nats', topic: '…' }",
  read: ({ topic, key: given = null, headers: written }) => {
    const headers = readHeaders(written)
    const key = given === null ? null : readSubject(given, 'callback.key')
    return { type: 'nats', topic: readSubject(topic, 'callback.topic'), key, headers }
  },
}

const SUBJECT = /^[^\s\0-\x20\x7f.*>]+(?:\.[^\s\0-\x20\x7f.*>]+)*$/

function readSubject(text: string, field: string): string {
  if (SUBJECT.test(text) && text.isWellFormed()) return text
  throw invalidInput(field, `${field} must be a NATS subject: words joined by dots, without spaces and wildcards`)
}
