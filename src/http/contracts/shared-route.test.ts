import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import type { Contract } from './contract.ts'
import { v1Contract } from './v1/contract.ts'
import type { Dialect } from './shared-route.ts'
import { testServer } from '../test-server.fixture.ts'

/** A contract that has a route on a shared path, and says who it is in every answer. */
function speaking(name: string, field: string, speaks: Dialect['speaks']): Contract {
  const isSpokenBy = (body: unknown) =>
    typeof body === 'object' && body !== null && speaks?.(body as Record<string, unknown>) === true
  return {
    name,
    owns: ({ path, body }) => path === '/shared' && (speaks === null || isSpokenBy(body)),
    register: (_app, { shared }) =>
      shared.add({
        method: 'POST',
        url: '/shared',
        speaks,
        schema: {
          tags: ['groups'],
          summary: `Say ${field}`,
          description: `In ${name}.`,
          body: Type.Object({ [field]: Type.String({ maxLength: 5 }) }, { additionalProperties: false }),
          response: { 200: { description: name, content: { 'application/json': { schema: Type.Object({}) } } } },
        },
        handler: async ({ body }, reply) =>
          reply.header('content-type', 'application/json').send(JSON.stringify({ [name]: body })),
      }),
    renderError: (error) => ({ status: 400, body: JSON.stringify({ refusedBy: name, message: error.message }) }),
  }
}

const klingon = speaking('klingon', 'nuq', (body) => 'nuq' in body)
const english = speaking('english', 'what', null)
const contracts = [v1Contract, klingon, english] as const

test('a body is checked by the schema of the contract it speaks, and refused in its envelope', async (t) => {
  const { post } = await testServer(t, { contracts })
  assert.deepEqual((await post('/shared', { nuq: 7 })).json, { refusedBy: 'klingon', message: 'nuq must be a string' })
  assert.deepEqual((await post('/shared', { nuq: 'x', what: 'y' })).json['refusedBy'], 'klingon')
  const { json } = await post('/shared', { what: 'too long' })
  assert.deepEqual(json, { refusedBy: 'english', message: 'what must have at most 5 characters' })
})

test('what speaks no contract in particular is refused by the one that takes the rest', async (t) => {
  const { post } = await testServer(t, { contracts })
  for (const body of ['{', '', '[]', '"nuq"', 'null', '{"other":1}']) {
    assert.equal((await post('/shared', body)).json['refusedBy'], 'english', body)
  }
  assert.equal((await post('/shared', '{"nuq":"x"}', { 'content-type': 'text/plain' })).json['refusedBy'], 'klingon')
})

test('a good body gets to the handler of its contract', async (t) => {
  const { post } = await testServer(t, { contracts })
  assert.deepEqual((await post('/shared', { nuq: 'neH' })).json, { klingon: { nuq: 'neH' } })
  assert.deepEqual((await post('/shared', { what: 'is' })).json, { english: { what: 'is' } })
})

test('a contract that is alone on the path needs nobody else', async (t) => {
  const { post } = await testServer(t, { contracts: [v1Contract, klingon] })
  assert.deepEqual((await post('/shared', { nuq: 'neH' })).json, { klingon: { nuq: 'neH' } })
  assert.equal((await post('/shared', { nuq: 7 })).json['refusedBy'], 'klingon')
})

test('the OpenAPI document has one operation with both bodies', async (t) => {
  const { request } = await testServer(t, { contracts })
  const { json } = await request('/openapi.json')
  const { post } = (json['paths'] as Record<string, { post: { summary: string; requestBody: object } }>)['/shared']!
  assert.equal(post.summary, 'Say nuq, or: Say what')
  assert.match(JSON.stringify(post.requestBody), /"oneOf":\[.*"nuq".*"what"/)
})
