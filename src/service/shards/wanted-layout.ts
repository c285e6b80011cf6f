// What a reshard is asked to do, and whether that makes sense beside what was begun before.

import { pinned, resized } from '../../core/cluster/layout.ts'
import type { Layout, ShardGroup, ShardGroups } from '../../core/cluster/layout.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import { TransferError } from '../transfer/transfer-error.ts'

/** Another number of shards, and a rule if one is given, for a namespace or for those that share (null). */
export type Resize = {
  readonly namespace: Namespace | null
  readonly count: number
  readonly rule?: Pick<ShardGroup, 'label' | 'whenNoneLives'>
}

/** The groups that are wanted. Null: what was begun is gone on with. */
export function wantedGroups(layout: Layout, wanted: Resize | null): ShardGroups | null {
  if (layout.next !== null) {
    if (wanted === null || sizeOf(layout.next, wanted.namespace) === wanted.count) return null
    throw new TransferError(
      'Another reshard of this database was begun: run `duetime reshard` without flags to finish it first.',
    )
  }
  if (wanted === null) throw new TransferError('No reshard of this database was begun: say --to how many shards.')
  const { namespace, count, rule } = wanted
  if (sizeOf(layout, namespace) === count) throw new TransferError(alreadySo(namespace, count))
  const groups = resized(layout, namespace, count)
  return (rule === undefined ? null : pinned(groups, namespace, rule)) ?? groups
}

/** 0 for a namespace that has no shards of its own. */
export function sizeOf({ shared, own }: ShardGroups, namespace: Namespace | null): number {
  return (namespace === null ? shared : own.get(namespace))?.count ?? 0
}

function alreadySo(namespace: Namespace | null, count: number): string {
  if (namespace === null) return `The namespaces that share their shards have ${count} already.`
  return count === 0
    ? `Namespace '${namespace}' has no shards of its own.`
    : `Namespace '${namespace}' has ${count} shards already.`
}

export function interfered(): TransferError {
  return new TransferError(
    'Somebody else has changed the layout of the shards meanwhile. Look at it with `duetime shards`, and run the command again.',
  )
}
