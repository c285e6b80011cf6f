// The nodes and who owns which shards, where there is more than one of either.

import { duetime } from '../../api/client.ts'
import type { Cluster } from '../../api/overview.ts'
import { plural } from '../../format/numbers.ts'
import { millis } from '../../format/times.ts'
import { useResource } from '../../state/resource.ts'
import { StatusWord } from './status-word.tsx'

const REFRESH_MS = 3_000
const COLOURS = 6

export function ClusterCard() {
  // A key for some namespaces may not ask; then there is nothing to show.
  const { data, isStale } = useResource('cluster', (signal) => duetime.cluster({ signal }), { refreshMs: REFRESH_MS })
  if (data === undefined || (data.nodes.length <= 1 && data.shards.length <= 1)) return null
  const owned = new Map<string, number>()
  for (const { owner } of data.shards) if (owner !== null) owned.set(owner, (owned.get(owner) ?? 0) + 1)
  const colourOf = (node: string | null) =>
    node === null ? 'none' : String(data.nodes.findIndex((one) => one.node === node) % COLOURS)
  return (
    <section className={isStale ? 'card stale' : 'card'} aria-labelledby="cluster">
      <div className="card-head">
        <h2 id="cluster">Cluster</h2>
        <span className="soft small">
          {plural(data.nodes.length, 'node')}, {plural(data.shards.length, 'shard')}
        </span>
      </div>
      <table className="plain" aria-label="Nodes">
        <thead>
          <tr>
            <th>Node</th>
            <th>State</th>
            <th className="right">Shards</th>
            <th className="right wide-only">Last beat</th>
            <th className="right wide-only">Clock</th>
          </tr>
        </thead>
        <tbody>
          {data.nodes.map(({ node, address, leaving, labels, silentMs, clockSkewMs }) => (
            <tr key={node}>
              <td className="truncate firing-id">
                <i className="swatch" data-colour={colourOf(node)} aria-hidden="true" />
                <span className="mono">{address ?? node}</span>
                {node === data.node && <span className="soft"> (answers)</span>}
                {labels.length > 0 && <span className="soft"> {labels.join(', ')}</span>}
              </td>
              <td>
                <StatusWord isLeaving={leaving} silentMs={silentMs} />
              </td>
              <td className="num right">{owned.get(node) ?? 0}</td>
              <td className="num right soft wide-only">{silentMs === 0 ? 'now' : `${millis(silentMs)} ago`}</td>
              <td className="num right soft wide-only">
                {Math.abs(clockSkewMs) < 1 ? 'exact' : `${clockSkewMs > 0 ? '+' : '−'}${millis(Math.abs(clockSkewMs))}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <ShardMap shards={data.shards} colourOf={colourOf} />
      <Groups groups={data.groups} reshard={data.reshard} />
    </section>
  )
}

/** Only where there is more to say than that all namespaces share all shards and all nodes may own them. */
function Groups({ groups, reshard }: Pick<Cluster, 'groups' | 'reshard'>) {
  const isPlain = groups.length === 1 && groups[0]!.label === null
  return (
    <>
      {reshard !== null && (
        <p className="soft small">
          {reshard.online
            ? `Shards are being split: ${reshard.done} of ${reshard.total} are done. Timers go on firing.`
            : 'The database is being resharded: nothing fires until that is finished.'}
        </p>
      )}
      {!isPlain && (
        <ul className="soft small" aria-label="Shards of namespaces">
          {groups.map(({ namespace, count, label, whenNoneLives }) => (
            <li key={namespace ?? '*'}>
              {namespace ?? 'All other namespaces'}: {plural(count, 'shard')}
              {label === null ? '' : ` on nodes with the label ${label}`}
              {label === null ? '' : whenNoneLives === 'wait' ? ', and nowhere else' : ', else on all nodes'}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const CELLS_MAX = 512

function ShardMap({
  shards,
  colourOf,
}: {
  readonly shards: Cluster['shards']
  readonly colourOf: (node: string | null) => string
}) {
  const orphans = shards.filter(({ owner }) => owner === null).length
  const owned = orphans === 0 ? 'all of them owned' : `${plural(orphans, 'shard')} without an owner`
  return (
    <div className="shard-map" role="img" aria-label={`${plural(shards.length, 'shard')}, ${owned}`}>
      {shards.slice(0, CELLS_MAX).map(({ shard, owner, epoch }) => (
        <i key={shard} data-colour={colourOf(owner)} title={`shard ${shard}, epoch ${epoch}, ${owner ?? 'no owner'}`} />
      ))}
    </div>
  )
}
