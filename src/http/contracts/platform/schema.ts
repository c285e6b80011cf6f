// The bodies and queries that `platform` takes. Optional fields may be null, which is the same as leaving them out: that
// is how clients in typed languages write what they do not set.

import { Type } from '../../../runtime/schema-type.ts'
import type { Static, TSchema } from 'typebox'
import {
  BATCH_TIMERS_MAX,
  HEADER_VALUE_CHARS_MAX,
  HEADERS_MAX,
  IDEMPOTENCY_KEY_CHARS_MAX,
  URL_CHARS_MAX,
} from '../../../core/limits.ts'
import { TOPIC_CHARS_MAX } from '../../../language/targets/nats.ts'

type Headers = Readonly<Record<string, string>>

const HeadersField = Type.Unsafe<Headers | null>({
  type: ['object', 'null'],
  maxProperties: HEADERS_MAX,
  additionalProperties: { type: 'string', maxLength: HEADER_VALUE_CHARS_MAX },
  description: 'Sent with the delivery.',
})
const PayloadField = Type.Unknown({ description: 'Any JSON; it is the body of the delivery, as it is.' })

const HttpCallback = Type.Object(
  {
    type: Type.Literal('http'),
    url: Type.String({ minLength: 1, maxLength: URL_CHARS_MAX, description: 'An http or https URL that gets a POST.' }),
    headers: Type.Optional(HeadersField),
    payload: Type.Optional(PayloadField),
  },
  { additionalProperties: false, title: 'HTTP' },
)
const NatsCallback = Type.Object(
  {
    type: Type.Literal('nats'),
    topic: Type.String({ minLength: 1, maxLength: TOPIC_CHARS_MAX }),
    key: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        minLength: 1,
        maxLength: TOPIC_CHARS_MAX,
        description: 'Published on topic.key then.',
      }),
    ),
    headers: Type.Optional(HeadersField),
    payload: Type.Optional(PayloadField),
  },
  { additionalProperties: false, title: 'NATS' },
)
export type CallbackBody = Static<typeof HttpCallback> | Static<typeof NatsCallback>

/** A discriminated union, so that a mistake in one kind is not reported as "matches none of them". */
const callbackUnion = { discriminator: { propertyName: 'type' }, oneOf: [HttpCallback, NatsCallback] }

const EXECUTE_AT = 'ISO 8601 with an offset, more than 5 seconds ahead.'
const MetadataField = Type.Unknown({ description: 'Any JSON for reference.' })

const createFields = {
  execute_at: Type.String({ description: EXECUTE_AT }),
  callback: Type.Unsafe<CallbackBody>({ type: 'object', ...callbackUnion }),
  metadata: Type.Optional(MetadataField),
  idempotency_key: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      minLength: 1,
      maxLength: IDEMPOTENCY_KEY_CHARS_MAX,
      description:
        'A create that is repeated with the same key makes no second timer. The header Idempotency-Key does the same.',
    }),
  ),
}
export const CreateBody = closed(createFields)
export type CreateBody = Static<typeof CreateBody>

const updateFields = {
  execute_at: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], description: EXECUTE_AT })),
  callback: Type.Optional(
    Type.Unsafe<CallbackBody | null>({
      anyOf: [{ type: 'null' }, { type: 'object', ...callbackUnion }],
      title: 'an object, or null',
      description: 'As a whole, payload included.',
    }),
  ),
  metadata: Type.Optional(MetadataField),
}
export const UpdateBody = closed(updateFields)
export type UpdateBody = Static<typeof UpdateBody>

const IdField = Type.String({
  description: 'The UUID that the create answered with.',
  examples: ['01930a4e-7c3b-7d11-9a52-3f6c8b1e2d40'],
})
export const TimerPath = Type.Object({ id: IdField })

/** What the items of a batch are, by their `action`. They are not checked with the body but one by one, so that a bad one fails alone. */
export const BATCH_ITEMS = {
  create: closed({ action: Type.Optional(Type.Literal('create')), ...createFields }),
  update: closed({ action: Type.Literal('update'), id: IdField, ...updateFields }),
  cancel: closed({ action: Type.Literal('cancel'), id: IdField }),
}
export type BatchAction = keyof typeof BATCH_ITEMS

const BATCH_ITEM =
  'As the body of a create; with action: "update", as the body of an update and the id; with action: "cancel", the id. ' +
  'Items for one timer are carried out in order.'

export const BatchBody = closed({
  timers: Type.Array(Type.Unknown({ description: BATCH_ITEM }), { minItems: 1, maxItems: BATCH_TIMERS_MAX }),
})

export const LIST_STATUSES = ['pending', 'executing', 'completed', 'failed', 'canceled'] as const
export const LIST_LIMIT_DEFAULT = 50
export const LIST_LIMIT_MAX = 200

function oneOf<Word extends string>(words: readonly Word[], description: string) {
  return Type.Unsafe<Word>({ type: 'string', enum: words, description })
}

/** Numbers are text in a query, and are read in list-query.ts. */
export const ListQuery = Type.Object(
  {
    status: Type.Optional(oneOf(LIST_STATUSES, 'Only timers in this status.')),
    limit: Type.Optional(
      Type.String({
        description: `Default ${LIST_LIMIT_DEFAULT}; cut to ${LIST_LIMIT_MAX} if more.`,
        examples: ['50'],
      }),
    ),
    offset: Type.Optional(Type.String({ description: 'How many to skip. Default 0.', examples: ['100'] })),
    sort: Type.Optional(oneOf(['created_at', 'execute_at'], 'Default created_at.')),
    order: Type.Optional(oneOf(['asc', 'desc'], 'Default desc.')),
  },
  { additionalProperties: false },
)
export type ListQuery = Static<typeof ListQuery>

function closed<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Type.Object(fields, { additionalProperties: false })
}
