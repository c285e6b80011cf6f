// What happened, in order: created, every attempt that is kept, and what came of it or comes next.

import type { ReactNode } from 'react'
import { currentAttempts, isLive } from '../../api/timer.ts'
import type { Attempt, Timer } from '../../api/timer.ts'
import { exactly, lateness, millis, utc } from '../../format/times.ts'
import { Distance } from '../../ui/moment.tsx'

export function Timeline({ timer }: { readonly timer: Timer }) {
  const current = currentAttempts(timer)
  const earlier = timer.attempts.slice(0, timer.attempts.length - current.length)
  const longest = Math.max(1, ...timer.attempts.map(({ durationMs }) => durationMs))
  const missing = timer.attemptCount - current.length
  return (
    <ol className="timeline" aria-label="Timeline">
      <Entry at={timer.createdAt} kind="calm" title="Created" />
      {earlier.map((attempt) => (
        <AttemptEntry
          key={attempt.at}
          attempt={attempt}
          longest={longest}
          label={attempt.iteration === undefined ? 'Earlier firing' : `Iteration ${attempt.iteration}`}
        />
      ))}
      {missing > 0 && <li className="soft small timeline-gap">{missing} earlier attempts are no longer kept</li>}
      {timer.status !== 'canceled' && current.length > 0 && <Entry at={timer.executeAt} kind="accent" title="Due" />}
      {current.map((attempt, index) => (
        <AttemptEntry
          key={attempt.at}
          attempt={attempt}
          longest={longest}
          label={`Attempt ${missing + index + 1}`}
          lateMs={missing + index === 0 ? Date.parse(attempt.at) - Date.parse(timer.executeAt) : null}
        />
      ))}
      <Ending timer={timer} />
    </ol>
  )
}

function Ending({ timer }: { readonly timer: Timer }) {
  if (timer.nextAttemptAt !== undefined)
    return (
      <Entry at={timer.nextAttemptAt} kind="open" title="Next attempt" extra={<Distance at={timer.nextAttemptAt} />} />
    )
  if (timer.status === 'executing') return <Entry kind="busy" title="Attempt under way" />
  if (isLive(timer.status)) {
    return (
      <Entry
        at={timer.executeAt}
        kind="open"
        title={timer.status === 'paused' ? 'Due, but paused' : 'Due'}
        extra={<Distance at={timer.executeAt} />}
      />
    )
  }
  if (timer.status === 'canceled') return <Entry at={timer.updatedAt} kind="calm" title="Canceled" />
  return (
    <Entry
      at={timer.updatedAt}
      kind={timer.status === 'completed' ? 'good' : 'bad'}
      title={timer.status === 'completed' ? 'Completed' : 'Failed for good'}
    />
  )
}

type EntryProps = {
  readonly at?: string
  readonly kind: string
  readonly title: string
  readonly extra?: ReactNode
  readonly children?: ReactNode
}

function Entry({ at, kind, title, extra, children }: EntryProps) {
  return (
    <li data-kind={kind}>
      <div className="timeline-head">
        <strong>{title}</strong>
        {extra}
        {at !== undefined && (
          <time className="num soft small" dateTime={at} title={utc(at)}>
            {exactly(at)}
          </time>
        )}
      </div>
      {children}
    </li>
  )
}

type AttemptEntryProps = {
  readonly attempt: Attempt
  readonly longest: number
  readonly label: string
  readonly lateMs?: number | null
}

function AttemptEntry({ attempt, longest, label, lateMs = null }: AttemptEntryProps) {
  const { at, durationMs, outcome, statusCode, error, note } = attempt
  const extra = lateMs === null ? undefined : <span className="tag num">{lateness(lateMs)} late</span>
  return (
    <Entry at={at} kind={outcome === 'failed' ? 'bad' : 'good'} title={label} extra={extra}>
      <div className="attempt">
        <span className="attempt-outcome">{outcome}</span>
        {statusCode !== undefined && <span className="tag num">HTTP {statusCode}</span>}
        <span className="attempt-bar" aria-hidden="true">
          <i style={{ width: `${Math.max(2, (durationMs / longest) * 100)}%` }} />
        </span>
        <span className="num soft small">{millis(durationMs)}</span>
      </div>
      {error !== undefined && error !== `HTTP ${statusCode}` && <p className="attempt-error">{error}</p>}
      {note !== undefined && <p className="soft small">{note}</p>}
    </Entry>
  )
}
