// What a timer in a file looks like, field by field. A timer that does not look so does not get in.

import { Type } from '../../runtime/schema-type.ts'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { TARGET_TYPE_NAMES, targetFields } from '../../core/targets/target.ts'
import type { TargetFieldKind } from '../../core/targets/target-type.ts'
import { RUNNING_MAX } from '../../core/timer/running-firings.ts'
import { CatchUp, Overlap, Status } from '../../core/timer/timer.ts'
import type { Timer } from '../../core/timer/timer.ts'

const count = Type.Integer({ minimum: 0 })
const millis = Type.Integer()

const ATTEMPT = exact({
  at: millis,
  durationMs: Type.Number({ minimum: 0 }),
  outcome: Type.Enum(['delivered', 'rescheduled', 'failed']),
  statusCode: orNull(Type.Integer()),
  error: orNull(Type.String()),
  note: Type.Optional(Type.String()),
  of: Type.Optional(exact({ firing: count, iteration: count })),
} satisfies Record<keyof Timer['attemptLog'][number], TSchema>)

const RETRY = exact({
  maxAttempts: Type.Integer({ minimum: 1 }),
  initialIntervalMs: Type.Number({ minimum: 0 }),
  multiplier: Type.Number({ minimum: 1 }),
  maxIntervalMs: Type.Number({ minimum: 0 }),
  maxDurationMs: Type.Number({ minimum: 0 }),
} satisfies Record<keyof Timer['retry'], TSchema>)

const TARGET_FIELDS: Readonly<Record<TargetFieldKind, TSchema>> = {
  text: Type.String({ minLength: 1 }),
  url: Type.String({ minLength: 1 }),
  optional: orNull(Type.String()),
  headers: orNull(Type.Record(Type.String(), Type.String())),
}

const TARGET = Type.Union(
  TARGET_TYPE_NAMES.map((type) => {
    const fields = targetFields(type).map(({ name, kind }) => [name, TARGET_FIELDS[kind]] as const)
    return exact({ type: Type.Literal(type), ...Object.fromEntries(fields) })
  }),
)

const EXTRA = exact({
  dueAt: millis,
  moved: Type.Optional(Type.Literal(true)),
  number: count,
  regular: exact({
    status: Type.Enum([Status.pending, Status.paused]),
    wakeAt: millis,
    attempts: count,
    firstAttemptAt: orNull(millis),
  }),
} satisfies Record<keyof NonNullable<Timer['extra']>, TSchema>)

const RUNNING = exact({
  wakeAt: millis,
  isEnding: Type.Optional(Type.Literal(true)),
  firings: Type.Array(
    exact({
      firing: count,
      iteration: count,
      nominalAt: millis,
      dueAt: millis,
      wakeAt: millis,
      attempts: count,
      firstAttemptAt: orNull(millis),
    }),
    { maxItems: RUNNING_MAX },
  ),
} satisfies Record<keyof NonNullable<Timer['running']>, TSchema>)

const RULES = exact({
  dst: Type.Optional(
    exact({
      gap: Type.Optional(Type.Enum(['shift', 'skip'])),
      overlap: Type.Optional(Type.Enum(['first', 'second', 'both'])),
    }),
  ),
  startAt: Type.Optional(millis),
  endAt: Type.Optional(millis),
  maxFirings: Type.Optional(Type.Integer({ minimum: 1 })),
  lastIteration: Type.Optional(Type.Integer({ minimum: 1 })),
  spreadMs: Type.Optional(count),
  calendar: Type.Optional(exact({ name: Type.String({ minLength: 1 }), onExcluded: Type.Enum(['skip', 'move']) })),
} satisfies Record<keyof NonNullable<Timer['rules']>, TSchema>)

export const TIMER = Compile(
  exact({
    namespace: Type.String(),
    id: Type.String(),
    version: count,
    status: Type.Enum(Object.values(Status)),
    schedule: orNull(Type.String()),
    timeZone: orNull(Type.String()),
    rules: Type.Optional(orNull(RULES)),
    anchorAt: orNull(millis),
    iteration: count,
    catchUp: Type.Union([Type.Enum(Object.values(CatchUp)), Type.Integer({ minimum: 1 })]),
    maxLatenessMs: Type.Optional(orNull(count)),
    overlap: Type.Optional(orNull(Type.Enum(Object.values(Overlap)))),
    skipped: Type.Optional(count),
    nominalAt: Type.Optional(millis),
    zoned: Type.Optional(orNull(exact({ data: Type.String(), offsetMs: Type.Integer() }))),
    dueAt: millis,
    wakeAt: millis,
    target: TARGET,
    protocol: Type.String({ minLength: 1 }),
    payload: orNull(Type.String()),
    metadata: orNull(Type.String()),
    retry: RETRY,
    timeoutMs: Type.Integer({ minimum: 1 }),
    createdAt: millis,
    updatedAt: millis,
    executedAt: orNull(millis),
    finishedAt: orNull(millis),
    firing: count,
    attempts: count,
    firstAttemptAt: orNull(millis),
    extra: Type.Optional(orNull(EXTRA)),
    running: Type.Optional(orNull(RUNNING)),
    lastError: orNull(Type.String()),
    attemptLog: Type.Array(ATTEMPT),
    traceparent: orNull(Type.String()),
    correlationId: orNull(Type.String()),
    fingerprint: Type.Optional(orNull(Type.String())),
    lastCommand: Type.Optional(orNull(exact({ stream: Type.String(), sequence: count }))),
    tenant: Type.Optional(orNull(Type.String())),
    // A field that Timer gains is missed here by the compiler: then it needs a default for files without it.
  } satisfies Record<Exclude<keyof Timer, 'uuid'>, TSchema>),
)

function exact<Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}

function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}
