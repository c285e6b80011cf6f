// What each operation of `cycles` is called, takes and answers, as the OpenAPI document tells it.

import { Type } from '../../../runtime/schema-type.ts'
import type { TSchema } from 'typebox'
import { DELAY_BANDS } from '../../../core/statistics/tallies.ts'
import { CreateBody, ListQuery, StatsQuery, TenantQuery, TimerPath } from './schema.ts'
import { STATUS_WORDS, TYPE_WORDS } from './answers/status.ts'

const TAGS = ['cycles']

export const EXAMPLE = {
  timer_id: 'payment-timeout-4711',
  duration_or_cycle: 'R3/PT10M',
  metadata: { order_id: '4711', reason: 'payment' },
  callback_url: 'https://example.com/hooks/timer',
  tenant_id: 'production',
} as const

const Instant = Type.String({ format: 'date-time' })
const MaybeInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] })
const word = (words: readonly string[]) => Type.Unsafe<string>({ type: 'string', enum: words })

const timer = {
  timer_id: Type.String(),
  duration_or_cycle: Type.String({ description: 'As it was given; the instant of a timer that was made with one.' }),
  status: word(STATUS_WORDS),
  created_at: Instant,
  scheduled_at: Type.String({
    format: 'date-time',
    description: 'When the current firing is due. Retries do not move it.',
  }),
  tenant_id: Type.String(),
  timer_type: word(TYPE_WORDS),
  cycle_info: Type.Unsafe({
    anyOf: [
      Type.Object({
        repetitions: Type.String({ description: 'A number, or infinite.' }),
        interval_duration: Type.String(),
        current_iteration: Type.Integer({ description: 'The one that is next, from 1.' }),
        next_iterations: Type.Array(Instant, { description: 'The next three, fewer if fewer remain.' }),
      }),
      Type.Null(),
    ],
  }),
  remaining_time_ms: Type.Integer(),
  metadata: Type.Object({}, { additionalProperties: true }),
  callback_url: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  timewheel_level: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'null when it is not in the wheel: paused or finished.',
  }),
  slot_position: MaybeInteger,
}

const detail = {
  ...timer,
  accuracy_ms: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'How late its last firing started; null before the first.',
  }),
  execution_history: Type.Array(Type.Object({ timestamp: Instant, action: Type.String(), details: Type.String() })),
  timewheel_info: Type.Unsafe({
    anyOf: [
      Type.Object({ level: Type.Integer(), slot_position: Type.Integer(), estimated_accuracy_ms: Type.Number() }),
      Type.Null(),
    ],
  }),
}

const integers = (...names: readonly string[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.Integer()])))

const list = Type.Object({
  timers: Type.Array(Type.Object(timer)),
  pagination: Type.Object({
    page: Type.Integer(),
    page_size: Type.Integer(),
    total_count: Type.Integer(),
    total_pages: Type.Integer(),
    has_next: Type.Boolean(),
    has_prev: Type.Boolean(),
  }),
  summary: integers(
    'total_timers',
    'scheduled_timers',
    'completed_timers',
    'cancelled_timers',
    'duration_timers',
    'cycle_timers',
  ),
})

const canceled = Type.Object({
  timer_id: Type.String(),
  status: word(['CANCELLED']),
  cancelled_at: Instant,
  cancelled_by: Type.String({ description: 'The name of the key, or anonymous.' }),
  was_active: Type.Boolean({ description: 'false when it was paused.' }),
  remaining_time_ms: Type.Integer(),
  cleanup_info: Type.Object({
    timewheel_level: MaybeInteger,
    slot_cleared: Type.Boolean(),
    callback_cancelled: Type.Boolean(),
  }),
})

const MaybeNumber = Type.Unsafe<number | null>({ type: ['number', 'null'], description: 'null when nothing fired.' })
const statistics = Type.Object({
  period: Type.String(),
  generated_at: Instant,
  overview: integers(
    'total_timers',
    'active_timers',
    'completed_timers',
    'cancelled_timers',
    'duration_timers',
    'cycle_timers',
  ),
  performance_metrics: Type.Object({
    avg_accuracy_ms: MaybeNumber,
    p95_accuracy_ms: MaybeNumber,
    p99_accuracy_ms: MaybeNumber,
    timers_per_second: Type.Number(),
    total_firing_time_ms: Type.Number(),
  }),
  timewheel_statistics: Type.Object({
    levels_usage: Type.Array(Type.Object({ level: Type.Integer(), name: Type.String(), timers: Type.Integer() })),
    total_slots: Type.Integer(),
    used_slots: Type.Integer(),
    utilization_percent: Type.Number(),
  }),
  duration_distribution: integers(...DELAY_BANDS.map(({ name }) => name)),
  cycle_analysis: Type.Object({
    infinite_cycles: Type.Integer(),
    limited_cycles: Type.Integer(),
    avg_iterations_per_cycle: Type.Number(),
    most_common_intervals: Type.Array(Type.Object({ interval: Type.String(), count: Type.Integer() })),
  }),
})

