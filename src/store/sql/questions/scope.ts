// Which namespaces a question is about, as ranges of names. Names are compared byte by byte, so a pattern is a range, which
// every index can do.

import { matchesAny, prefixOf } from '../../../core/access/access.ts'
import type { NamespacePattern } from '../../../core/access/access.ts'
import { INTERNAL_PREFIX } from '../../../core/timer/ids.ts'
import type { Namespace } from '../../../core/timer/timer.ts'
import type { NamespaceScope } from '../../store.ts'
import type { Statement } from '../statement.ts'

export type NameRange = readonly [first: string, last: string]

/** Those of clients: they begin before the internal ones. */
const ALL: NameRange = ['', INTERNAL_PREFIX]
export const LAST_CHARACTER = '\u007f' // no namespace, and no name of a counter, has a character behind DEL

/** Null for all namespaces, none when the scope is empty. */
export function rangesOf({ namespace, namespaces }: NamespaceScope): readonly NameRange[] | null {
  if (namespace === undefined) return namespaces?.map(rangeOf) ?? null
  return namespaces === undefined || matchesAny(namespaces, namespace) ? [rangeOf(namespace)] : []
}

function rangeOf(pattern: Namespace | NamespacePattern): NameRange {
  const prefix = prefixOf(pattern as string as NamespacePattern)
  if (prefix === null) return [pattern, pattern]
  return prefix === '' ? ALL : [prefix, `${prefix}${LAST_CHARACTER}`]
}

export function isEmpty(scope: NamespaceScope): boolean {
  return rangesOf(scope)?.length === 0
}

/** A condition on `timer_namespace`; null where all are meant. */
export function scopeTerm(scope: NamespaceScope, statement: Statement): string | null {
  const ranges = rangesOf(scope)
  if (ranges === null) return null
  const terms = ranges.map(([first, last]) => {
    if (first === last) return `timer_namespace = ${statement.bind(first, 'name')}`
    return `timer_namespace BETWEEN ${statement.bind(first, 'name')} AND ${statement.bind(last, 'name')}`
  })
  return terms.length === 0 ? 'FALSE' : terms.length === 1 ? terms[0]! : `(${terms.join(' OR ')})`
}

/** Every namespace that has counters, by going from one to the next in an index without reading what is between. */
export function selectNamespaces(range: NameRange | null, statement: Statement): string {
  const [first, last] = (range ?? ALL).map((name) => statement.bind(name, 'name')) as [string, string]
  if (statement.dialect.hasLooseScan)
    return `SELECT DISTINCT timer_namespace AS name FROM timer_counters WHERE timer_namespace BETWEEN ${first} AND ${last}`
  return `
    WITH RECURSIVE known (name) AS (
      SELECT min(timer_namespace) FROM timer_counters WHERE timer_namespace BETWEEN ${first} AND ${last}
      UNION ALL
      SELECT (SELECT min(timer_namespace) FROM timer_counters WHERE timer_namespace > known.name AND timer_namespace <= ${last})
      FROM known WHERE known.name IS NOT NULL
    ) SELECT name FROM known WHERE name IS NOT NULL`
}
