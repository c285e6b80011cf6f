// What each operation is called, takes and answers, as the OpenAPI document tells it.

import { Type } from '../../../runtime/schema-type.ts'
import type { TSchema } from 'typebox'
import type { Reason } from '../../../core/time/preview.ts'
import { ACCESS_FAILURES, failures as failureAnswers } from '../../docs/native-failures.ts'
import type { FailureStatus } from '../../docs/native-failures.ts'
import { EXAMPLES } from './examples.ts'
import type { Verb } from './examples.ts'

type Words = {
  readonly summary: string
  readonly description: string
  readonly failures: readonly FailureStatus[]
}

const WORDS: Readonly<Record<Verb, Words>> = {
  create: {
    summary: 'Create a timer',
    description: 'Stored on disk when it answers. A timer of the same id is replaced unless onConflict says otherwise.',
    failures: [400, 409, 413, 503],
  },
  get: {
    summary: 'Read a timer',
    description: 'Finished timers can be read while they are retained.',
    failures: [400, 404, 503],
  },
  update: {
    summary: 'Change a timer',
    description: 'Only what is given changes, also within retryPolicy. Once it answers, the old version never fires.',
    failures: [400, 404, 409, 413, 503],
  },
  delete: {
    summary: 'Cancel a timer',
    description: 'Once it answers, its delivery never starts.',
    failures: [400, 404, 409, 503],
  },
  list: {
    summary: 'List timers',
    description:
      'Live timers first, soonest first; then finished ones. A page of large timers ends at 1 MiB: short pages can have a nextCursor too, so go on until there is none. ' +
      'With sort, order or offset: in that order, with the total. With search: by the beginning of the id.',
    failures: [400, 503],
  },
  batch: {
    summary: 'Create, update and cancel many timers',
    description:
      'Up to 1,000 at once. Each has its own result, in order: a bad one fails alone. With an Idempotency-Key, a batch can be repeated: ' +
      'its creates without an id make no second timers. With Prefer: return=minimal, new timers with an id, one firing, a callbackUrl and nothing ' +
      'else but a payload are answered with what the request does not say, as made and plainTimer.',
    failures: [400, 413, 503],
  },
  cancel: {
    summary: 'Cancel many timers',
    description:
      'Every pending or paused timer that matches. When more is true, the limit of one request was reached: send it again.',
    failures: [400, 503],
  },
  trigger: {
    summary: 'Fire now',
    description: 'The timer is due at once. A cycle goes on as before.',
    failures: [400, 404, 409, 503],
  },
  pause: {
    summary: 'Pause a timer',
    description: 'It does not fire until it is resumed.',
    failures: [400, 404, 409, 503],
  },
  resume: {
    summary: 'Resume a timer',
    description: 'What came due during the pause fires at once.',
    failures: [400, 404, 409, 503],
  },
  retry: {
    summary: 'Retry failed timers',
    description: 'One failed timer by its timerId, or with all: true every failed one that matches.',
    failures: [400, 404, 409, 503],
  },
  preview: {
    summary: 'Preview a schedule',
    description: 'When a timer with this schedule, created now, would fire. Nothing is stored.',
    failures: [400],
  },
}

/** By the $id of the schemas in native/answer-schema.ts. */
const Timer = Type.Ref('Timer#')
const counts = { matched: Type.Integer(), tooLate: Type.Integer(), more: Type.Boolean() }

const ANSWERS: Readonly<Record<Verb, TSchema>> = {
  create: Timer,
  get: Timer,
  update: Timer,
  delete: Type.Null({ description: 'Canceled.' }),
  list: Type.Object({
    timers: Type.Array(Timer),
    nextCursor: Type.Optional(Type.String()),
    total: Type.Optional(Type.Integer({ description: 'Of a sorted list or a search: how many match.' })),
    nextOffset: Type.Optional(
      Type.Integer({
        description:
          'Of a sorted list or a search whose page ended before its limit, because its timers are large: the offset to go on at.',
      }),
    ),
    searched: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['prefix', 'exact'] })),
  }),
  batch: Type.Object({
    results: Type.Array(
      Type.Object({
        status: Type.Integer(),
        timer: Type.Optional(Timer),
        made: Type.Optional(
          Type.Object(
            {
              executeAt: Type.String(),
              createdAt: Type.String(),
              version: Type.Integer(),
              deliveryId: Type.String(),
            },
            { description: 'Instead of timer, of a new plain timer, where Prefer: return=minimal was asked for.' },
          ),
        ),
        error: Type.Optional(Type.String()),
        message: Type.Optional(Type.String()),
        details: Type.Optional(Type.Unknown()),
      }),
    ),
    plainTimer: Type.Optional(
      Type.Unknown({
        description:
          'With made: what all these timers have in common (status, retryPolicy, callbackTimeout). All else is as the request says.',
      }),
    ),
    created: Type.Integer(),
    updated: Type.Optional(Type.Integer({ description: 'Where there were updates.' })),
    deleted: Type.Optional(Type.Integer({ description: 'Where there were deletes.' })),
    failed: Type.Integer(),
  }),
  cancel: Type.Object({ ...counts, canceled: Type.Integer() }),
  trigger: Timer,
  pause: Timer,
  resume: Timer,
  retry: Type.Unsafe({ anyOf: [Timer, Type.Object({ ...counts, retried: Type.Integer() })] }),
  preview: Type.Object({
    now: Type.String(),
    firings: Type.Array(Type.String()),
    timeZone: Type.Optional(Type.String()),
    localFirings: Type.Optional(Type.Array(Type.String())),
    description: Type.String({ description: 'The schedule in words.' }),
    unusual: Type.Array(
      Type.Object({
        executeAt: Type.String(),
        nominalAt: Type.Optional(Type.String({ description: 'When the schedule says, if that is another time.' })),
        reasons: Type.Array(Type.Unsafe<Reason>({ type: 'string', enum: ['gap', 'overlap', 'calendar', 'spread'] })),
        note: Type.String({ description: 'The reasons in words.' }),
      }),
      { description: 'Those of the firings that are not simply when the schedule says: where clocks change, say.' },
    ),
  }),
}

/** The `schema` of a route: the body is checked, everything else is documentation. */
export function operation<Body extends TSchema>(verb: Verb, body: Body) {
  const { summary, description, failures } = WORDS[verb]
  const { request, answer } = EXAMPLES[verb]
  const success =
    answer === null
      ? { 204: ANSWERS[verb] }
      : { 200: { description: 'Done.', content: { 'application/json': { schema: ANSWERS[verb], example: answer } } } }
  return {
    operationId: `${verb}Timer`,
    tags: ['timers'],
    summary,
    description,
    body: { ...body, examples: [request] } as Body,
    response: { ...success, ...failureAnswers(...failures, ...ACCESS_FAILURES) } as Record<string, unknown>,
  }
}