const FailureAnswer = Type.Object({
  success: Type.Literal(false),
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    details: Type.Object({}, { additionalProperties: true }),
  }),
  request_id: Type.String(),
})

type Failure = { readonly code: string; readonly words: string; readonly message: string }
const FAILURES: Readonly<Record<number, Failure>> = {
  400: {
    code: 'VALIDATION_ERROR',
    words: ', or INVALID_DURATION_FORMAT for a duration that is malformed.',
    message: 'timer_id is missing',
  },
  401: { code: 'UNAUTHORIZED', words: ': no valid API key.', message: 'this needs an API key' },
  403: {
    code: 'FORBIDDEN',
    words: ': the key lacks the permission or the tenant.',
    message: "the key 'reports' may not change timers",
  },
  404: { code: 'TIMER_NOT_FOUND', words: '.', message: "no timer 'payment-timeout-4711' in namespace 'production'" },
  409: {
    code: 'TIMER_ALREADY_EXISTS',
    words: ' on create; TIMER_ALREADY_COMPLETED on delete.',
    message: "timer 'payment-timeout-4711' exists already",
  },
  413: { code: 'PAYLOAD_TOO_LARGE', words: ': the body is too large.', message: 'the body is too large' },
  429: {
    code: 'RATE_LIMITED',
    words: ': see retry_after and the X-RateLimit headers.',
    message: 'too many requests',
  },
  503: {
    code: 'UNAVAILABLE',
    words: ': nothing was stored; try again after Retry-After.',
    message: 'the store does not answer; nothing was stored',
  },
}

export const OPERATIONS = {
  create: {
    operationId: 'createCycleTimer',
    tags: TAGS,
    summary: 'Create a one-shot or a cycle',
    description:
      'A body with timer_id or duration_or_cycle. Stored on disk when it answers; an id that is taken is refused unless on_conflict says otherwise.',
    body: { ...CreateBody, examples: [EXAMPLE] } as typeof CreateBody,
    response: {
      ...responses(200, Type.Object(timer), []),
      ...responses(201, Type.Object(timer), [400, 401, 403, 409, 413, 429, 503]),
    },
  },
  list: {
    operationId: 'listCycleTimers',
    tags: TAGS,
    summary: 'List timers by pages, with totals',
    description:
      'The summary covers all timers of the tenants asked for, whatever the other filters. A delivery younger than a second counts as SCHEDULED.',
    querystring: ListQuery,
    response: responses(200, list, [400, 401, 403, 429, 503]),
  },
  stats: {
    operationId: 'cycleTimerStats',
    tags: TAGS,
    summary: 'Statistics',
    description:
      'Created, completed and cancelled timers, firings and delays are those of the period, to ten minutes; active timers, cycles and the wheel are as of now. ' +
      'Percentiles are within an eighth.',
    querystring: StatsQuery,
    response: responses(200, statistics, [400, 401, 403, 429, 503]),
  },
  get: {
    operationId: 'getCycleTimer',
    tags: TAGS,
    summary: 'Read a timer with its history',
    params: TimerPath,
    querystring: TenantQuery,
    response: responses(200, Type.Object(detail), [400, 401, 403, 404, 429, 503]),
  },
  delete: {
    operationId: 'deleteCycleTimer',
    tags: TAGS,
    summary: 'Cancel a timer',
    description:
      'Once it answers, its delivery never starts. The timer can still be read, as CANCELLED, and its id can be used again.',
    params: TimerPath,
    querystring: TenantQuery,
    response: responses(200, canceled, [400, 401, 403, 404, 409, 429, 503]),
  },
}

function responses(status: number, data: TSchema, failures: readonly number[]): Record<string, unknown> {
  const schema = Type.Object({ success: Type.Literal(true), data, request_id: Type.String() })
  return {
    [status]: { description: 'Done.', content: { 'application/json': { schema } } },
    ...Object.fromEntries(failures.map((one) => [one, failureResponse(FAILURES[one]!)])),
  }
}

function failureResponse({ code, words, message }: Failure): object {
  const example = { success: false, error: { code, message, details: {} }, request_id: 'req_4f1c9a' }
  return { description: `${code}${words}`, content: { 'application/json': { schema: FailureAnswer, example } } }
}
