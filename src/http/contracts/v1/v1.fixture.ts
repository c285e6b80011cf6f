// A server to talk `v1` to, for the tests of this contract.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { testServer } from '../../test-server.fixture.ts'
import type { Answer, TestServer, TestServerOptions } from '../../test-server.fixture.ts'
import { EXAMPLES } from './examples.ts'
import type { Verb } from './examples.ts'

export const HOOK = 'https://example.com/hook'
/** The timer of the examples. */
export const NAME = { timerId: EXAMPLES.create.request.id }

export type V1 = TestServer & {
  readonly call: (verb: Verb, body: unknown, headers?: Record<string, string>) => Promise<Answer>
}

export async function setup(t: TestContext, options: TestServerOptions = {}): Promise<V1> {
  const server = await testServer(t, options)
  return { ...server, call: (verb, body, headers) => server.post(`/api/v1/timers/${verb}`, body, headers) }
}

export async function setupWithTimer(t: TestContext): Promise<V1> {
  const server = await setup(t)
  assert.equal((await server.call('create', EXAMPLES.create.request)).status, 200)
  return server
}

export function details({ json }: Answer): Record<string, unknown> {
  return json['details'] as Record<string, unknown>
}
