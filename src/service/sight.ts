// What of all that happens someone may watch.

import { matchesAny } from '../core/access/access.ts'
import type { Namespace } from '../core/timer/timer.ts'
import type { NamespaceScope } from '../store/store.ts'

/** `wholeNode`: also what concerns all namespaces together, such as how much is in flight. */
export type Sight = NamespaceScope & { readonly wholeNode: boolean }

/** The same text for the same sight. */
export function sightKey({ namespace, namespaces, wholeNode }: Sight): string {
  return JSON.stringify([namespace ?? null, namespaces ?? null, wholeNode])
}

export function isInSight({ namespace, namespaces }: NamespaceScope, one: Namespace): boolean {
  if (namespace !== undefined) return namespace === one
  return namespaces === undefined || matchesAny(namespaces, one)
}
