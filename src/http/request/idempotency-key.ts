// The header Idempotency-Key, and what it means beside a key or an id in the body.

import { invalidInput } from '../../core/errors.ts'
import { parseIdempotencyKey } from '../../core/timer/idempotency.ts'

const HEADER = 'Idempotency-Key'
/** As the IETF's draft has it, a string in quotes. Most clients send it bare. */
const QUOTED = /^"([^"\\]*)"$/

/** Null when there is none. Sent twice it arrives as one text with a comma and a space in it, and is refused. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  return header === undefined ? null : parseIdempotencyKey(String(header).replace(QUOTED, '$1'), HEADER)
}

/** The key in the body, or else the one of the header. `field` is what the contract calls it. */
export function keyInBody(given: string | null | undefined, header: string | null, field: string): string | null {
  if (given === undefined || given === null) return header
  const key = parseIdempotencyKey(given, field)
  if (header !== null && header !== key)
    throw invalidInput(field, `${field} and the header ${HEADER} differ: give one of them`)
  return key
}
