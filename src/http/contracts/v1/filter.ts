// Which timers a list, a cancel or a retry of many means.

import { invalidInput } from '../../../core/errors.ts'
import { DEFAULT_NAMESPACE } from '../../../core/timer/ids.ts'
import { parseInstant } from '../../../core/time/schedule.ts'
import { assertStorable } from '../../../core/json/storable-text.ts'
import type { Millis } from '../../../core/timer/timer.ts'
import type { ListFilter } from '../../../store/store.ts'
import { inField } from '../../../core/errors.ts'
import { readNamespace } from './mapping.ts'
import { EVERY } from './schema.ts'
import type { FilterFields } from './schema.ts'

/** For a list, which may be of all namespaces that one may see. */
export function toListFilter(fields: FilterFields): Omit<ListFilter, 'namespaces'> {
  if (fields.namespace !== EVERY) return toFilter(fields)
  const { namespace: _, ...filter } = toFilter({ ...fields, namespace: DEFAULT_NAMESPACE })
  return filter
}

function toFilter(fields: FilterFields): ListFilter {
  const { status, metadataKey, metadataValue } = fields
  const dueFrom = instant(fields, 'dueFrom')
  const dueTo = instant(fields, 'dueTo')
  if (dueFrom !== undefined && dueTo !== undefined && dueTo <= dueFrom)
    throw invalidInput('dueTo', 'dueTo must be after dueFrom')
  if (metadataValue !== undefined && metadataKey === undefined)
    throw invalidInput('metadataKey', 'metadataValue needs a metadataKey')
  if (metadataKey !== undefined) assertStorable(metadataKey, 'metadataKey')
  if (typeof metadataValue === 'string') assertStorable(metadataValue, 'metadataValue')
  return {
    namespace: readNamespace(fields.namespace),
    ...(status === undefined ? {} : { statuses: [status].flat() }),
    ...(dueFrom === undefined ? {} : { dueFrom }),
    ...(dueTo === undefined ? {} : { dueTo }),
    ...(metadataKey === undefined ? {} : { metadataKey }),
    ...(metadataValue === undefined ? {} : { metadataValue }),
  }
}

function instant(fields: FilterFields, name: 'dueFrom' | 'dueTo'): Millis | undefined {
  const text = fields[name]
  return text === undefined ? undefined : inField(name, () => parseInstant(text))
}

/** A request that changes many timers says which, so that an empty object by mistake changes none. */
export function bulkFilter(
  fields: FilterFields & { readonly all?: boolean },
  needsOneOf: readonly (keyof FilterFields)[],
): ListFilter {
  if (fields.all !== true && needsOneOf.every((name) => fields[name] === undefined)) {
    const names = needsOneOf.length === 0 ? '' : `${needsOneOf.join(', ')}, or `
    throw invalidInput('all', `say which timers: ${names}all: true for every timer of the namespace`)
  }
  return toFilter(fields)
}
