// The calendars of a namespace: when nothing fires, and a form to change that.

import type { Calendar } from '@duetime/client'
import { useState } from 'react'
import { duetime } from '../../api/client.ts'
import { useCurrentPlace } from '../../routing/router.ts'
import { useResource } from '../../state/resource.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toasts.tsx'
import { CalendarDialog } from './calendar-dialog.tsx'

/** What is being done: a calendar is made, changed or deleted. */
type Doing = { readonly kind: 'new' } | { readonly kind: 'edit' | 'delete'; readonly calendar: Calendar }

export function CalendarsPage() {
  const { params } = useCurrentPlace()
  const namespace = params.get('ns') ?? 'default'
  const { data, error, reload } = useResource(`calendars ${namespace}`, (signal) =>
    duetime.calendars.list({ namespace, signal }),
  )
  const [doing, setDoing] = useState<Doing | null>(null)
  const stop = () => setDoing(null)
  const saved = (name: string) => {
    stop()
    toast('good', 'Calendar saved', `${name} counts on every node within a second.`)
    reload()
  }

  return (
    <>
      <div className="page-head">
        <div className="grow">
          <h1>Calendars</h1>
          <p>
            Days and times when nothing fires, in the namespace <span className="mono">{namespace}</span>.
          </p>
        </div>
        <Button kind="primary" icon="plus" onClick={() => setDoing({ kind: 'new' })}>
          New calendar
        </Button>
      </div>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {data === undefined ? (
        error === undefined && <Skeleton height={120} />
      ) : data.length === 0 ? (
        <Empty icon="calendar" title="No calendars yet">
          <p>A timer can name one, so that it does not fire on holidays or out of business hours.</p>
        </Empty>
      ) : (
        <CalendarsTable calendars={data} onDo={setDoing} />
      )}
      {doing?.kind === 'new' && <CalendarDialog namespace={namespace} calendar={null} onSaved={saved} onClose={stop} />}
      {doing?.kind === 'edit' && (
        <CalendarDialog namespace={namespace} calendar={doing.calendar} onSaved={saved} onClose={stop} />
      )}
      {doing?.kind === 'delete' && (
        <DeleteDialog namespace={namespace} name={doing.calendar.name} onDone={reload} onClose={stop} />
      )}
    </>
  )
}

type TableProps = { readonly calendars: readonly Calendar[]; readonly onDo: (doing: Doing) => void }

function CalendarsTable({ calendars, onDo }: TableProps) {
  return (
    <section className="card">
      <table className="plain" aria-label="Calendars">
        <thead>
          <tr>
            <th>Name</th>
            <th>Excludes</th>
            <th>Allows only</th>
            <th className="wide-only">Clocks of</th>
            <th className="right">Actions</th>
          </tr>
        </thead>
        <tbody>
          {calendars.map((calendar) => (
            <tr key={calendar.name}>
              <td className="mono">{calendar.name}</td>
              <td>{summary(calendar.exclude)}</td>
              <td>{summary(calendar.allow)}</td>
              <td className="wide-only soft">{calendar.timeZone}</td>
              <td className="right">
                <Button
                  kind="quiet"
                  small
                  icon="edit"
                  aria-label={`Edit ${calendar.name}`}
                  onClick={() => onDo({ kind: 'edit', calendar })}
                />
                <Button
                  kind="danger-quiet"
                  small
                  icon="cross"
                  aria-label={`Delete ${calendar.name}`}
                  onClick={() => onDo({ kind: 'delete', calendar })}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const SHOWN = 3

function summary(entries: readonly string[]): string {
  if (entries.length === 0) return '–'
  const more = entries.length > SHOWN ? `, and ${entries.length - SHOWN} more` : ''
  return `${entries.slice(0, SHOWN).join(', ')}${more}`
}

type DeleteProps = {
  readonly namespace: string
  readonly name: string
  readonly onDone: () => void
  readonly onClose: () => void
}

function DeleteDialog({ namespace, name, onDone, onClose }: DeleteProps) {
  const remove = async () => {
    try {
      await duetime.calendars.delete(name, { namespace })
      toast('good', 'Calendar deleted')
    } catch (error) {
      toastError(error)
    }
    onClose()
    onDone()
  }
  return (
    <Confirm title={`Delete ${name}?`} action="Delete calendar" onConfirm={remove} onClose={onClose}>
      <p>Timers that name it go on firing, as if they named none.</p>
    </Confirm>
  )
}
