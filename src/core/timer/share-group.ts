// Whose backlog a timer is part of, where memory is short: its tenant's, or, of what belongs to no tenant, its namespace's.
// A tenant has any number of namespaces, so dividing memory among those would give it as much as it likes.

import type { Timer } from './timer.ts'

/** The name of a namespace, or `@` and the name of a tenant. No namespace begins like that. */
export type ShareGroup = string

export function shareGroupOf({ tenant, namespace }: Pick<Timer, 'tenant' | 'namespace'>): ShareGroup {
  return tenant === null ? namespace : `@${tenant}`
}
