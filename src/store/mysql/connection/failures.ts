// What went wrong between here and MySQL, MariaDB or TiDB, said so that the reader knows what to do, and whether a write may
// have happened all the same. Servers are told apart by the numbers of their errors, which they share.

import { lasting, passing } from '../../sql/failure-advice.ts'
import { knownAdvice, knownFailures } from '../../sql/server/failures/known-failures.ts'
import { LOST, ServerFailures } from '../../sql/server/failures/server-failures.ts'
import type { Meaning } from '../../sql/server/failures/server-failures.ts'

const UNKNOWN_DATABASE = 1049
const DUPLICATE_KEY = 1062
const OUT_OF_RANGE = 1690

const KNOWN = knownFailures('MYSQL')

const MEANINGS: readonly (readonly [Meaning, ...number[]])[] = [
  [KNOWN.diskFull, 1021, 1114],
  [KNOWN.readOnly, 1290, 1792, 1836],
  [KNOWN.forbidden, 1142],
  [lasting('the password is wrong, there is no such user, or it must use TLS (MYSQL_SSL)'), 1045],
  [KNOWN.noConnectionLeft, 1040],
  [KNOWN.tooSlow, 1969, 3024],
  [KNOWN.deadlock, 1213],
  [KNOWN.conflict, 3572, 8002, 8022, 8028, 9007],
  [{ ...KNOWN.lockHeld, isRollbackToRepeat: true }, 1205],
  [KNOWN.stopped, 1317],
  [{ ...KNOWN.stopped, endsConnection: true }, 1053, 1927, 3169],
  // The server has ended the session, or does not know itself how a commit ended.
  [LOST, 1077, 1080, 1152, 1158, 1159, 1160, 1161, 1180, 1184, 4031, 8501, 9001, 9002, 9005],
  [lasting('this user may not use that database'), 1044],
  [lasting('there is no such database, and this user may not create it'), UNKNOWN_DATABASE],
  [lasting('it does not let this user in from here'), 1130],
  [lasting('a timer is larger than it takes: raise max_allowed_packet'), 1153],
  [passing('this user has no connection left: raise its limit, or lower MYSQL_POOL_SIZE of the nodes'), 1226],
  [lasting('this user signs in with a method that the driver does not know'), 1251],
  [lasting('it asks for TLS: set MYSQL_SSL=require'), 3159],
]
const BY_NUMBER = new Map(
  MEANINGS.flatMap(([meaning, ...numbers]) => numbers.map((number) => [number, meaning] as const)),
)

export const FAILURES = new ServerFailures({
  server: 'MySQL',
  settings: 'MYSQL',
  meaningOf: (error) => {
    const number = numberOf(error)
    return number === null ? null : (BY_NUMBER.get(number) ?? { advice: null, retryable: true })
  },
  byText: [
    [/connect ETIMEDOUT|Connection lost|PROTOCOL_CONNECTION_LOST|closed state/, 'the connection was cut'],
    [/does not support secure connection/, knownAdvice('MYSQL').noTls],
  ],
})

export function isUnknownDatabase(error: unknown): boolean {
  return numberOf(error) === UNKNOWN_DATABASE
}

/** A row was in the way of an insert, or not as a check expected it (see sql/server/commit/message-commits.ts). */
export function isMiss(error: unknown): boolean {
  return [DUPLICATE_KEY, OUT_OF_RANGE].includes(numberOf(error) ?? 0)
}

/** Of an error that the server has sent; null for those of the network and of the driver. */
function numberOf(error: unknown): number | null {
  const { errno, sqlState } = (error ?? {}) as { readonly errno?: number; readonly sqlState?: string }
  return typeof errno === 'number' && errno > 0 && sqlState !== undefined ? errno : null
}
