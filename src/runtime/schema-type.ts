// The builders of JSON schemas, with the names and the types of TypeBox. TypeBox itself is 370 modules, which every process would
// load (10 MiB, and a tenth of a second) to make plain objects; only its types are used, and the compiler removes those.

import type { TSchema, Type as TypeBox } from 'typebox'

type Options = Readonly<Record<string, unknown>>
type Builders =
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'Ref'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'

/** Fields that an object may lack; nothing in the schema of the field says so. */
const optional = new WeakSet<object>()

const ofType = (type: string) => (options?: Options) => ({ type, ...options })

const builders = {
  Array: (items: TSchema, options?: Options) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: [...values], ...options }),
  Integer: ofType('integer'),
  Literal: (value: unknown, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Null: ofType('null'),
  Number: ofType('number'),
  Object(properties: Readonly<Record<string, object>>, options?: Options) {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name]!))
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  },
  Optional(schema: object) {
    const copy = { ...schema }
    optional.add(copy)
    return copy
  },
  /** Of texts. */
  Record: (_key: TSchema, value: TSchema, options?: Options) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  Ref: ($ref: string, options?: Options) => ({ $ref, ...options }),
  String: ofType('string'),
  Union: (anyOf: readonly TSchema[], options?: Options) => ({ anyOf, ...options }),
  Unknown: (options?: Options) => ({ ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
} satisfies Record<Builders, unknown>

export const Type = builders as unknown as Pick<typeof TypeBox, Builders>
