// What each operation of `platform` is called, takes and answers, as the OpenAPI document tells it.

import { Type } from '../../../runtime/schema-type.ts'
import type { TSchema } from 'typebox'
import { TARGET_TYPE_NAMES } from '../../../core/targets/target.ts'
import { BatchBody, CreateBody, ListQuery, LIST_STATUSES, TimerPath, UpdateBody } from './schema.ts'

const TAGS = ['platform']

export const EXAMPLES = {
  create: {
    execute_at: '2030-01-31T09:00:00Z',
    callback: {
      type: 'http',
      url: 'https://example.com/hooks/order',
      headers: { Authorization: 'Bearer token' },
      payload: { event: 'order_expired', order: 4711 },
    },
    metadata: { client_ref: 'order-4711' },
  },
  update: { execute_at: '2030-02-01T09:00:00Z', metadata: { client_ref: 'order-4711', postponed: true } },
  batch: {
    timers: [
      {
        execute_at: '2030-01-31T09:00:00Z',
        callback: { type: 'http', url: 'https://example.com/hooks/order', payload: { order: 4712 } },
        idempotency_key: 'order-4712-expired',
      },
      { action: 'update', id: '01930a4e-7c3b-7d11-9a52-3f6c8b1e2d40', execute_at: '2030-02-01T09:00:00Z' },
      { action: 'cancel', id: '01930a4e-7c3b-7d11-9a52-3f6c8b1e2d41' },
    ],
  },
} as const

const Instant = Type.String({ format: 'date-time' })
const MaybeInstant = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
const StatusWord = Type.Unsafe<string>({ type: 'string', enum: LIST_STATUSES })
const CallbackType = Type.Unsafe<string>({ type: 'string', enum: TARGET_TYPE_NAMES })

const summary = {
  id: Type.String(),
  created_at: Instant,
  execute_at: Instant,
  callback_type: CallbackType,
  status: StatusWord,
  executed_at: MaybeInstant,
}
const detail = {
  ...summary,
  updated_at: Instant,
  callback_config: Type.Unknown({ description: 'The callback as it was given; null for a timer that calls nothing.' }),
  last_error: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Why it failed, such as HTTP 500.' }),
  metadata: Type.Unknown(),
}

type Failure = { readonly code: number; readonly message: string; readonly words: string }
const FAILURES: Readonly<Record<number, Failure>> = {
  400: {
    code: 2,
    message: 'execute_at must be in the future',
    words: 'something in the request is wrong, or the timer is in the wrong status',
  },
  401: { code: 4, message: 'unauthorized', words: 'no valid API key' },
  404: { code: 3, message: 'timer not found', words: 'timer not found' },
  500: { code: 1, message: 'internal error', words: 'a defect of the service' },
  503: { code: 1, message: 'service unavailable', words: 'nothing was stored; try again after Retry-After' },
}

export const OPERATIONS = {
  create: {
    operationId: 'createPlatformTimer',
    tags: TAGS,
    summary: 'Create a timer with an id made by the service',
    description: 'Stored on disk when it answers. One attempt is made to deliver it; any 2xx completes it.',
    body: { ...CreateBody, examples: [EXAMPLES.create] } as typeof CreateBody,
    response: responses(201, Type.Object(summary), [400, 401, 500, 503]),
  },
  batch: {
    operationId: 'batchPlatformTimers',
    tags: TAGS,
    summary: 'Create, update and cancel many timers',
    description:
      'Up to 1,000 at once. Each has its own result, in order, with the code, message and data that it would have had alone: a bad one ' +
      'fails alone. With an Idempotency-Key, a batch can be repeated: its creates make no second timers.',
    body: { ...BatchBody, examples: [EXAMPLES.batch] } as typeof BatchBody,
    response: responses(
      200,
      Type.Object({
        results: Type.Array(Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Unknown() })),
        created: Type.Integer(),
        updated: Type.Integer(),
        canceled: Type.Integer(),
        failed: Type.Integer(),
      }),
      [400, 401, 500, 503],
    ),
  },
  list: {
    operationId: 'listPlatformTimers',
    tags: TAGS,
    summary: 'List timers by pages',
    description: 'Every timer of the namespace default, with the exact total of those that match.',
    querystring: ListQuery,
    response: responses(
      200,
      Type.Object({
        timers: Type.Array(Type.Object(summary)),
        total: Type.Integer(),
        limit: Type.Integer(),
        offset: Type.Integer(),
      }),
      [400, 401, 500, 503],
    ),
  },
  get: {
    operationId: 'getPlatformTimer',
    tags: TAGS,
    summary: 'Read a timer by its UUID',
    description: 'With its callback, payload and metadata.',
    params: TimerPath,
    response: responses(200, Type.Object(detail), [400, 401, 404, 500, 503]),
  },
  update: {
    operationId: 'updatePlatformTimer',
    tags: TAGS,
    summary: 'Change a pending timer',
    description: 'Only what is given changes; a callback as a whole.',
    params: TimerPath,
    body: { ...UpdateBody, examples: [EXAMPLES.update] } as typeof UpdateBody,
    response: responses(200, Type.Object({ ...summary, updated_at: Instant }), [400, 401, 404, 500, 503]),
  },
  cancel: {
    operationId: 'cancelPlatformTimer',
    tags: TAGS,
    summary: 'Cancel a pending timer',
    description: 'It can still be read, as canceled. Once it answers, its delivery never starts.',
    params: TimerPath,
    response: responses(200, Type.Object({ id: Type.String(), status: StatusWord }), [400, 401, 404, 500, 503]),
  },
}

function responses(status: number, data: TSchema, failures: readonly number[]): Record<string, unknown> {
  const schema = (content: TSchema) => Type.Object({ code: Type.Integer(), message: Type.String(), data: content })
  const errors = failures.map((failure) => {
    const { code, message, words } = FAILURES[failure]!
    const example = { code, message, data: null }
    return [failure, { description: `Code ${code}: ${words}.`, content: json(schema(Type.Null()), { example }) }]
  })
  return { [status]: { description: 'Done.', content: json(schema(data)) }, ...Object.fromEntries(errors) }
}

function json(schema: TSchema, more: object = {}): object {
  return { 'application/json': { schema, ...more } }
}
