// What a schema has against a value, in words that a person can act on.

import { invalidInput } from '../../core/errors.ts'
import type { DuetimeError } from '../../core/errors.ts'
import { CALLBACK_EXAMPLES } from '../../language/callback.ts'
import { nearestName } from '../../runtime/config/nearest.ts'

/** The part of a TypeBox error that is used here. */
export type SchemaFault = {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message: string
}

/** `known`: what the fields are called. */
export function fieldFault(faults: readonly SchemaFault[], known: readonly string[]): DuetimeError {
  const fault = faults[0]!
  const field = fault.instancePath.split('/').slice(1).join('.')
  // Of a union, what one alternative lacks says little.
  if (field.startsWith('callback') && fault.schemaPath.includes('/oneOf/'))
    return invalidInput('callback', `callback must be ${CALLBACK_EXAMPLES}`)
  return invalidInput(field, `${field} ${describe(fault, field, known)}`)
}

function describe(
  { keyword, schemaPath, params, message }: SchemaFault,
  field: string,
  known: readonly string[],
): string {
  switch (keyword) {
    case 'boolean': {
      const nearest = schemaPath === '#/additionalProperties' ? nearestName(field, known) : null
      return `is not a known field${nearest === null ? '' : `; did you mean ${nearest}?`}`
    }
    case 'type':
      return `must be ${[params['type']].flat().map(nounFor).join(' or ')}`
    case 'enum':
      return `must be one of ${[params['allowedValues']].flat().join(', ')}`
    default:
      return message
  }
}

function nounFor(type: unknown): string {
  const name = String(type)
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`
}
