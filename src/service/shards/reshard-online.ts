// A reshard that the nodes do while they run: this only writes into the layout what is wanted, and looks on until it is so.

import { shardsOf } from '../../core/cluster/layout.ts'
import { announced, changedGroup, reshardProgress } from '../../core/cluster/split.ts'
import { sleep } from '../../runtime/clock/clock.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import { changeLayout, readLayout } from '../../store/layout/layout-row.ts'
import type { Store } from '../../store/store.ts'
import { TransferError } from '../transfer/transfer-error.ts'
import { interfered, sizeOf, wantedGroups } from './wanted-layout.ts'
import type { Resize } from './wanted-layout.ts'

export type OnlineOptions = {
  readonly store: Pick<Store, 'shards' | 'claim' | 'capabilities'>
  readonly clock: Clock
  /** Null: only look on. */
  readonly wanted: Resize | null
  /** In shards. */
  readonly onProgress?: (done: number, total: number) => void
  readonly signal?: AbortSignal
}

const LOOK_EVERY_MS = 500

/** How many shards there are in the end. */
export async function reshardOnline(options: OnlineOptions): Promise<number> {
  const { store, clock, wanted, onProgress, signal } = options
  await begin(options)
  for (;;) {
    const layout = await readLayout(store)
    const progress = reshardProgress(layout)
    if (progress === null) {
      if (wanted !== null && sizeOf(layout, wanted.namespace) !== wanted.count) throw forgotten()
      return shardsOf(layout).length
    }
    onProgress?.(progress.done, progress.total)
    if (signal?.aborted)
      throw new TransferError('The nodes go on with the reshard: run `duetime reshard` again to look on.')
    await sleep(clock, LOOK_EVERY_MS, signal).catch(() => {})
  }
}

function forgotten(): TransferError {
  return new TransferError(
    'The database has forgotten the reshard: was it failed over or restored? The shards are as they were. Run the command again.',
  )
}

async function begin({ store, wanted }: OnlineOptions): Promise<void> {
  const layout = await readLayout(store)
  const groups = wantedGroups(layout, wanted)
  if (groups === null) {
    if (layout.next!.phase !== 'offline') return
    throw new TransferError(
      'A reshard without nodes was begun: stop every node, and run `duetime reshard` to finish it.',
    )
  }
  if (changedGroup(layout, groups) === null)
    throw new TransferError(
      'While nodes run, shards can only be split: say a multiple of the number that there is, or stop every node first.',
    )
  if ((await changeLayout(store, layout, { ...layout, next: announced(groups) })) === null) throw interfered()
}
