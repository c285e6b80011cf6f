// Which timers a list means.

import { invalidInput } from '../../core/errors.ts'
import type { TimerFilter } from '../../service/timers.ts'
import { namespaceOf } from './names.ts'
import type { ListFields } from './fields.ts'
import { instantAt } from './when.ts'

export function listFilter({ namespace, status, metadataKey, metadataValue, ...due }: ListFields): TimerFilter {
  const dueFrom = due.dueFrom === undefined ? undefined : instantAt(due.dueFrom, 'dueFrom')
  const dueTo = due.dueTo === undefined ? undefined : instantAt(due.dueTo, 'dueTo')
  if (dueFrom !== undefined && dueTo !== undefined && dueTo <= dueFrom)
    throw invalidInput('dueTo', 'dueTo must be after dueFrom')
  if (metadataValue !== undefined && metadataKey === undefined)
    throw invalidInput('metadataKey', 'metadataValue needs a metadataKey')
  return {
    namespace: namespaceOf(namespace),
    ...(status !== undefined && { statuses: [status].flat() }),
    ...(dueFrom !== undefined && { dueFrom }),
    ...(dueTo !== undefined && { dueTo }),
    ...(metadataKey !== undefined && { metadataKey }),
    ...(metadataValue !== undefined && { metadataValue }),
  }
}
