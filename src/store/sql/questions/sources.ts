// Stretches of the table that can be read in the order of wake time: some namespaces, or every shard. What goes over all timers
// of a scope reads the next rows of each and merges them.

import type { ColumnType } from '../../row/columns.ts'
import { isInternal } from '../../../core/timer/ids.ts'
import type { NamespaceScope } from '../../store.ts'
import type { Dialect } from '../dialect.ts'
import { Statement } from '../statement.ts'
import type { Question, Value } from '../statement.ts'
import { SELECT_SHARDS } from '../timer-sql.ts'
import { counts, namespaceSizes } from './counters.ts'
import { isEmpty, rangesOf } from './scope.ts'

export type Sources = {
  readonly keys: readonly Value[]
  readonly column: 'timer_namespace' | 'shard_id'
  readonly type: ColumnType
  /** The index that the rows of a key are read by. */
  readonly by: 'timers_by_namespace' | 'primary'
  /** What is in scope, where a key has rows of other namespaces, too. */
  readonly scope: NamespaceScope
}

/** `limit`: of the rows that are wanted. */
export function* sourcesOf(dialect: Dialect, scope: NamespaceScope, limit: number): Question<Sources> {
  const { namespacesMerged, timersSorted } = dialect.limits
  if (isEmpty(scope)) return ofNamespaces([])
  if (rangesOf(scope) === null) return ofShards(yield* shardIds(dialect), scope)
  // What is internal is not counted.
  if (scope.namespace !== undefined && isInternal(scope.namespace)) return ofNamespaces([scope.namespace])
  const sizes = yield* namespaceSizes(dialect, scope, namespacesMerged + 1)
  const timers = sizes.values().reduce((sum, count) => sum + count, 0)
  if (sizes.size > namespacesMerged) return ofShards(yield* shardIds(dialect), scope)
  const isSorted = timers <= timersSorted || timers <= (yield* rowsInOrder(dialect, timers, limit))
  return isSorted ? ofNamespaces([...sizes.keys()]) : ofShards(yield* shardIds(dialect), scope)
}

/** Read until `limit` of these many timers are found, if they are spread evenly among all others. */
function* rowsInOrder(dialect: Dialect, timers: number, limit: number): Question<number> {
  const all = (yield* counts(dialect, {})).reduce((sum, { count }) => sum + count, 0)
  return (limit * all) / timers
}

export function* shardIds(dialect: Dialect): Question<number[]> {
  const rows = yield new Statement(dialect).query(SELECT_SHARDS)
  return rows.map(([shard]) => shard as number)
}

function ofNamespaces(keys: readonly string[]): Sources {
  return { keys, column: 'timer_namespace', type: 'name', by: 'timers_by_namespace', scope: {} }
}

function ofShards(keys: readonly number[], scope: NamespaceScope): Sources {
  return { keys, column: 'shard_id', type: 'shard', by: 'primary', scope }
}
