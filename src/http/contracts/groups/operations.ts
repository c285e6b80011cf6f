// What each operation of `groups` is called, takes and answers, as the OpenAPI document tells it.

import { Type } from '../../../runtime/schema-type.ts'
import type { TSchema } from 'typebox'
import { ACCESS_FAILURES, failures } from '../../docs/native-failures.ts'
import { CreateBody, TimerPath, UpdateBody } from './schema.ts'

const TAGS = ['groups']

/** By the $id of the schemas in native/answer-schema.ts. */
const Timer = Type.Ref('Timer#')

export const EXAMPLES = {
  create: {
    id: 'invoice-2030-17',
    groupId: 'billing',
    executeAt: '2030-01-31T09:00:00Z',
    callbackUrl: 'https://example.com/hooks/timer',
    payload: { invoice: 17, action: 'remind' },
    retryPolicy: { maxRetries: 5, maxRetryAttemptsDuration: '1h' },
    callbackTimeout: '10s',
  },
  update: { executeAt: '2030-02-15T09:00:00Z', payload: { invoice: 17, action: 'last reminder' } },
} as const

export const OPERATIONS = {
  create: {
    operationId: 'createGroupTimer',
    tags: TAGS,
    summary: 'Create a timer in a group',
    description:
      'Stored on disk when it answers. The same request again answers with the timer that is there, so it can be repeated safely; ' +
      'other parameters for the same id are a conflict.',
    body: { ...CreateBody, examples: [EXAMPLES.create] } as typeof CreateBody,
    response: { ...success(Timer), ...failures(400, 409, 413, 503, ...ACCESS_FAILURES) },
  },
  get: {
    operationId: 'getGroupTimer',
    tags: TAGS,
    summary: 'Read a timer of a group',
    description: 'Completed and failed timers can be read while they are retained.',
    params: TimerPath,
    response: { ...success(Timer), ...failures(400, 404, 503, ...ACCESS_FAILURES) },
  },
  update: {
    operationId: 'updateGroupTimer',
    tags: TAGS,
    summary: 'Change a timer of a group',
    description: 'Only what is given changes, also within retryPolicy. Once it answers, the old version never fires.',
    params: TimerPath,
    body: { ...UpdateBody, examples: [EXAMPLES.update] } as typeof UpdateBody,
    response: { ...success(Timer), ...failures(400, 404, 409, 413, 503, ...ACCESS_FAILURES) },
  },
  delete: {
    operationId: 'deleteGroupTimer',
    tags: TAGS,
    summary: 'Cancel a timer of a group',
    description: 'Once it answers, its delivery never starts.',
    params: TimerPath,
    response: {
      204: Type.Null({ description: 'Canceled.' }),
      ...failures(400, 404, 409, 503, ...ACCESS_FAILURES),
    } as Record<string, unknown>,
  },
}

function success(schema: TSchema): Record<string, unknown> {
  return { 200: { description: 'The timer.', content: { 'application/json': { schema } } } }
}
