// What each route of this folder is called, takes and answers, as the OpenAPI document tells it.

import { Type } from '../../runtime/schema-type.ts'
import type { TSchema } from 'typebox'
import { Status } from '../../core/timer/timer.ts'
import { COUNTERS } from '../../service/activity/activity-ring.ts'
import { ACCESS_FAILURES, failures } from '../docs/native-failures.ts'
import type { FailureStatus } from '../docs/native-failures.ts'
import { CallbackTestBody } from './callback-test-body.ts'
import { CALLBACK_TEST_EXAMPLE, FORECAST_EXAMPLE, LIVE_EXAMPLE, OVERVIEW_EXAMPLE } from './examples.ts'
import { ForecastQuery, LiveQuery, OverviewQuery } from './query.ts'

const Instant = Type.String({ format: 'date-time' })
const MaybeInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] })
const MaybeText = Type.Unsafe<string | null>({ type: ['string', 'null'] })
const integers = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, Type.Integer()]))

const counts = Type.Object(integers(Object.values(Status)))
const activity = Type.Object(integers(COUNTERS))
const histogram = Type.Array(Type.Object({ leMs: Type.Integer(), count: Type.Integer() }))
const shares = { p50: MaybeInteger, p90: MaybeInteger, p99: MaybeInteger, max: MaybeInteger }
const lateness = Type.Object({ count: Type.Integer(), ...shares, histogram })
const gauges = Type.Unsafe({
  ...Type.Object(integers(['inFlight', 'ready', 'windowTimers', 'commitQueue', 'ownedShards', 'listeners'])),
  type: ['object', 'null'],
  description: 'Of the whole node; null for a key that is bound to namespaces.',
})

const Overview = Type.Object({
  now: Instant,
  version: Type.String(),
  node: Type.String(),
  scope: Type.Literal('node', {
    description: 'Counts are of the whole cluster; the rest is what this node did since it started.',
  }),
  database: Type.String(),
  startedAt: Instant,
  namespace: MaybeText,
  tracked: Type.Boolean({
    description: 'false: there are more namespaces than a node follows, so figures of this one may be missing.',
  }),
  counts,
  countsAt: Instant,
  namespaces: Type.Array(Type.Object({ namespace: Type.String(), ...integers(Object.values(Status)) }), {
    description: 'The 50 with the most live timers.',
  }),
  namespacesTotal: Type.Integer(),
  gauges,
  lastMinute: activity,
  lastHour: activity,
  lateness: Type.Unsafe({
    ...lateness,
    description: 'Of the last hour, in ms. The histogram has the buckets that something is in.',
  }),
  latenessLastMinute: lateness,
  perSecond: Type.Array(Type.Object({ at: Instant, ...integers(COUNTERS) }), {
    description: 'The last 60 seconds that are over.',
  }),
})

const Forecast = Type.Object({
  now: Instant,
  stepMs: Type.Integer(),
  steps: Type.Array(Type.Object({ at: Instant, count: Type.Integer(), hot: Type.Boolean() })),
  overdue: Type.Integer({ description: 'Due before the first step.' }),
  total: Type.Integer(),
  complete: Type.Boolean({
    description:
      'false: there are more timers than are counted, so some are missing; of hours, those of a day are spread over it instead.',
  }),
  peak: Type.Unsafe({ ...Type.Object({ at: Instant, count: Type.Integer() }), type: ['object', 'null'] }),
})

const CallbackTested = Type.Object({
  outcome: Type.Unsafe<string>({ type: 'string', enum: ['delivered', 'rescheduled', 'failed'] }),
  statusCode: MaybeInteger,
  durationMs: Type.Integer(),
  error: MaybeText,
  nextExecuteAt: MaybeText,
  deliveryId: Type.String(),
  firedAt: Instant,
  responseBody: MaybeText,
  responseTruncated: Type.Boolean(),
})

function answers(content: object, ...statuses: readonly FailureStatus[]): Record<string, unknown> {
  return { 200: { description: 'Done.', content }, ...failures(400, 503, ...statuses, ...ACCESS_FAILURES) }
}

function json(schema: TSchema, example: unknown): object {
  return { 'application/json': { schema, example } }
}

const tags = ['observing']

export const OVERVIEW = {
  operationId: 'overview',
  tags,
  summary: 'How things are',
  description:
    'How many timers there are, by status and namespace; what this node did in the last minute and hour; how late it fired.',
  querystring: OverviewQuery,
  response: answers(json(Overview, OVERVIEW_EXAMPLE)),
}

export const LIVE = {
  operationId: 'live',
  tags,
  summary: 'What happens, as it happens',
  description:
    'Server-sent events: `overview` every second, `firing` for attempts that ended and `change` for timers that were changed through ' +
    'this node, up to 50 of each a second, `skipped` when the reader is too slow, and `end` with the reason before the stream ends.',
  querystring: LiveQuery,
  response: answers({ 'text/event-stream': { schema: Type.String(), example: LIVE_EXAMPLE } }),
}

export const FORECAST = {
  operationId: 'forecast',
  tags,
  summary: 'What will fire',
  description:
    'How many timers are due in each step of time from now on. Cycles count with their next firing only; paused timers do not count. ' +
    'A step is hot when it has at least 10 timers and three times as many as the average step.',
  querystring: ForecastQuery,
  response: answers(json(Forecast, FORECAST_EXAMPLE)),
}

export const CALLBACK_TEST = {
  operationId: 'testCallback',
  tags,
  summary: 'Test a callback',
  description:
    'Delivers once, now, exactly as a timer of the namespace would, and tells what came of it. Nothing is stored or repeated. ' +
    'The answer is 200 whatever the receiver did. The receiver has 10 seconds at most.',
  body: { ...CallbackTestBody, examples: [CALLBACK_TEST_EXAMPLE.request] } as typeof CallbackTestBody,
  response: answers(json(CallbackTested, CALLBACK_TEST_EXAMPLE.answer), 413),
}
