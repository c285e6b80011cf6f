// What `duetime shards` and `duetime reshard` do.

import type { Layout, ShardGroup } from '../../core/cluster/layout.ts'
import { reshardProgress } from '../../core/cluster/split.ts'
import type { ReshardProgress } from '../../core/cluster/split.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import { reshard } from '../../service/shards/reshard.ts'
import { reshardOnline } from '../../service/shards/reshard-online.ts'
import { setRule } from '../../service/shards/rules.ts'
import { NodeServesError } from '../../service/transfer/transfer-error.ts'
import { readLayout } from '../../store/layout/layout-row.ts'
import { standardTerminal } from '../command/terminal.ts'
import { print } from '../output/format.ts'
import { table } from '../output/table.ts'
import { lastingDatabase, untilInterrupted, withOwnedStore, withStore } from '../transfer/owned-store.ts'
import { counted, ProgressBar } from '../transfer/progress-bar.ts'
import type { ReshardRequest, ShardsActions } from './shards-commands.ts'

type Asked<Name extends keyof ShardsActions> = Parameters<ShardsActions[Name]>[0]

export async function runShards({ output, flags }: Asked<'shards'>): Promise<void> {
  const layout = await withStore(lastingDatabase(flags), readLayout)
  const terminal = standardTerminal()
  const groups = rowsOf(layout)
  const progress = reshardProgress(layout)
  const value = { version: layout.version, resharding: layout.next !== null, reshard: progress, groups }
  const text = () => {
    const columns = [
      { title: 'NAMESPACE', shrinksTo: 12 },
      { title: 'SHARDS', align: 'right' as const },
      { title: 'FIRST', align: 'right' as const },
      { title: 'LABEL' },
      { title: 'WHEN NONE LIVES' },
    ]
    const rows = groups.map(({ namespace, count, first, label, whenNoneLives }) => [
      namespace ?? '* (all others)',
      counted(count),
      `${first}`,
      label ?? '-',
      label === null ? '-' : whenNoneLives,
    ])
    return table(columns, rows, terminal) + (progress === null ? '' : terminal.paint('yellow', reshardText(progress)))
  }
  await print({ value, text }, output, terminal)
}

function reshardText({ online, done, total, shards }: ReshardProgress): string {
  return online
    ? `Nodes split the shards: ${done} of ${total} are done, and there will be ${shards}. \`duetime reshard\` looks on.\n`
    : 'A reshard was begun and is not finished: run `duetime reshard`.\n'
}

function rowsOf({ shared, own }: Layout): ({ readonly namespace: string | null } & ShardGroup)[] {
  return [{ namespace: null, ...shared }, ...Array.from(own, ([namespace, group]) => ({ namespace, ...group }))]
}

export async function runPin({ namespace, label, whenNoneLives, flags }: Asked<'pin'>): Promise<void> {
  await withStore(lastingDatabase(flags), (store) => setRule(store, namespace, { label, whenNoneLives }))
  const whose = namespace === null ? 'the namespaces that share their shards' : `namespace ${namespace}`
  const others = whenNoneLives === 'wait' ? 'its timers wait while none lives' : 'others take over while none lives'
  process.stdout.write(
    label === null
      ? `All nodes may own the shards of ${whose}.\n`
      : `Nodes with the label ${label} own the shards of ${whose}; ${others}.\n`,
  )
}

/** By itself where no node runs; else the nodes do it. */
export async function runReshard(request: ReshardRequest): Promise<void> {
  try {
    await withoutNodes(request)
  } catch (error) {
    if (!(error instanceof NodeServesError)) throw error
    await byNodes(request)
  }
}

async function byNodes({ to, namespace, flags }: ReshardRequest): Promise<void> {
  const wanted = to === null ? null : { namespace, count: to }
  const shards = await untilInterrupted((signal) =>
    withStore(lastingDatabase(flags), async (store) => {
      process.stderr.write('Nodes serve this database: they split the shards, and timers go on firing.\n')
      const bar = new ProgressBar('Splitting shards', systemClock)
      const onProgress = (done: number, total: number) => bar.update(done, total)
      return reshardOnline({ store, clock: systemClock, wanted, signal, onProgress }).finally(() => bar.end())
    }),
  )
  process.stdout.write(`The timers are in ${counted(shards)} shards now. No node was stopped for it.\n`)
}

async function withoutNodes({ to, namespace, flags }: ReshardRequest): Promise<void> {
  const wanted = to === null ? null : { namespace, count: to }
  const { moved, timers, shards } = await untilInterrupted((signal) =>
    withOwnedStore(
      lastingDatabase(flags),
      async (store, owner) => {
        const bar = new ProgressBar('Resharding', systemClock)
        const onProgress = (done: number, total: number) => bar.update(done, total)
        return reshard({ store, owner, wanted, signal, onProgress }).finally(() => bar.end())
      },
      true,
    ),
  )
  process.stdout.write(
    `${counted(timers)} timers are in ${counted(shards)} shards now; ${counted(moved)} of them were moved.\n`,
  )
}
