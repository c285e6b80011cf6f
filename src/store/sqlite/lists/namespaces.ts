// Which namespaces a question is about, as ranges of names and as names: found by going from one to the next in an
// index, without reading what belongs to them.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { matchesAny, prefixOf } from '../../../core/access/access.ts'
import type { NamespacePattern } from '../../../core/access/access.ts'
import type { Namespace } from '../../../core/timer/timer.ts'
import type { NamespaceScope } from '../../store.ts'

/** The first and the last name that match. No namespace has a character behind DEL. */
export function rangeOf(pattern: Namespace | NamespacePattern): readonly [first: string, last: string] {
  const prefix = prefixOf(pattern as string as NamespacePattern)
  return prefix === null ? [pattern, pattern] : [prefix, `${prefix}\u007f`]
}

/** None when the scope is empty. */
export function rangesOf({
  namespace,
  namespaces,
}: NamespaceScope): readonly (readonly [first: string, last: string])[] {
  if (namespace !== undefined)
    return namespaces === undefined || matchesAny(namespaces, namespace) ? [rangeOf(namespace)] : []
  return (namespaces ?? (['*'] as string[] as NamespacePattern[])).map(rangeOf)
}

/** Every namespace that ever had a timer has counters. */
export class CountedNamespaces {
  readonly #first: StatementSync

  constructor(db: DatabaseSync) {
    this.#first = db.prepare(
      'SELECT min(timer_namespace) AS name FROM timer_counters WHERE timer_namespace >= ? AND timer_namespace <= ?',
    )
  }

  in(scope: NamespaceScope): readonly string[] {
    const names = new Set<string>()
    for (const [first, last] of rangesOf(scope)) {
      for (let name = this.#from(first, last); name !== null; name = this.#from(`${name}\u0001`, last)) names.add(name)
    }
    return [...names]
  }

  #from(first: string, last: string): string | null {
    return this.#first.get(first, last)!['name'] as string | null
  }
}
