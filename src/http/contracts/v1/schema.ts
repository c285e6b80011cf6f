// The bodies that `v1` takes, once: validation, types and the OpenAPI document come from here. What a schema cannot
// say well (schedules, ids, either-or) is checked in mapping.ts, with better messages.

import { Type } from '../../../runtime/schema-type.ts'
import type { Static, TSchema } from 'typebox'
import { OnConflict } from '../../../core/rules/command.ts'
import {
  BATCH_TIMERS_MAX,
  ID_CHARS_MAX,
  IDEMPOTENCY_KEY_CHARS_MAX,
  METADATA_BYTES_MAX,
  NAMESPACE_CHARS_MAX,
  PAGE_TIMERS_DEFAULT,
  PAGE_TIMERS_MAX,
  PREVIEW_FIRINGS_DEFAULT,
  PREVIEW_FIRINGS_MAX,
} from '../../../core/limits.ts'
import { Status } from '../../../core/timer/timer.ts'
import { CallbackField, CallbackUrlField } from '../../../language/callback.ts'
import { firingRulesFields, missedFields } from '../../../language/firing-rules.ts'
import { CallbackTimeoutField, CallbackTimeoutSecondsField } from '../../../language/intervals.ts'
import { MetadataField } from '../../../language/metadata.ts'
import { RetryPolicyFields } from '../../../language/retry-policy.ts'
import { TIMER_FIELDS } from '../../../language/timer-fields.ts'

const NamespaceField = Type.String({ minLength: 1, maxLength: NAMESPACE_CHARS_MAX, description: 'Default: default.' })
const TimerIdField = Type.String({ minLength: 1, maxLength: ID_CHARS_MAX, description: 'The timer’s id.' })
const IfVersionField = Type.Integer({ minimum: 1, description: 'Refused with 409 unless the timer has this version.' })
const DryRunField = Type.Boolean({ description: 'Only count what would change.' })
const StatusField = oneOfWords(Object.values(Status), {})

function oneOfWords<Word extends string>(words: readonly Word[], about: { readonly description?: string }) {
  return Type.Unsafe<Word>({ type: 'string', enum: words, ...about })
}

const callbackAndTiming = {
  executeAt: Type.Optional(
    Type.String({
      description:
        'When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z; or a local time, with timeZone or as 2030-01-31T09:00:00[Europe/Berlin].',
    }),
  ),
  schedule: Type.Optional(
    Type.String({
      description:
        'Instead of executeAt: an instant, a duration from now (PT10M; PT0S is at once), a cycle (R3/PT10M, R/2030-01-31T09:00:00Z/P1M), cron (0 9 * * MON-FRI, @daily) or a rule of iCalendar (RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9).',
    }),
  ),
  timeZone: Type.Optional(
    Type.String({ description: 'Whose calendar the schedule follows, such as Europe/Berlin. Default UTC.' }),
  ),
  ...firingRulesFields,
  ...missedFields,
  callbackUrl: Type.Optional(CallbackUrlField),
  callback: Type.Optional(CallbackField),
  payload: Type.Optional(Type.Unknown({ description: 'Any JSON; delivered as it is.' })),
  metadata: Type.Optional(MetadataField),
  retryPolicy: Type.Optional(RetryPolicyFields),
  callbackTimeout: Type.Optional(CallbackTimeoutField),
  callbackTimeoutSeconds: Type.Optional(CallbackTimeoutSecondsField),
}

const OnConflictField = oneOfWords([OnConflict.replace, OnConflict.keep, OnConflict.reject], {
  description: 'When the id is taken: replace the timer (default), keep it and answer with it, or reject with 409.',
})

const named = { namespace: Type.Optional(NamespaceField), timerId: TimerIdField }

const createFields = {
  namespace: Type.Optional(NamespaceField),
  id: Type.Optional(
    Type.String({ minLength: 1, maxLength: ID_CHARS_MAX, description: 'Any text. Default: a new UUIDv7.' }),
  ),
  idempotencyKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: IDEMPOTENCY_KEY_CHARS_MAX,
      description:
        'Instead of an id: a create that is repeated with the same key makes no second timer. The header Idempotency-Key does the same.',
    }),
  ),
  ...callbackAndTiming,
  onConflict: Type.Optional(OnConflictField),
}
export const CreateBody = closed(createFields)
export type CreateBody = Static<typeof CreateBody>

const RetryField = Type.Boolean({
  description:
    'Bring the timer back if it failed: with these changes it is pending again and fires at once, or when they say. Its attempts are kept.',
})
const updateFields = {
  ...named,
  ...callbackAndTiming,
  ifVersion: Type.Optional(IfVersionField),
  retry: Type.Optional(RetryField),
}
export const UpdateBody = closed(updateFields)
export type UpdateBody = Static<typeof UpdateBody>

export const NameBody = closed(named)
export type NameBody = Static<typeof NameBody>

export const PauseBody = closed({
  ...named,
  until: Type.Optional(
    Type.String({
      description: 'When the pause ends by itself: an instant in the future. Default: when it is resumed.',
    }),
  ),
})
export type PauseBody = Static<typeof PauseBody>

export const GetBody = closed({
  ...named,
  includeSecrets: Type.Optional(Type.Boolean({ description: 'Show the values of callback headers as they are.' })),
})

