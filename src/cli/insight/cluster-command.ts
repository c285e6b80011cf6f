// `duetime cluster`: the nodes, and who owns which shards.

import type { Cluster } from '@duetime/client'
import type { Command } from 'commander'
import { addConnectionOptions, connectionOf, withClient } from '../command/connection.ts'
import type { ConnectionFlags } from '../command/connection.ts'
import { outputOption, print } from '../output/format.ts'
import type { Format } from '../output/format.ts'
import { measuredText } from '../output/readable-time.ts'
import { table } from '../output/table.ts'
import type { Cell } from '../output/table.ts'
import { counted } from '../transfer/progress-bar.ts'
import type { Terminal } from '../command/terminal.ts'
import { examples } from '../timers/one-timer-commands.ts'

type ClusterFlags = ConnectionFlags & { readonly shards?: true; readonly output: Format }

const SILENT_WARN_MS = 3_000
const SKEW_WARN_MS = 100

export function addClusterCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('cluster')
    .description('show the nodes and who owns which shards')
    .option('--shards', 'show every shard')
    .addOption(outputOption())
  addConnectionOptions(command, { namespace: false }).addHelpText(
    'after',
    examples('duetime cluster', 'duetime cluster --shards -o json'),
  )
  command.action(async (flags: ClusterFlags) => {
    const connection = connectionOf(flags, terminal.environment)
    const cluster = await withClient(connection, (client) => client.cluster())
    const text = () =>
      nodesText(cluster, terminal) +
      (flags.shards === true ? `\n${shardsText(cluster, terminal)}` : '') +
      groupsText(cluster, terminal) +
      doubtText(cluster, terminal)
    await print({ value: cluster, text }, flags.output, terminal)
  })
}

function nodesText({ node: answering, nodes, shards }: Cluster, terminal: Terminal): string {
  const owned = Map.groupBy(shards, ({ owner }) => owner)
  const hasLabels = nodes.some(({ labels }) => labels.length > 0)
  const columns = [
    { title: 'NODE', shrinksTo: 12 },
    { title: 'ADDRESS', shrinksTo: 12 },
    { title: 'SHARDS', align: 'right' as const },
    ...(hasLabels ? [{ title: 'LABELS', shrinksTo: 8 }] : []),
    { title: 'STATE' },
    { title: 'SILENT', align: 'right' as const },
    { title: 'CLOCK', align: 'right' as const },
  ]
  // A store for one node keeps no list of nodes.
  const known =
    nodes.length > 0
      ? nodes
      : [{ node: answering, address: null, leaving: false, labels: [], silentMs: 0, clockSkewMs: 0 }]
  const rows = known.map(({ node, address, leaving, labels, silentMs, clockSkewMs }): readonly Cell[] => [
    node === answering ? `${node} (answers)` : node,
    address ?? '-',
    counted(owned.get(node)?.length ?? 0),
    ...(hasLabels ? [labels.join(' ') || '-'] : []),
    leaving ? { text: 'leaving', style: 'yellow' } : { text: 'alive', style: 'green' },
    warned(measuredText(silentMs), silentMs > SILENT_WARN_MS),
    warned(
      `${clockSkewMs < 0 ? '-' : '+'}${measuredText(Math.abs(clockSkewMs))}`,
      Math.abs(clockSkewMs) > SKEW_WARN_MS,
    ),
  ])
  const ownerless = owned.get(null)?.length ?? 0
  const without = `${ownerless} of ${shards.length} shards have no owner at the moment.\n`
  return table(columns, rows, terminal) + (ownerless > 0 ? terminal.paint('yellow', without) : '')
}

function warned(text: string, isBad: boolean): Cell {
  return isBad ? { text, style: 'yellow' } : text
}

function shardsText({ shards }: Cluster, terminal: Terminal): string {
  const right = 'right' as const
  const columns = [
    { title: 'SHARD', align: right },
    { title: 'OWNER', shrinksTo: 12 },
    { title: 'EPOCH', align: right },
    { title: 'IN MEMORY', align: right },
    { title: 'UNDER WAY', align: right },
    { title: 'OVERDUE BY', align: right },
  ]
  const rows = shards.map(({ shard, owner, epoch, own }) => [
    `${shard}`,
    owner ?? '-',
    `${epoch}`,
    own === null ? '' : counted(own.windowTimers),
    own === null ? '' : counted(own.inFlight),
    own === null ? '' : measuredText(own.lagMs),
  ])
  return table(columns, rows, terminal)
}

/** Only where there is more to say than that all namespaces share all shards and all nodes may own them. */
function groupsText({ groups, reshard }: Cluster, terminal: Terminal): string {
  const rules = groups.map(({ namespace, count, label, whenNoneLives }) => {
    const whose = namespace === null ? 'all other namespaces' : `namespace ${namespace}`
    const pinned = label === null ? 'on all nodes' : `on nodes with the label ${label}`
    const others = label === null ? '' : whenNoneLives === 'wait' ? ', and nowhere else' : ', else on all nodes'
    return `${whose}: ${counted(count)} shards ${pinned}${others}\n`
  })
  const isPlain = groups.length === 1 && groups[0]!.label === null
  return (isPlain ? '' : rules.join('')) + (reshard === null ? '' : terminal.paint('yellow', reshardText(reshard)))
}

function reshardText({ online, done, total }: NonNullable<Cluster['reshard']>): string {
  return online
    ? `Shards are being split: ${counted(done)} of ${counted(total)} are done. Timers go on firing.\n`
    : 'The database is being resharded: nothing fires until that is finished.\n'
}

function doubtText({ isCertain }: Cluster, { paint }: Terminal): string {
  return isCertain
    ? ''
    : paint('red', 'The node that answers cannot be sure of its shards and fires nothing for now.\n')
}
