// What the items of a batch come to, each by itself. A failure that is not in the catalogue is a defect and fails the whole.

import { DuetimeError } from '../core/errors.ts'

export function outcomeOf<T>(settled: PromiseSettledResult<T>): T | DuetimeError {
  return settled.status === 'fulfilled' ? settled.value : refusalIn(settled.reason)
}

/** What `read` makes of an item, or why it refuses it. */
export function readOrRefused<T>(read: () => T): T | DuetimeError {
  try {
    return read()
  } catch (error) {
    return refusalIn(error)
  }
}

function refusalIn(error: unknown): DuetimeError {
  if (error instanceof DuetimeError) return error
  throw error
}
