// A server to talk `cycles` to, for the tests of this contract.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { CONTRACTS } from '../all-contracts.ts'
import { testServer } from '../../test-server.fixture.ts'
import type { Answer, TestServer, TestServerOptions } from '../../test-server.fixture.ts'

export const PATH = '/api/v1/timers'
export const HOOK = 'https://example.com/hook'

export type Json = Record<string, unknown>
export type Cycles = TestServer & {
  readonly create: (body: object, headers?: Record<string, string>) => Promise<Answer>
  /** Fails unless it is there. */
  readonly created: (body: object) => Promise<Json>
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>
  readonly remove: (id: string, query?: string) => Promise<Answer>
}

export async function setup(t: TestContext, options: TestServerOptions = {}): Promise<Cycles> {
  const server = await testServer(t, { contracts: CONTRACTS, ...options })
  const create: Cycles['create'] = (body, headers) => server.post(PATH, body, headers)
  return {
    ...server,
    create,
    created: async (body) => {
      const answer = await create(body)
      assert.equal(answer.status, 201, answer.text)
      return dataOf(answer)
    },
    get: (path, headers = {}) => server.request(`${PATH}${path}`, { headers }),
    remove: (id, query = '') => server.request(`${PATH}/${id}${query}`, { method: 'DELETE' }),
  }
}

export function dataOf({ json, text }: Answer): Json {
  assert.deepEqual(Object.keys(json), ['success', 'data', 'request_id'], text)
  assert.equal(json['success'], true)
  assert.match(json['request_id'] as string, /^[\w.:-]+$/)
  return json['data'] as Json
}

export type CyclesError = { readonly code: string; readonly message: string; readonly details: Json }

export function errorOf({ json, text }: Answer): CyclesError {
  assert.deepEqual(Object.keys(json), ['success', 'error', 'request_id'], text)
  assert.equal(json['success'], false)
  assert.match(json['request_id'] as string, /^[\w.:-]+$/)
  const error = json['error'] as CyclesError
  assert.deepEqual(Object.keys(error), ['code', 'message', 'details'], text)
  assert.match(error.code, /^[A-Z_]+$/)
  assert.notEqual(error.message, '')
  return error
}
