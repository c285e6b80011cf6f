// The bodies that `groups` takes.

import { Type } from '../../../runtime/schema-type.ts'
import type { Static } from 'typebox'
import { ID_CHARS_MAX, NAMESPACE_CHARS_MAX } from '../../../core/limits.ts'
import { CallbackUrlField } from '../../../language/callback.ts'
import { CallbackTimeoutField, CallbackTimeoutSecondsField } from '../../../language/intervals.ts'
import { MetadataField } from '../../../language/metadata.ts'
import { RetryPolicyFields } from '../../../language/retry-policy.ts'

const ExecuteAtField = Type.String({
  description: 'When it fires: ISO 8601 with an offset, such as 2030-01-31T09:00:00Z.',
})

const optional = {
  payload: Type.Optional(Type.Unknown({ description: 'Any JSON; delivered as it is.' })),
  metadata: Type.Optional(MetadataField),
  retryPolicy: Type.Optional(RetryPolicyFields),
  callbackTimeout: Type.Optional(CallbackTimeoutField),
  callbackTimeoutSeconds: Type.Optional(CallbackTimeoutSecondsField),
}

export const CreateBody = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: ID_CHARS_MAX, description: 'Any text, unique in its group.' }),
    groupId: Type.Optional(
      Type.String({ minLength: 1, maxLength: NAMESPACE_CHARS_MAX, description: 'Default: default.' }),
    ),
    executeAt: ExecuteAtField,
    callbackUrl: CallbackUrlField,
    ...optional,
  },
  { additionalProperties: false },
)
export type CreateBody = Static<typeof CreateBody>

export const UpdateBody = Type.Object(
  { executeAt: Type.Optional(ExecuteAtField), callbackUrl: Type.Optional(CallbackUrlField), ...optional },
  { additionalProperties: false },
)
export type UpdateBody = Static<typeof UpdateBody>

export const TimerPath = Type.Object({
  groupId: Type.String({
    description: 'The group, which is the namespace by its other name.',
    examples: ['notifications'],
  }),
  timerId: Type.String({
    description: 'The id, percent-encoded: a slash in it is %2F.',
    examples: ['user-reminder-4711'],
  }),
})
export type TimerPath = Static<typeof TimerPath>
