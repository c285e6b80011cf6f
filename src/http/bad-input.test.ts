import assert from 'node:assert/strict'
import { badInputSuite } from './bad-input.fixture.ts'
import type { RouteCase } from './bad-input.fixture.ts'
import { CALENDAR_EXAMPLE, CalendarBody } from './calendars/operations.ts'
import * as cycles from './contracts/cycles/operations.ts'
import * as cycleBodies from './contracts/cycles/schema.ts'
import * as groups from './contracts/groups/operations.ts'
import * as groupBodies from './contracts/groups/schema.ts'
import * as platform from './contracts/platform/operations.ts'
import * as platformBodies from './contracts/platform/schema.ts'
import { EXAMPLES } from './contracts/v1/examples.ts'
import type { Verb } from './contracts/v1/examples.ts'
import {
  BatchBody,
  CancelBody,
  CreateBody,
  DeleteBody,
  GetBody,
  ListBody,
  NameBody,
  PreviewBody,
  RetryBody,
  UpdateBody,
} from './contracts/v1/schema.ts'
import { CallbackTestBody } from './observing/callback-test-body.ts'
import { CALLBACK_TEST_EXAMPLE } from './observing/examples.ts'
import type { Answer } from './test-server.fixture.ts'

const named = { needed: { timerId: 'timerId' }, future: [] }

const V1: Readonly<Record<Verb, Pick<RouteCase, 'schema' | 'needed' | 'future'>>> = {
  create: {
    schema: CreateBody,
    needed: { executeAt: 'executeAt', callbackUrl: 'callbackUrl' },
    future: ['executeAt', 'schedule'],
  },
  get: { schema: GetBody, ...named },
  // Past dates are judged against the timer, which is not there: see contracts/v1/one-timer.test.ts.
  update: { schema: UpdateBody, needed: { timerId: 'timerId', executeAt: 'timerId' }, future: [] },
  delete: { schema: DeleteBody, ...named },
  trigger: { schema: NameBody, ...named },
  pause: { schema: NameBody, ...named },
  resume: { schema: NameBody, ...named },
  retry: { schema: RetryBody, needed: { timerId: 'all' }, future: [] },
  list: { schema: ListBody, needed: { metadataKey: 'metadataKey' }, future: [] },
  cancel: { schema: CancelBody, needed: { metadataKey: 'all' }, future: [] },
  batch: { schema: BatchBody, needed: { timers: 'timers' }, future: [] },
  preview: { schema: PreviewBody, needed: { schedule: 'executeAt' }, future: ['executeAt', 'schedule'] },
}

badInputSuite({
  contract: 'v1',
  routes: Object.entries(V1).map(([verb, { schema, needed, future }]) => {
    return { path: `/api/v1/timers/${verb}`, valid: EXAMPLES[verb as Verb].request, schema, needed, future }
  }),
  errorField: nativeErrorField,
})

badInputSuite({
  contract: 'observing',
  routes: [
    {
      path: '/api/v1/callbacks/test',
      schema: CallbackTestBody,
      valid: CALLBACK_TEST_EXAMPLE.request,
      needed: { callbackUrl: 'callbackUrl' },
      future: [],
    },
    {
      method: 'PUT',
      path: '/api/v1/calendars/business-hours',
      schema: CalendarBody,
      valid: CALENDAR_EXAMPLE.request,
      needed: {},
      future: [],
    },
  ],
  errorField: nativeErrorField,
})

badInputSuite({
  contract: 'groups',
  routes: [
    {
      path: '/api/v1/timers',
      schema: groupBodies.CreateBody,
      valid: groups.EXAMPLES.create,
      needed: { id: 'id', executeAt: 'executeAt', callbackUrl: 'callbackUrl' },
      future: ['executeAt'],
    },
    // Past dates are judged against the timer, which is not there: see contracts/groups/groups.test.ts.
    {
      method: 'PUT',
      path: '/api/v1/timers/g/t',
      schema: groupBodies.UpdateBody,
      valid: { callbackTimeout: '5s' },
      needed: { callbackTimeout: 'executeAt' },
      future: [],
    },
  ],
  errorField: nativeErrorField,
})

badInputSuite({
  contract: 'cycles',
  routes: [
    {
      path: '/api/v1/timers',
      schema: cycleBodies.CreateBody,
      valid: cycles.EXAMPLE,
      needed: { timer_id: 'timer_id', duration_or_cycle: 'duration_or_cycle' },
      future: ['duration_or_cycle'],
    },
  ],
  errorField: cyclesErrorField,
})

/** A body that has none of this contract's fields does not tell that it was meant for it: then the native one answers. */
function cyclesErrorField(answer: Answer): string | undefined {
  const { json, text } = answer
  if (!('success' in json)) return nativeErrorField(answer)
  assert.deepEqual(Object.keys(json), ['success', 'error', 'request_id'], text)
  assert.equal(json['success'], false)
  const { code, message, details } = json['error'] as {
    code: string
    message: string
    details: { readonly field?: string }
  }
  assert.match(code, /^[A-Z_]+$/)
  assert.notEqual(message, '')
  return details.field
}

badInputSuite({
  contract: 'platform',
  routes: [
    {
      path: '/timers',
      schema: platformBodies.CreateBody,
      valid: platform.EXAMPLES.create,
      needed: { execute_at: 'execute_at', callback: 'callback' },
      future: ['execute_at'],
    },
    {
      method: 'PUT',
      path: '/timers/018f3c8e-5b7a-7d3c-9a51-0d6a1f0c2b44',
      schema: platformBodies.UpdateBody,
      valid: platform.EXAMPLES.update,
      needed: {},
      future: [],
    },
  ],
  errorField: platformErrorField,
})

/** This envelope has no place for the field; the message begins with it. */
function platformErrorField({ json, text }: Answer): string | undefined {
  assert.deepEqual(Object.keys(json), ['code', 'message', 'data'], text)
  assert.ok([2, 3].includes(json['code'] as number), text)
  assert.equal(json['data'], null)
  const message = json['message'] as string
  assert.notEqual(message, '')
  const patterns = [/^'(.+)' is a key/s, /^(.+) is not a known field/s, /^(.+?)(?: is required| must |: )/s]
  return patterns.map((pattern) => pattern.exec(message)?.[1]).find((field) => field !== undefined)
}

function nativeErrorField({ json, text }: Answer): string | undefined {
  assert.deepEqual(Object.keys(json), ['error', 'message', 'details', 'timestamp'], text)
  assert.match(json['error'] as string, /^[A-Z_]+$/)
  assert.notEqual(json['message'], '')
  assert.equal(new Date(json['timestamp'] as string).toISOString(), json['timestamp'])
  return (json['details'] as { readonly field?: string }).field
}
