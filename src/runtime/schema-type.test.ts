import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type as TypeBox } from 'typebox'
import { Type } from './schema-type.ts'

/** One of each builder, with and without options. */
function schemas(type: typeof Type) {
  const name = type.String({ minLength: 1, description: 'A name.' })
  return [
    name,
    type.Boolean(),
    type.Null({ description: 'Nothing.' }),
    type.Number({ minimum: 0 }),
    type.Integer(),
    type.Unknown({ description: 'Anything.' }),
    type.Literal('a'),
    type.Literal(4, { description: 'Four.' }),
    type.Enum(['a', 'b']),
    type.Ref('Timer#'),
    type.Array(type.Unknown(), { minItems: 1 }),
    type.Union([type.Literal('a'), type.Null()], { description: 'Either.' }),
    type.Record(type.String(), type.Number(), { maxProperties: 3 }),
    type.Unsafe<'a'>({ type: 'string', enum: ['a'] }),
    type.Object({}),
    type.Object({ some: type.Optional(name) }),
    type.Object(
      { all: name, some: type.Optional(name), inner: type.Optional(type.Object({ word: type.Unsafe<'a'>({}) })) },
      { additionalProperties: false },
    ),
  ]
}

test('schemas are those that TypeBox makes, to the order of their keys', () => {
  const made = schemas(Type)
  for (const [index, schema] of schemas(TypeBox).entries())
    assert.equal(JSON.stringify(made[index]), JSON.stringify(schema))
})

test('a field is optional in the object that says so and required in another', () => {
  const field = Type.String()
  assert.equal('required' in Type.Object({ field: Type.Optional(field) }), false)
  assert.deepEqual(Type.Object({ field }).required, ['field'])
})
