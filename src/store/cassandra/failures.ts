// What an error of the driver means for a call: whether it may have been done, and whether to try again.

import type { FailureKind } from '../keyed/attempts.ts'

// Codes of the protocol. Every other code of a server leaves it open what became of a write.
const UNAVAILABLE = 0x1000
const BOOTSTRAPPING = 0x1002
const READ_FAILURE = 0x1300
const BAD_CREDENTIALS = 0x0100
const UNAUTHORIZED = 0x2100
const FIRST_OF_WRONG_QUERIES = 0x2000

type DriverError = Error & { readonly code?: number | string; readonly innerErrors?: Readonly<Record<string, unknown>> }

export function kindOf(error: unknown): FailureKind {
  const { name, code, innerErrors } = error as DriverError
  if (name === 'NoHostAvailableError')
    return Object.values(innerErrors ?? {}).some((one) => kindOf(one) === 'malformed') ? 'malformed' : 'away'
  if (name === 'AuthenticationError' || name === 'ArgumentError' || error instanceof TypeError) return 'malformed'
  if (name === 'BusyConnectionError') return 'away'
  if (name !== 'ResponseError') return 'lost'
  if (code === UNAVAILABLE || code === BOOTSTRAPPING) return 'away'
  return code === BAD_CREDENTIALS || (code as number) >= FIRST_OF_WRONG_QUERIES ? 'malformed' : 'lost'
}

/** Null for a read that replicas refused: they met too many tombstones, most likely, but the driver drops the reason. */
export function nullIfRefused(error: unknown): null {
  if ((error as DriverError).code === READ_FAILURE) return null
  throw error
}

/** The user may not make what is not there yet. */
export function messageOf(error: Error): string {
  const advice = ': make the keyspace and the tables, as docs/operations/cassandra.md has them, or let this user do it'
  return `${error.message}${(error as DriverError).code === UNAUTHORIZED ? advice : ''}`
}
