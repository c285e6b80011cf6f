// What can be done with the timers that are ticked, or with all that match.

import { useState } from 'react'
import type { ListedTimer } from '../../api/timer.ts'
import { plural } from '../../format/numbers.ts'
import { Button } from '../../ui/button.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { BulkDialog } from './bulk-dialog.tsx'
import type { Target } from './bulk-dialog.tsx'
import { ACTIONS } from './bulk-work.ts'
import type { ActionName } from './bulk-work.ts'
import type { Selection } from './selection.ts'
import type { Shown } from './use-timers.ts'
import type { View } from './view.ts'

const ICONS: Readonly<Record<ActionName, IconName>> = {
  cancel: 'cross',
  retry: 'retry',
  pause: 'pause',
  resume: 'play',
}
const NAMES = Object.keys(ACTIONS) as ActionName[]

type BulkBarProps = {
  readonly view: View
  readonly shown: Shown
  readonly selection: Selection
  readonly onDone: () => void
}

export function BulkBar({ view, shown, selection, onDone }: BulkBarProps) {
  const [isEverything, setEverything] = useState(false)
  const [asked, setAsked] = useState<{ readonly action: ActionName; readonly target: Target } | null>(null)
  const { timers } = selection
  // The routes for many take neither a search nor several namespaces.
  const mayTakeAll = view.search === '' && view.namespace !== null && selection.isAll
  const hasMore = shown.total === null ? shown.nextCursor !== null : shown.total > timers.length
  const isAll = isEverything && mayTakeAll && hasMore
  const ask = (action: ActionName) =>
    setAsked({ action, target: isAll ? { type: 'all', view } : { type: 'some', timers: fitting(timers, action) } })
  return (
    <>
      <section className="bulk-bar" aria-label="Selected timers">
        <strong className="num">{isAll ? 'All that match' : `${plural(timers.length, 'timer')} selected`}</strong>
        {mayTakeAll && hasMore && (
          <Button kind="quiet" small onClick={() => setEverything(!isAll)}>
            {isAll ? 'Only this page' : 'Select all that match'}
          </Button>
        )}
        {selection.isAll && hasMore && !mayTakeAll && (
          <span className="soft small">
            {view.search === ''
              ? 'For all that match, choose a namespace.'
              : 'For all that match, use filters instead of the search.'}
          </span>
        )}
        <div className="buttons">
          {NAMES.map((action) => {
            const number = fitting(timers, action).length
            const isOffered = isAll ? action === 'cancel' || action === 'retry' : number > 0
            return (
              <Button
                key={action}
                small
                icon={ICONS[action]}
                kind={action === 'cancel' ? 'danger-quiet' : 'plain'}
                disabled={!isOffered}
                onClick={() => ask(action)}
              >
                {ACTIONS[action].name}
              </Button>
            )
          })}
          <Button kind="quiet" small onClick={selection.clear}>
            Clear
          </Button>
        </div>
      </section>
      {asked !== null && (
        <BulkDialog
          action={asked.action}
          target={asked.target}
          onClose={(hasActed) => {
            setAsked(null)
            if (!hasActed) return
            selection.clear()
            onDone()
          }}
        />
      )}
    </>
  )
}

function fitting(timers: readonly ListedTimer[], action: ActionName): readonly ListedTimer[] {
  return timers.filter(ACTIONS[action].fits)
}
