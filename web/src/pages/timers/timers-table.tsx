// The rows. On small screens each becomes a card, by the style sheet alone.

import { memo } from 'react'
import type { ListedTimer, SortField } from '../../api/timer.ts'
import { scheduleWords } from '../../format/schedules.ts'
import { changeParams, timerHref } from '../../routing/router.ts'
import { Distance, Moment } from '../../ui/moment.tsx'
import { StatusPill } from '../../ui/status-pill.tsx'
import type { Selection } from './selection.ts'
import { keyOf } from './selection.ts'
import { isWalk } from './view.ts'
import type { View } from './view.ts'

type TimersTableProps = {
  readonly timers: readonly ListedTimer[]
  readonly view: View
  readonly selection: Selection
  readonly isStale: boolean
}

export function TimersTable({ timers, view, selection, isStale }: TimersTableProps) {
  const showsNamespace = view.namespace === null
  return (
    <table className={isStale ? 'timers stale' : 'timers'} aria-label="Timers">
      <thead>
        <tr>
          <th className="tick">
            <input
              type="checkbox"
              aria-label="Select all on this page"
              checked={selection.isAll}
              onChange={selection.toggleAll}
            />
          </th>
          <th>Id</th>
          <th>Status</th>
          <SortHead field="dueAt" view={view}>
            Due
          </SortHead>
          <th>Schedule</th>
          <th>Callback</th>
          <th className="right">Attempts</th>
          <SortHead field="createdAt" view={view}>
            Created
          </SortHead>
        </tr>
      </thead>
      <tbody>
        {timers.map((timer) => (
          <Row
            key={keyOf(timer)}
            timer={timer}
            isSelected={selection.has(timer)}
            onToggle={selection.toggle}
            showsNamespace={showsNamespace}
          />
        ))}
      </tbody>
    </table>
  )
}

function SortHead({
  field,
  view,
  children,
}: {
  readonly field: SortField
  readonly view: View
  readonly children: string
}) {
  if (isWalk(view)) return <th>{children}</th>
  const isSorted = view.sort === field
  const next = isSorted && view.order === 'asc' ? `-${field}` : field
  return (
    <th aria-sort={isSorted ? (view.order === 'asc' ? 'ascending' : 'descending') : 'none'}>
      <button type="button" className="sort" onClick={() => changeParams({ sort: next, page: null })}>
        {children}
        <span aria-hidden="true">{isSorted ? (view.order === 'asc' ? '↑' : '↓') : '↕'}</span>
      </button>
    </th>
  )
}

type RowProps = {
  readonly timer: ListedTimer
  readonly isSelected: boolean
  readonly onToggle: (timer: ListedTimer) => void
  readonly showsNamespace: boolean
}

/** A refresh brings new objects for the same timers: the version says whether a row has to be drawn again. */
const Row = memo(
  RowView,
  (before, after) =>
    before.isSelected === after.isSelected &&
    before.showsNamespace === after.showsNamespace &&
    before.onToggle === after.onToggle &&
    before.timer.version === after.timer.version &&
    before.timer.status === after.timer.status &&
    before.timer.attemptCount === after.timer.attemptCount,
)

function RowView({ timer, isSelected, onToggle, showsNamespace }: RowProps) {
  const { id, namespace, status, executeAt, schedule, createdAt, attemptCount, lastError, nextAttemptAt } = timer
  return (
    <tr aria-selected={isSelected}>
      <td className="tick">
        <input type="checkbox" aria-label={`Select ${id}`} checked={isSelected} onChange={() => onToggle(timer)} />
      </td>
      <td className="id" data-label="Id">
        <a href={timerHref(namespace, id)} className="mono truncate" title={id}>
          {id}
        </a>
        {showsNamespace && <span className="tag">{namespace}</span>}
      </td>
      <td data-label="Status">
        <StatusPill status={status} />
      </td>
      <td data-label="Due" className="nowrap">
        <Moment at={executeAt} />{' '}
        {nextAttemptAt === undefined ? <Distance at={executeAt} /> : <RetryNote at={nextAttemptAt} />}
      </td>
      <td data-label="Schedule" className="soft truncate schedule" title={schedule}>
        {schedule === undefined ? 'once' : scheduleWords(schedule)}
      </td>
      <td data-label="Callback" className="soft truncate callback" title={calledBack(timer)}>
        {calledBack(timer)}
      </td>
      <td data-label="Attempts" className="num right" title={lastError}>
        <span className={status === 'failed' || lastError !== undefined ? 'attempts-bad' : ''}>{attemptCount}</span>
      </td>
      <td data-label="Created" className="nowrap soft">
        <Moment at={createdAt} />
      </td>
    </tr>
  )
}

function RetryNote({ at }: { readonly at: string }) {
  return (
    <span className="retry-note">
      retry <Distance at={at} />
    </span>
  )
}

function calledBack({ callback }: ListedTimer): string {
  if (callback === undefined) return 'none'
  return callback.type === 'http' ? callback.url.replace(/^https?:\/\//, '') : `nats: ${callback.topic}`
}
