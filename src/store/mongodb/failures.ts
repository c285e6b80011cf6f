// What an error of the driver or the server means for a call: whether it may have been done, and whether to try again.

import type { FailureKind } from '../keyed/attempts.ts'

/** The key is taken: of a guarded write, somebody was faster or has done it already. */
export const DUPLICATE = 11_000

// The driver has found no server, or no free connection, so nothing was sent.
const NOT_SENT = ['MongoServerSelectionError', 'MongoPoolClearedError', 'MongoWaitQueueTimeoutError']
const FULL = [14_031] // OutOfDiskSpace
// BadValue, FailedToParse, TypeMismatch, BSONObjectTooLarge and what the driver refuses to send.
const MALFORMED = [2, 9, 14, 10_334, 17_280]
const MALFORMED_NAMES = ['MongoInvalidArgumentError', 'MongoParseError', 'BSONError', 'RangeError', 'TypeError']
// Unauthorized, AuthenticationFailed, CommandNotFound, InvalidNamespace, IndexOptionsConflict, AtlasError.
const REFUSED = [13, 18, 59, 73, 85, 86, 8_000]

type DriverError = Error & { readonly code?: number | string }

export function kindOf(error: unknown): FailureKind {
  const { name, code } = error as DriverError
  if (NOT_SENT.includes(name)) return 'away'
  if (FULL.includes(code as number)) return 'full'
  if (MALFORMED.includes(code as number) || MALFORMED_NAMES.includes(name)) return 'malformed'
  return REFUSED.includes(code as number) ? 'wrong' : 'lost'
}
