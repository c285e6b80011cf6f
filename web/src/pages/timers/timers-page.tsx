// All timers: find them, sort them, act on many of them.

import { useCallback, useMemo, useState } from 'react'
import { count, plural } from '../../format/numbers.ts'
import { hrefOf, useCurrentPlace } from '../../routing/router.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { Filters } from './filters.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { Pager } from './pager.tsx'
import { useSelection } from './selection.ts'
import { TimersTable } from './timers-table.tsx'
import { useTimers } from './use-timers.ts'
import type { Shown } from './use-timers.ts'
import { hasFilters, readView } from './view.ts'
import type { View } from './view.ts'

const NO_TIMERS: Shown['timers'] = []

export function TimersPage() {
  const { params } = useCurrentPlace()
  const text = params.toString()
  const view = useMemo(() => readView(new URLSearchParams(text)), [text])
  const { data, error, isLoading, isStale, reload } = useTimers(view)
  const selection = useSelection(data?.timers ?? NO_TIMERS, text)
  const [dialog, setDialog] = useState<'export' | 'import' | null>(null)
  const close = useCallback(() => setDialog(null), [])
  return (
    <>
      <div className="page-head">
        <div className="grow">
          <h1>Timers</h1>
          <p>{summary(data, view)}</p>
        </div>
        <div className="buttons">
          <Button icon="up" onClick={() => setDialog('import')}>
            Import
          </Button>
          <Button icon="down" onClick={() => setDialog('export')}>
            Export
          </Button>
          <a className="button primary" href={hrefOf('/new', { ns: view.namespace })}>
            <Icon name="plus" size={15} />
            New timer
          </a>
        </div>
      </div>
      <div className="stack">
        <Filters view={view} />
        {error !== undefined && <Failure error={error} onRetry={reload} />}
        {data?.isExactOnly === true && <ExactOnly />}
        <div className="card list-card" aria-busy={isLoading}>
          {data === undefined ? (
            error === undefined && <Rows />
          ) : data.timers.length === 0 ? (
            <Nothing view={view} />
          ) : (
            <TimersTable timers={data.timers} view={view} selection={selection} isStale={isStale} />
          )}
          {data !== undefined && data.timers.length > 0 && <Pager view={view} shown={data} />}
        </div>
      </div>
      {selection.timers.length > 0 && <BulkBar view={view} shown={data!} selection={selection} onDone={reload} />}
      {dialog === 'export' && <ExportDialog view={view} total={data?.total ?? null} onClose={close} />}
      {dialog === 'import' && <ImportDialog namespace={view.namespace} onClose={close} onDone={reload} />}
    </>
  )
}

function summary(data: Shown | undefined, view: View): string {
  if (data === undefined) return 'Loading…'
  const where = view.namespace === null ? '' : ` in ${view.namespace}`
  if (data.total === null) return `Timers due in this range${where}, soonest first`
  return hasFilters(view)
    ? `${plural(data.total, 'timer')} match${data.total === 1 ? 'es' : ''}${where}`
    : `${count(data.total)} stored${where}`
}

function ExactOnly() {
  return (
    <div className="notice">
      <Icon name="search" />
      <div>
        There are too many timers to look through for a part of an id, so this is the timer of exactly that id. Choose a
        namespace to look through fewer.
      </div>
    </div>
  )
}

function Rows() {
  return (
    <div className="rows-loading" role="status" aria-label="Loading timers">
      {Array.from({ length: 8 }, (_, index) => (
        <Skeleton key={index} height={18} width={`${92 - ((index * 17) % 40)}%`} />
      ))}
    </div>
  )
}

function Nothing({ view }: { readonly view: View }) {
  if (hasFilters(view) || view.page > 1) {
    return (
      <Empty icon="search" title="No timer matches">
        <p>Try fewer filters{view.namespace === null ? '' : ', or all namespaces'}.</p>
      </Empty>
    )
  }
  return (
    <Empty icon="clock" title="No timers yet">
      <p>A timer calls you back when its time has come. Make the first one here, or over the API.</p>
      <a className="button primary" href={hrefOf('/new', { ns: view.namespace })}>
        <Icon name="plus" size={15} />
        New timer
      </a>
    </Empty>
  )
}
