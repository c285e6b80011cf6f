import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breakingChanges, shapeOf } from './breaking-changes.ts'
import type { OpenApiDocument, Schema } from './openapi.ts'

const text: Schema = { type: 'string' }
const object = (properties: Readonly<Record<string, Schema>>, ...required: readonly string[]): Schema => {
  return { type: 'object', properties, required, additionalProperties: false }
}

function api(
  request: Schema,
  answer: Schema,
  more: { readonly path?: string; readonly status?: string } = {},
): OpenApiDocument {
  const content = (schema: Schema) => ({ 'application/json': { schema } })
  const post = {
    requestBody: { required: true, content: content(request) },
    responses: { [more.status ?? '200']: { content: content(answer) } },
  }
  return { info: { version: '1' }, paths: { [more.path ?? '/timers']: { post } } }
}

const REQUEST = object(
  { id: text, kind: { type: 'string', enum: ['a', 'b'] }, size: { type: 'integer', maximum: 9 } },
  'id',
)
const ANSWER = object({ id: text, status: { type: 'string', enum: ['pending'] } }, 'id', 'status')
const before = api(REQUEST, ANSWER)

const BREAKS: readonly (readonly [what: string, after: OpenApiDocument, said: RegExp])[] = [
  ['a path is gone', api(REQUEST, ANSWER, { path: '/others' }), /^POST \/timers: is gone$/],
  ['a status is gone', api(REQUEST, ANSWER, { status: '201' }), /answers 200 no longer/],
  ['a field becomes required', api({ ...REQUEST, required: ['id', 'kind'] }, ANSWER), /body\.kind: is required now/],
  ['a field is refused', api(object({ id: text, kind: text }, 'id'), ANSWER), /body\.size: is gone/],
  ['a value is refused', api(changed({ kind: { type: 'string', enum: ['a'] } }), ANSWER), /kind: "b" is refused now/],
  [
    'values are listed at last',
    api(changed({ id: { type: 'string', enum: ['x'] } }), ANSWER),
    /id: null is refused now/,
  ],
  ['a type narrows', api(changed({ id: { type: 'integer' } }), ANSWER), /id: the type was string and is integer/],
  ['a bound tightens', api(changed({ size: { type: 'integer', maximum: 8 } }), ANSWER), /size: maximum was 9 and is 8/],
  ['an answer loses a field', api(REQUEST, object({ id: text }, 'id')), /200\.status: is gone/],
  ['an answer may lack a field', api(REQUEST, { ...ANSWER, required: ['id'] }), /200\.status: may be absent now/],
  [
    'an answer has another type',
    api(REQUEST, { ...ANSWER, properties: { ...ANSWER.properties, id: { type: ['string', 'null'] } } }),
    /200\.id: the type was string/,
  ],
]

function changed(properties: Readonly<Record<string, Schema>>): Schema {
  return { ...REQUEST, properties: { ...REQUEST.properties, ...properties } }
}

for (const [what, after, said] of BREAKS) {
  test(`a client breaks when ${what}`, () => {
    assert.match(breakingChanges(before, after).join('\n'), said)
  })
}

const GROWTH: readonly (readonly [what: string, after: OpenApiDocument])[] = [
  ['nothing changes', before],
  ['a field may be given', api(changed({ more: text }), ANSWER)],
  ['more values are taken', api(changed({ kind: { type: 'string', enum: ['a', 'b', 'c'] } }), ANSWER)],
  ['more types are taken', api(changed({ id: { type: ['string', 'integer'] } }), ANSWER)],
  ['a field need not be given', api({ ...REQUEST, required: [] }, ANSWER)],
  ['an answer tells more', api(REQUEST, object({ ...ANSWER.properties, more: text }, 'id', 'status', 'more'))],
  ['a number is always whole', api(changed({ size: { type: 'number', maximum: 9 } }), ANSWER)],
]

for (const [what, after] of GROWTH) {
  test(`no client breaks when ${what}`, () => {
    assert.deepEqual(breakingChanges(before, after), [])
  })
}

test('references and alternatives are followed', () => {
  const alternatives = (...list: readonly Schema[]) => api({ anyOf: list }, { $ref: '#/components/schemas/Timer' })
  const old = { ...alternatives(text, { type: 'null' }), components: { schemas: { Timer: ANSWER } } }
  const without = { ...alternatives(text), components: { schemas: { Timer: object({ id: text }, 'id') } } }
  assert.deepEqual(breakingChanges(old, without), [
    'POST /timers, body: an alternative changed or is gone',
    'POST /timers, 200.status: is gone',
  ])
})

test('the shape of a document has no words for people, and keeps fields that are called like them', () => {
  const described = api({ ...object({ description: text }, 'description'), description: 'words' }, ANSWER)
  const shape = shapeOf(described)
  assert.equal(JSON.stringify(shape).includes('words'), false)
  assert.deepEqual(breakingChanges(shape, described), [])
  assert.deepEqual(breakingChanges(shape, api(object({}), ANSWER)), ['POST /timers, body.description: is gone'])
})
