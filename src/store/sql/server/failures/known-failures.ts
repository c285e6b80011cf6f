// What any server may say, and what to do about it. An engine has a table of its codes for these, beside what it alone can say.

import { lasting, passing } from '../../failure-advice.ts'
import type { SettingsPrefix } from './network-failures.ts'
import type { Meaning } from './server-failures.ts'

export function knownFailures(settings: SettingsPrefix) {
  return {
    conflict: { ...passing('it could not order this with other transactions'), isRollbackToRepeat: true },
    deadlock: { ...passing('this and another transaction waited for each other'), isRollbackToRepeat: true },
    diskFull: { ...passing('its disk is full: free some space, and writing goes on by itself'), isFull: true },
    forbidden: lasting('this user may not do that'),
    lockHeld: passing('somebody holds a lock for too long'),
    noConnectionLeft: passing(
      `it has no connection left: raise max_connections, or lower ${settings}_POOL_SIZE of the nodes`,
    ),
    readOnly: {
      ...passing('it is read-only (a standby or replica, or switched to read-only): connect to the primary'),
      isReadOnly: true,
    },
    stopped: passing('an administrator ended the connection or stopped the server'),
    tooSlow: passing(`it took longer than ${settings}_STATEMENT_TIMEOUT`),
    wrongPassword: lasting('the password is wrong, or there is no such user'),
  } satisfies Record<string, Meaning>
}

/** What drivers say in words of their own. */
export function knownAdvice(settings: SettingsPrefix) {
  return {
    noneFree: `no connection became free in time: raise ${settings}_POOL_SIZE, or ask for less at once`,
    noTls: `it has no TLS: set ${settings}_SSL=disable, or switch TLS on in the server`,
  }
}
