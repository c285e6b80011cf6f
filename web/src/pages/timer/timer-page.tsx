// One timer: everything about it, and everything one can do to it.

import { useState } from 'react'
import type { Timer } from '../../api/timer.ts'
import { hrefOf } from '../../routing/router.ts'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy.ts'
import { Icon } from '../../ui/icon.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { StatusPill } from '../../ui/status-pill.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { Facts } from './facts.tsx'
import { Headline } from './headline.tsx'
import { Timeline } from './timeline.tsx'
import { TimerActions } from './timer-actions.tsx'
import { useTimer } from './use-timer.ts'

type TimerPageProps = { readonly namespace: string; readonly id: string }

export function TimerPage({ namespace, id }: TimerPageProps) {
  const { data: timer, error, isStale, reload } = useTimer(namespace, id)
  const [editing, setEditing] = useState<Timer | null>(null)
  return (
    <>
      <a className="crumb" href={hrefOf('/timers', { ns: namespace })}>
        <Icon name="back" size={14} />
        Timers of {namespace}
      </a>
      <div className="page-head">
        <div className="grow timer-title">
          <h1 className="mono">{id}</h1>
          <Button kind="quiet" small icon="copy" aria-label="Copy id" onClick={() => copyText(id, 'the id')} />
          {timer !== undefined && <StatusPill status={timer.status} />}
          <span className="tag">{namespace}</span>
        </div>
        {timer !== undefined && <TimerActions timer={timer} onEdit={() => setEditing(timer)} onChanged={reload} />}
      </div>
      <div className="stack">
        {error !== undefined && <Failure error={error} onRetry={reload} />}
        {timer === undefined ? (
          error === undefined && <Loading />
        ) : (
          <Body timer={timer} isStale={isStale} onDue={reload} />
        )}
      </div>
      {editing !== null && (
        <EditDialog
          key={editing.version}
          timer={editing}
          onClose={() => setEditing(null)}
          onReload={() => {
            setEditing(null)
            reload()
          }}
          onSaved={() => {
            setEditing(null)
            reload()
          }}
        />
      )}
    </>
  )
}

function Body({
  timer,
  isStale,
  onDue,
}: {
  readonly timer: Timer
  readonly isStale: boolean
  readonly onDue: () => void
}) {
  return (
    <div className={isStale ? 'timer-body stale' : 'timer-body'}>
      <div className="stack">
        <section className="card headline" aria-label="State">
          <Headline timer={timer} onDue={onDue} />
        </section>
        <section className="card">
          <div className="card-head">
            <h2>Timeline</h2>
          </div>
          <div className="card-body">
            <Timeline timer={timer} />
          </div>
        </section>
      </div>
      <div className="stack">
        <section className="card">
          <div className="card-head">
            <h2>Details</h2>
          </div>
          <div className="card-body">
            <Facts timer={timer} />
          </div>
        </section>
        <JsonCard title="Payload" value={timer.payload} empty="It carries no payload." />
        {timer.metadata !== undefined && <JsonCard title="Metadata" value={timer.metadata} empty="" />}
      </div>
    </div>
  )
}

const SHOWN_CHARS_MAX = 20_000 // a payload may have 256 KiB; laying that out would be felt

function JsonCard({
  title,
  value,
  empty,
}: {
  readonly title: string
  readonly value: unknown
  readonly empty: string
}) {
  const text = value === undefined ? '' : JSON.stringify(value, null, 2)
  return (
    <section className="card">
      <div className="card-head">
        <h2>{title}</h2>
        {text !== '' && (
          <div className="end">
            <Button
              kind="quiet"
              small
              icon="copy"
              aria-label={`Copy ${title.toLowerCase()}`}
              onClick={() => copyText(text, `the ${title.toLowerCase()}`)}
            />
          </div>
        )}
      </div>
      <div className="card-body">
        {text === '' ? (
          <p className="soft">{empty}</p>
        ) : (
          <pre className="code" tabIndex={0} aria-label={title}>
            {text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}\n… copy it to see all of it` : text}
          </pre>
        )}
      </div>
    </section>
  )
}

function Loading() {
  return (
    <div className="timer-body" role="status" aria-label="Loading the timer">
      <Skeleton height={150} />
      <Skeleton height={150} />
    </div>
  )
}
