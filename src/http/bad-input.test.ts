import assert from 'node:assert/strict'
import { badInputSuite } from './bad-input.fixture.ts'
import type { RouteCase } from './bad-input.fixture.ts'
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
import type { Answer } from './test-server.fixture.ts'

const named = { needed: { timerId: 'timerId' }, future: [] }

const V1: Readonly<Record<Verb, Pick<RouteCase, 'schema' | 'needed' | 'future'>>> = {
  create: { schema: CreateBody, needed: { executeAt: 'executeAt', callbackUrl: 'callbackUrl' }, future: ['executeAt', 'schedule'] },
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

function nativeErrorField({ json, text }: Answer): string | undefined {
  assert.deepEqual(Object.keys(json), ['error', 'message', 'details', 'timestamp'], text)
  assert.match(json['error'] as string, /^[A-Z_]+$/)
  assert.notEqual(json['message'], '')
  assert.equal(new Date(json['timestamp'] as string).toISOString(), json['timestamp'])
  return (json['details'] as { readonly field?: string }).field
}
