// Which nodes may own the shards of a namespace. A rule can be changed at any time, also while nodes run: they read the layout with
// every beat, and hand over what others should have.

import { pinned } from '../../core/cluster/layout.ts'
import type { ShardGroup } from '../../core/cluster/layout.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import { changeLayout, readLayout } from '../../store/layout/layout-row.ts'
import type { StoredLayout } from '../../store/layout/layout-row.ts'
import type { Store } from '../../store/store.ts'
import { TransferError } from '../transfer/transfer-error.ts'

export type Rule = Pick<ShardGroup, 'label' | 'whenNoneLives'>

const TRIES_MAX = 10

/** Null is for the namespaces that share their shards. */
export async function setRule(store: Store, namespace: Namespace | null, rule: Rule): Promise<StoredLayout> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const layout = await readLayout(store)
    if (layout.next !== null)
      throw new TransferError('The database is being resharded: run `duetime reshard` to finish it first.')
    const groups = pinned(layout, namespace, rule)
    if (groups === null)
      throw new TransferError(
        `Namespace '${namespace}' has no shards of its own, so it cannot be pinned: \`duetime reshard --namespace ${namespace} --to 4\` gives it some.`,
      )
    const changed = await changeLayout(store, layout, { ...groups, next: null })
    if (changed !== null) return changed
  }
  throw new TransferError('Too many others change the layout of the shards at once.')
}
