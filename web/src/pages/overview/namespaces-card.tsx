// Who has how many timers.

import type { Overview } from '../../api/overview.ts'
import { count, roughly } from '../../format/numbers.ts'
import { hrefOf } from '../../routing/router.ts'

const SHOWN = 8

export function NamespacesCard({
  namespaces,
  total,
}: {
  readonly namespaces: Overview['namespaces']
  readonly total: number
}) {
  const shown = namespaces.slice(0, SHOWN)
  const most = Math.max(1, ...shown.map(({ pending, paused, executing }) => pending + paused + executing))
  return (
    <section className="card" aria-labelledby="namespaces">
      <div className="card-head">
        <h2 id="namespaces">Namespaces</h2>
        <span className="badge">{count(total)}</span>
      </div>
      {shown.length === 0 ? (
        <p className="card-body soft">None yet: a namespace exists once it has a timer.</p>
      ) : (
        <table className="plain" aria-label="Namespaces">
          <thead>
            <tr>
              <th>Namespace</th>
              <th aria-hidden="true" className="wide-only" />
              <th className="right">Live</th>
              <th className="right">Completed</th>
              <th className="right">Failed</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ namespace, pending, paused, executing, completed, failed }) => (
              <tr key={namespace}>
                <td className="truncate firing-id">
                  <a href={hrefOf('/', { ns: namespace })}>{namespace}</a>
                </td>
                <td className="bar-cell wide-only" aria-hidden="true">
                  <i style={{ width: `${((pending + paused + executing) / most) * 100}%` }} />
                </td>
                <td className="num right">{roughly(pending + paused + executing)}</td>
                <td className="num right soft">{roughly(completed)}</td>
                <td className={failed > 0 ? 'num right attempts-bad' : 'num right soft'}>{roughly(failed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
