// What went wrong between here and MySQL, MariaDB or TiDB, said so that the reader knows what to do, and whether a write may
// have happened all the same. Servers are told apart by the numbers of their errors, which they share.

import { lasting, passing } from '../../sql/failure-advice.ts'
import type { Advice } from '../../sql/failure-advice.ts'
import { serverFailure } from '../../sql/server/server-failure.ts'
import type { FailureContext } from '../../sql/server/server-failure.ts'
import { StoreError } from '../../store.ts'

export const UNKNOWN_DATABASE = 1049
const DUPLICATE_KEY = 1062
const OUT_OF_RANGE = 1690
const FULL = [1021, 1114]
const READ_ONLY = [1290, 1792, 1836]
/** A deadlock, a lock that was waited for too long, and TiDB's conflicts: the transaction is undone, or will be. */
const REPEATABLE = [1213, 1205, 3572, 8002, 8022, 8028, 9007]
/** The server has ended the session, or does not know itself how a commit ended. */
const ENDING = [1053, 1077, 1080, 1152, 1158, 1159, 1160, 1161, 1180, 1184, 1927, 3169, 4031, 8501, 9001, 9002, 9005]

const FULL_DISK = passing('its disk is full: free some space, and writing goes on by itself')
const NOT_PRIMARY = passing('it is read-only (a replica, or switched to read-only): connect to the primary')
const TOO_SLOW = passing('it took longer than MYSQL_STATEMENT_TIMEOUT')
const STOPPING = passing('an administrator ended the connection or stopped the server')
const LOCKED = passing('somebody holds a lock for too long')

const BY_NUMBER: Readonly<Record<number, Advice>> = {
  1021: FULL_DISK,
  1040: passing('it has no connection left: raise max_connections, or lower MYSQL_POOL_SIZE of the nodes'),
  1044: lasting('this user may not use that database'),
  1045: lasting('the password is wrong, or there is no such user'),
  [UNKNOWN_DATABASE]: lasting('there is no such database, and this user may not create it'),
  1053: STOPPING,
  1114: FULL_DISK,
  1130: lasting('it does not let this user in from here'),
  1142: lasting('this user may not do that'),
  1153: lasting('a timer is larger than it takes: raise max_allowed_packet'),
  1205: LOCKED,
  1213: passing('this and another transaction waited for each other'),
  1226: passing('this user has no connection left: raise its limit, or lower MYSQL_POOL_SIZE of the nodes'),
  1251: lasting('this user signs in with a method that the driver does not know'),
  1290: NOT_PRIMARY,
  1317: STOPPING,
  1792: NOT_PRIMARY,
  1836: NOT_PRIMARY,
  1927: STOPPING,
  1969: TOO_SLOW,
  3024: TOO_SLOW,
  3159: lasting('it asks for TLS: set MYSQL_SSL=require'),
  3169: STOPPING,
}

const BY_TEXT: readonly (readonly [RegExp, string])[] = [
  [/connect ETIMEDOUT|Connection lost|PROTOCOL_CONNECTION_LOST|closed state/, 'the connection was cut'],
  [/does not support secure connection/, 'it has no TLS: set MYSQL_SSL=disable, or switch TLS on in the server'],
]

export function failureOf(error: unknown, context: FailureContext): StoreError {
  const number = numberOf(error)
  return serverFailure(error, context, {
    server: 'MySQL',
    settings: 'MYSQL',
    advice: number === null ? null : (BY_NUMBER[number] ?? { advice: null, retryable: true }),
    byText: BY_TEXT,
    endsConnection: endsConnection(error),
    isFull: FULL.includes(number ?? 0),
  })
}

/** Whether the connection is of no use any more. */
export function endsConnection(error: unknown): boolean {
  if (error instanceof StoreError) return false
  const number = numberOf(error)
  return number === null || ENDING.includes(number)
}

export function isReadOnly(error: unknown): boolean {
  return READ_ONLY.includes(numberOf(error) ?? 0)
}

/** The server has undone the transaction, or will: again, it may go through. */
export function isRollbackToRepeat(error: unknown): boolean {
  return REPEATABLE.includes(numberOf(error) ?? 0)
}

/** A row was in the way of an insert, or not as a check expected it (see sql/server/commit/message-commits.ts). */
export function isMiss(error: unknown): boolean {
  const number = numberOf(error)
  return number === DUPLICATE_KEY || number === OUT_OF_RANGE
}

/** Of an error that the server has sent; null for those of the network and of the driver. */
export function numberOf(error: unknown): number | null {
  const { errno, sqlState } = (error ?? {}) as { readonly errno?: number; readonly sqlState?: string }
  return typeof errno === 'number' && errno > 0 && sqlState !== undefined ? errno : null
}
