// `groups`: timers as resources, /api/v1/timers/{groupId}/{timerId}. Bodies, answers and deliveries are the native ones.
// Its create shares a path with another contract and takes every body that does not speak that one, so it owns the path
// whatever the body: a contract that owns it by the body comes first in the list of contracts.

import { DuetimeError } from '../../../core/errors.ts'
import type { Contract } from '../contract.ts'
import { renderNativeError } from '../../errors/native-envelope.ts'
import { PREFIX, registerRoutes } from './routes.ts'

const ONE_TIMER = new RegExp(`^${PREFIX}/[^/]+/[^/]+$`)

export const groupsContract: Contract = {
  name: 'groups',
  owns: ({ path }) => path === PREFIX || ONE_TIMER.test(path),
  register: registerRoutes,
  renderError: (error, surroundings) => renderNativeError(inWordsOfGroups(error), surroundings),
}

/** Where the others say namespace, this contract says groupId. */
function inWordsOfGroups(error: DuetimeError): DuetimeError {
  const { code, message, details, cause } = error
  return details['field'] === 'namespace'
    ? new DuetimeError(code, message, { ...details, field: 'groupId' }, { cause })
    : error
}
