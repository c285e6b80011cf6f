// Turns what the schema validator says into what a person can act on: the field by its path, what is right, and the
// nearest known name when a field is not known.

import { DuetimeError, ErrorCode, invalidInput } from '../../core/errors.ts'
import { nearestName } from '../../runtime/config/nearest.ts'

/** The part of an Ajv error that is used here; `parentSchema` and `data` come with the option `verbose`. */
export type SchemaFault = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
  readonly parentSchema?: unknown
}

type Bound =
  | 'minimum'
  | 'maximum'
  | 'minLength'
  | 'maxLength'
  | 'minItems'
  | 'maxItems'
  | 'minProperties'
  | 'maxProperties'
type JsonSchema = { readonly [K in Bound]?: number } & {
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly oneOf?: readonly JsonSchema[]
  readonly title?: string
}

const NAME_CHARS_MAX = 80 // a field name is repeated in the answer, and a client may send any

export function validationError(faults: readonly SchemaFault[]): DuetimeError {
  const fault = mostTelling(faults)
  const schema = (fault.parentSchema ?? {}) as JsonSchema
  const field = fieldOf(fault)
  // Only the body as a whole has no name.
  if (field === '') return new DuetimeError(ErrorCode.invalidInput, 'the request body must be a JSON object')
  return invalidInput(field, describe(fault, schema, field))
}

/** Of the alternatives of an anyOf, the one that came furthest; else the union as a whole. */
function mostTelling(faults: readonly SchemaFault[]): SchemaFault {
  const union = faults.find(({ keyword }) => keyword === 'anyOf')
  if (union === undefined) return faults[0]!
  return faults.find(({ instancePath }) => instancePath.length > union.instancePath.length) ?? union
}

function fieldOf({ keyword, instancePath, params }: SchemaFault): string {
  const path = instancePath.split('/').slice(1).map(unescaped)
  if (keyword === 'required') path.push(String(params['missingProperty']))
  if (keyword === 'additionalProperties') path.push(String(params['additionalProperty']))
  if (keyword === 'discriminator') path.push(String(params['tag']))
  return path.map(shortened).join('.')
}

function describe({ keyword, params, message }: SchemaFault, schema: JsonSchema, field: string): string {
  switch (keyword) {
    case 'required':
      return `${field} is required`
    case 'additionalProperties':
      return unknownField(field, String(params['additionalProperty']), Object.keys(schema.properties ?? {}))
    case 'type':
      return `${field} must be ${nounFor(params['type'])}`
    case 'enum':
      return `${field} must be one of ${listed(params['allowedValues'])}`
    case 'const':
      return `${field} must be ${JSON.stringify(params['allowedValue'])}`
    case 'discriminator':
      return `${field} must be one of ${listed(schema.oneOf?.map((branch) => branch.properties?.[String(params['tag'])]?.const))}`
    case 'minLength':
    case 'maxLength':
      return `${field} must have ${range(schema.minLength, schema.maxLength)} characters`
    case 'minItems':
    case 'maxItems':
      return `${field} must have ${range(schema.minItems, schema.maxItems)} entries`
    case 'minProperties':
    case 'maxProperties':
      return `${field} must have ${range(schema.minProperties, schema.maxProperties)} entries`
    case 'minimum':
    case 'maximum':
      return `${field} must be ${range(schema.minimum, schema.maximum)}`
    case 'anyOf':
      return `${field} must be ${schema.title ?? 'something else'}`
    default:
      return `${field} ${message ?? 'is not valid'}`
  }
}

function unknownField(field: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name.slice(0, NAME_CHARS_MAX), known)
  return `${field} is not a known field; ${nearest === null ? `known are ${known.join(', ')}` : `did you mean ${nearest}?`}`
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
}

function nounFor(type: unknown): string {
  const types = Array.isArray(type) ? type : String(type).split(',')
  return types.map((one) => NOUNS[String(one)] ?? String(one)).join(', or ')
}

function range(min: number | undefined, max: number | undefined): string {
  if (max === undefined) return `at least ${min}`
  return min === undefined ? `at most ${max}` : `${min} to ${max}`
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : 'the known ones'
}

/** JSON pointers escape their separators. */
function unescaped(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

function shortened(name: string): string {
  return name.length > NAME_CHARS_MAX ? `${name.slice(0, NAME_CHARS_MAX)}…`.toWellFormed() : name
}
