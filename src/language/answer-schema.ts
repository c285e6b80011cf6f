// The answers of the native contracts, for the OpenAPI document. They are written by hand in timer-json.ts and
// error-envelope.ts; a test holds those against these schemas.

import { Type } from '../runtime/schema-type.ts'
import { CalendarRuleField, CatchUpField, DstField } from './firing-rules.ts'
import { Status } from '../core/timer/timer.ts'
import { ANSWERED_CODES } from '../core/errors.ts'
import type { AnsweredCode } from '../core/errors.ts'

const Instant = Type.String({ format: 'date-time' })

export const TimerAnswer = Type.Object(
  {
    id: Type.String(),
    namespace: Type.String(),
    groupId: Type.String({ description: 'The namespace by its other name.' }),
    status: Type.Unsafe<Status>({ type: 'string', enum: Object.values(Status) }),
    executeAt: Type.String({
      format: 'date-time',
      description: 'When the current firing is due; a trigger of a cycle does not move it, nor do retries.',
    }),
    schedule: Type.Optional(Type.String({ description: 'As it was given; absent for a plain executeAt.' })),
    timeZone: Type.Optional(Type.String()),
    dst: Type.Optional(DstField),
    startAt: Type.Optional(Type.String({ format: 'date-time', description: 'Nothing fires before.' })),
    endAt: Type.Optional(Type.String({ format: 'date-time', description: 'Nothing fires after.' })),
    maxFirings: Type.Optional(Type.Integer({ description: 'How many iterations it has.' })),
    spread: Type.Optional(Type.String({ description: 'How far firings of many timers are spread.' })),
    calendar: Type.Optional(CalendarRuleField),
    nominalAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When the schedule says that the current firing is, if executeAt is another time.',
      }),
    ),
    iteration: Type.Optional(Type.Integer({ description: 'Which iteration of a cycle is next, from 1.' })),
    catchUp: Type.Optional(CatchUpField),
    maxLateness: Type.Optional(Type.String({ description: 'What would begin later than this is missed.' })),
    overlap: Type.Optional(Type.String({ description: 'skip, queue or allow.' })),
    skipped: Type.Optional(Type.Integer({ description: 'How many iterations were not fired; absent for none.' })),
    running: Type.Optional(
      Type.Array(
        Type.Object(
          {
            iteration: Type.Integer(),
            executeAt: Instant,
            attemptCount: Type.Integer({ description: 'Attempts that have ended.' }),
            nextAttemptAt: Type.Optional(
              Type.String({ format: 'date-time', description: 'When it is, or was, tried again.' }),
            ),
            deliveryId: Type.String(),
          },
          { additionalProperties: false },
        ),
        { description: 'With overlap allow: iterations that have begun and are not over, beside the next one.' },
      ),
    ),
    pausedUntil: Type.Optional(Type.String({ format: 'date-time', description: 'When the pause ends by itself.' })),
    callbackUrl: Type.Optional(Type.String()),
    callback: Type.Optional(Type.Unknown({ description: 'As it was given; header values are shown as ***.' })),
    payload: Type.Optional(Type.Unknown()),
    metadata: Type.Optional(Type.Unknown()),
    retryPolicy: Type.Object({
      maxRetries: Type.Integer(),
      initialInterval: Type.String(),
      backoffMultiplier: Type.Number(),
      maxInterval: Type.String(),
      maxRetryAttemptsDuration: Type.String(),
    }),
    callbackTimeout: Type.String(),
    callbackTimeoutSeconds: Type.Number(),
    createdAt: Instant,
    updatedAt: Instant,
    executedAt: Type.Optional(Type.String({ format: 'date-time', description: 'When the last attempt started.' })),
    triggeredAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Of a cycle: it fires once more, beside its schedule, as was asked for then.',
      }),
    ),
    nextAttemptAt: Type.Optional(Type.String({ format: 'date-time', description: 'While it waits for a retry.' })),
    attemptCount: Type.Integer({ description: 'Attempts made of the current firing.' }),
    attempts: Type.Array(
      Type.Object(
        {
          at: Instant,
          durationMs: Type.Number(),
          outcome: Type.Unsafe<string>({ type: 'string', enum: ['delivered', 'rescheduled', 'failed'] }),
          statusCode: Type.Optional(Type.Integer()),
          error: Type.Optional(Type.String()),
          note: Type.Optional(
            Type.String({
              description:
                'What is worth knowing although it is no failure: an unexpected answer, a wait that was changed.',
            }),
          ),
          iteration: Type.Optional(Type.Integer({ description: 'Of one that ran beside others.' })),
        },
        { additionalProperties: false },
      ),
      { description: 'The last attempts, oldest first.' },
    ),
    lastError: Type.Optional(Type.String()),
    correlationId: Type.Optional(
      Type.String({ description: 'Of a timer that a message made: as the message had it.' }),
    ),
    version: Type.Integer({ description: 'Grows with every change; see ifVersion.' }),
    deliveryId: Type.String({
      description: 'Sent with every attempt of the current firing, to recognise duplicates by.',
    }),
  },
  { $id: 'Timer', additionalProperties: false },
)

export const ErrorAnswer = Type.Object(
  {
    error: Type.Unsafe<AnsweredCode>({ type: 'string', enum: ANSWERED_CODES }),
    message: Type.String({ description: 'For people: what is wrong and what is right.' }),
    details: Type.Object({}, { additionalProperties: true, description: 'field names what is wrong with a request.' }),
    timestamp: Instant,
  },
  { $id: 'Error', additionalProperties: false },
)
