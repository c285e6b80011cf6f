// Texts that every store and every wire keeps as they are. PostgreSQL has no NUL in a text, and half a surrogate pair cannot
// be written as UTF-8: such a text would be stored as another one, differently in each store. So entry points refuse it in ids,
// correlation ids, addresses, headers and filters. Payloads and metadata are JSON text, in which both are escapes: kept.

import { invalidInput } from '../errors.ts'

export const STORABLE = 'well-formed Unicode text without NUL characters'

export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Throws INVALID_INPUT. */
export function assertStorable(text: string, field: string): void {
  if (!isStorable(text)) throw invalidInput(field, `${field} must be ${STORABLE}`)
}

/** For texts that nobody chose, such as errors: a lost character beats a lost error. */
export function madeStorable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed()
}
