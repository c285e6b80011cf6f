// Stretches of the table that an index has in the order of wake time: some namespaces, or every shard. What goes over
// all timers of a scope takes the next rows of each stretch and merges them.

import { matchesAny } from '../../../core/access/access.ts'
import type { NamespaceScope } from '../../store.ts'
import { matchesPatterns, Statement } from '../connection/statement.ts'
import type { PreparedReads } from '../connection/statement.ts'
import { COUNTS_NOW } from '../counter-log.ts'

/** `condition` is on the rows of the scope, which a shard shares with others; empty when all are meant. */
export type Sources = {
  readonly count: number
  /** A FROM item. */
  readonly from: (statement: Statement) => string
  /** Joins a row of `timers` to it. */
  readonly join: string
  readonly condition: ((statement: Statement) => string) | null
}

const NAMESPACES_MERGED_MAX = 100 // beyond so many, reading all shards in order meets matching rows often enough

/** Null when there is nothing in scope. */
export async function sourcesOf(
  { namespace, namespaces }: NamespaceScope,
  reads: PreparedReads,
  shards: number,
): Promise<Sources | null> {
  if (namespace !== undefined) {
    return namespaces === undefined || matchesAny(namespaces, namespace) ? ofNamespaces([namespace]) : null
  }
  if (namespaces === undefined) return ofShards(shards, null)
  const statement = new Statement()
  const matching = matchesPatterns(namespaces, statement)
  const text = `SELECT DISTINCT timer_namespace FROM ${COUNTS_NOW} WHERE ${matching} LIMIT ${NAMESPACES_MERGED_MAX + 1}`
  const names = (await reads.read(text, statement)).map(([name]) => name as string)
  if (names.length > NAMESPACES_MERGED_MAX) return ofShards(shards, (bound) => matchesPatterns(namespaces, bound))
  return names.length === 0 ? null : ofNamespaces(names)
}

function ofNamespaces(names: readonly string[]): Sources {
  return {
    count: names.length,
    from: (statement) => `unnest(${statement.bindTexts(names)}) AS source (namespace)`,
    join: 'timer_namespace = source.namespace',
    condition: null,
  }
}

function ofShards(shards: number, condition: Sources['condition']): Sources {
  return {
    count: shards,
    from: () => `generate_series(0, ${shards - 1}) AS source (shard)`,
    join: 'shard_id = source.shard',
    condition,
  }
}