const deleteFields = { ...named, ifVersion: Type.Optional(IfVersionField) }
export const DeleteBody = closed(deleteFields)
export type DeleteBody = Static<typeof DeleteBody>

/** Which timers are meant. */
const filter = {
  namespace: Type.Optional(NamespaceField),
  status: Type.Optional(
    Type.Unsafe<Status | Status[]>({
      anyOf: [StatusField, { type: 'array', items: StatusField, minItems: 1, maxItems: Object.keys(Status).length }],
      title: `one of ${Object.values(Status).join(', ')}, or an array of them`,
    }),
  ),
  dueFrom: Type.Optional(Type.String({ description: 'Due at this instant or later.' })),
  dueTo: Type.Optional(Type.String({ description: 'Due before this instant.' })),
  metadataKey: Type.Optional(
    Type.String({ minLength: 1, maxLength: ID_CHARS_MAX, description: 'A key their metadata must have.' }),
  ),
  metadataValue: Type.Optional(
    Type.Unsafe<string | number | boolean>({
      type: ['string', 'number', 'boolean'],
      maxLength: METADATA_BYTES_MAX,
      description: 'The value that key must have.',
    }),
  ),
}
export type FilterFields = Omit<
  Static<typeof ListBody>,
  'limit' | 'cursor' | 'fields' | 'sort' | 'order' | 'offset' | 'search'
>

/** Of a list: all that the key may see. Cannot be the name of a namespace. */
export const EVERY = '*'
export const OFFSET_MAX = 1_000_000 // rows before the page are passed over one by one

export const ListBody = closed({
  ...filter,
  namespace: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: NAMESPACE_CHARS_MAX,
      description: `Default: default. ${EVERY} is all namespaces that the key may see.`,
    }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: ID_CHARS_MAX,
      description:
        'Ids that begin with this text; of too many timers to look through, the very id. searched in the answer says which.',
    }),
  ),
  sort: Type.Optional(
    oneOfWords(['dueAt', 'createdAt'], {
      description: 'Sorted and counted: the answer has a total and no nextCursor.',
    }),
  ),
  order: Type.Optional(oneOfWords(['asc', 'desc'], { description: 'Default: asc.' })),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: OFFSET_MAX, description: 'How many to pass over, for a sorted list.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `Timers on a page. Default ${PAGE_TIMERS_DEFAULT}; cut to ${PAGE_TIMERS_MAX} if more.`,
    }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: 'nextCursor of the page before.' })),
  fields: Type.Optional(
    Type.Array(oneOfWords(TIMER_FIELDS, {}), {
      minItems: 1,
      maxItems: TIMER_FIELDS.length,
      description:
        'Which fields the timers are shown with. What is left out is not read: more timers fit on a page without payload.',
    }),
  ),
})

export type ListBody = Static<typeof ListBody>

export const CancelBody = closed({
  ...filter,
  all: Type.Optional(Type.Boolean({ description: 'Without any other filter: every timer of the namespace.' })),
  dryRun: Type.Optional(DryRunField),
})

export const RetryBody = closed({
  ...filter,
  timerId: Type.Optional(TimerIdField),
  all: Type.Optional(Type.Boolean({ description: 'Every failed timer that matches, instead of one by its timerId.' })),
  dryRun: Type.Optional(DryRunField),
})
export type RetryBody = Static<typeof RetryBody>

/** What the items of a batch are, by their `action`. They are not checked with the body but one by one, so that a bad one fails alone. */
export const BATCH_ITEMS = {
  create: closed({ action: Type.Optional(Type.Literal('create')), ...createFields }),
  update: closed({ action: Type.Literal('update'), ...updateFields }),
  delete: closed({ action: Type.Literal('delete'), ...deleteFields }),
}
export type BatchAction = keyof typeof BATCH_ITEMS

const BATCH_ITEM =
  'As the body of create; or, with action: "update" or action: "delete", as the body of those. Items for one timer are carried out in order.'

export const BatchBody = closed({
  timers: Type.Array(Type.Unknown({ description: BATCH_ITEM }), { minItems: 1, maxItems: BATCH_TIMERS_MAX }),
  onConflict: Type.Optional(OnConflictField),
})

export const PreviewBody = closed({
  executeAt: callbackAndTiming.executeAt,
  schedule: callbackAndTiming.schedule,
  timeZone: Type.Optional(
    Type.String({ description: 'Whose calendar the schedule follows; the answer shows its local times too.' }),
  ),
  ...firingRulesFields,
  from: Type.Optional(Type.String({ description: 'Only firings at this instant or later.' })),
  to: Type.Optional(Type.String({ description: 'Only firings before this instant.' })),
  namespace: Type.Optional(NamespaceField),
  id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: ID_CHARS_MAX,
      description: 'Of the timer that is meant, which decides how far its firings are spread.',
    }),
  ),
  count: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PREVIEW_FIRINGS_MAX,
      description: `How many firings. Default ${PREVIEW_FIRINGS_DEFAULT}.`,
    }),
  ),
})
export type PreviewBody = Static<typeof PreviewBody>

/** A misspelled field is refused: silently ignored, it would be a timer that does not do what was meant. */
function closed<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Type.Object(fields, { additionalProperties: false })
}
