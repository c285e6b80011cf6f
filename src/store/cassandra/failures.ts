// What an error of the driver means for a call: whether it may have been done, and whether to try again. Nothing here names a
// credential: messages go to the log and to people.

import { StoreError } from '../store.ts'

/** `away`: not done, try again. `lost`: perhaps done, or done later; try again. `wrong`: not done, and never will be. */
export type FailureKind = 'away' | 'lost' | 'wrong'

// Codes of the protocol. Every other code of a server leaves it open what became of a write.
const UNAVAILABLE = 0x1000
const BOOTSTRAPPING = 0x1002
const BAD_CREDENTIALS = 0x0100
const FIRST_OF_WRONG_QUERIES = 0x2000

type DriverError = Error & { readonly code?: number | string; readonly innerErrors?: Readonly<Record<string, unknown>> }

export function failureKind(error: unknown): FailureKind {
  const { name, code, innerErrors } = error as DriverError
  if (name === 'NoHostAvailableError')
    return Object.values(innerErrors ?? {}).some((one) => failureKind(one) === 'wrong') ? 'wrong' : 'away'
  if (name === 'AuthenticationError' || name === 'ArgumentError' || error instanceof TypeError) return 'wrong'
  if (name === 'BusyConnectionError') return 'away'
  if (name !== 'ResponseError') return 'lost'
  if (code === UNAVAILABLE || code === BOOTSTRAPPING) return 'away'
  return code === BAD_CREDENTIALS || (code as number) >= FIRST_OF_WRONG_QUERIES ? 'wrong' : 'lost'
}

/** `mayBeDone`: this attempt, or an earlier one of the same write, may have been or may still be done. */
export function storeError(error: unknown, place: string, mayBeDone: boolean): StoreError {
  const { name, message } = error as DriverError
  return new StoreError(`Cassandra (${place}): ${name === 'ResponseError' ? '' : `${name}: `}${message}`, {
    retryable: failureKind(error) !== 'wrong',
    outcomeUnknown: mayBeDone,
    cause: error,
  })
}
