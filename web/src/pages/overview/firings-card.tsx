// What just happened: a sample of the latest attempts.

import { memo } from 'react'
import type { LiveFiring } from '../../api/overview.ts'
import { lateness, millis } from '../../format/times.ts'
import { timerHref } from '../../routing/router.ts'
import { Moment } from '../../ui/moment.tsx'

const PILLS: Readonly<Record<string, string>> = {
  delivered: 'completed',
  rescheduled: 'completed',
  retried: 'paused',
  failed: 'failed',
}

export const FiringsCard = memo(function FiringsCard({ firings }: { readonly firings: readonly LiveFiring[] }) {
  return (
    <section className="card" aria-labelledby="firings">
      <div className="card-head">
        <h2 id="firings">Latest attempts</h2>
        <span className="soft small">a sample, live</span>
      </div>
      {firings.length === 0 ? (
        <p className="card-body soft">Nothing has fired since you came.</p>
      ) : (
        <table className="plain" aria-label="Latest attempts">
          <thead>
            <tr>
              <th>Timer</th>
              <th>Outcome</th>
              <th className="right">Late</th>
              <th className="right wide-only">Took</th>
              <th className="right wide-only">At</th>
            </tr>
          </thead>
          <tbody>
            {firings.map((firing) => (
              <FiringRow key={`${firing.namespace} ${firing.id} ${firing.firedAt}`} firing={firing} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
})

const FiringRow = memo(function FiringRow({ firing }: { readonly firing: LiveFiring }) {
  const { namespace, id, outcome, latenessMs, durationMs, firedAt, statusCode, error } = firing
  return (
    <tr>
      <td className="truncate firing-id">
        <a className="mono" href={timerHref(namespace, id)}>
          {id}
        </a>
      </td>
      <td>
        <span className="pill" data-status={PILLS[outcome] ?? 'canceled'} title={error ?? undefined}>
          {outcome}
          {statusCode !== null && statusCode !== 200 ? ` ${statusCode}` : ''}
        </span>
      </td>
      <td className="num right">{latenessMs === null ? '–' : lateness(latenessMs)}</td>
      <td className="num right soft wide-only">{millis(durationMs)}</td>
      <td className="num right soft wide-only">
        <Moment at={firedAt} />
      </td>
    </tr>
  )
})
