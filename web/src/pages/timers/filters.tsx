// The questions one can ask of the timers. Typing waits a moment before it asks; every answer is in the URL.

import { useEffect, useId, useState } from 'react'
import { STATUSES } from '../../api/timer.ts'
import type { Status } from '../../api/timer.ts'
import { changeParams } from '../../routing/router.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { DUE_RANGES, hasFilters } from './view.ts'
import type { DueRange, View } from './view.ts'

const TYPING_MS = 250
const FIRST_PAGE = { page: null, cursor: null }

export function Filters({ view }: { readonly view: View }) {
  const isSearching = view.search !== ''
  return (
    <search className="filters" aria-label="Filter timers">
      <SearchBox view={view} />
      <DueFilter view={view} disabled={isSearching} />
      <MetadataFilter view={view} disabled={isSearching} />
      {hasFilters(view) && (
        <Button
          kind="quiet"
          small
          icon="cross"
          onClick={() =>
            changeParams({ ...FIRST_PAGE, q: null, status: null, due: null, from: null, to: null, meta: null })
          }
        >
          Clear filters
        </Button>
      )}
      <StatusChips statuses={view.statuses} />
    </search>
  )
}

function SearchBox({ view }: { readonly view: View }) {
  const [text, setText] = useTyped(view.search, (q) => changeParams({ ...FIRST_PAGE, q }, { replace: true }))
  return (
    <div className="searchbox">
      <Icon name="search" />
      <input
        id="search"
        className="input"
        type="search"
        aria-label="Search by id"
        placeholder="Search by id"
        value={text}
        maxLength={255}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  )
}

function StatusChips({ statuses }: { readonly statuses: readonly Status[] }) {
  const toggle = (status: Status) => {
    const next = statuses.includes(status) ? statuses.filter((one) => one !== status) : [...statuses, status]
    changeParams({ ...FIRST_PAGE, status: next.join(',') })
  }
  return (
    <div className="chips" role="group" aria-label="Status">
      {STATUSES.map((status) => (
        <button
          key={status}
          type="button"
          className="chip"
          aria-pressed={statuses.includes(status)}
          onClick={() => toggle(status)}
        >
          {status}
        </button>
      ))}
    </div>
  )
}

function DueFilter({ view, disabled }: { readonly view: View; readonly disabled: boolean }) {
  const title = disabled ? 'A search by id looks at all due times' : undefined
  return (
    <div className="due-filter">
      <select
        className="select"
        aria-label="Due"
        title={title}
        disabled={disabled}
        value={view.due ?? ''}
        onChange={(event) => changeParams({ ...FIRST_PAGE, due: event.target.value, from: null, to: null })}
      >
        <option value="">Due any time</option>
        {(Object.keys(DUE_RANGES) as DueRange[]).map((range) => (
          <option key={range} value={range}>
            {DUE_RANGES[range]}
          </option>
        ))}
      </select>
      {view.due === 'custom' && !disabled && (
        <>
          <InstantInput label="Due from" value={view.from} onChange={(from) => changeParams({ ...FIRST_PAGE, from })} />
          <InstantInput label="Due before" value={view.to} onChange={(to) => changeParams({ ...FIRST_PAGE, to })} />
        </>
      )}
    </div>
  )
}

function InstantInput({
  label,
  value,
  onChange,
}: {
  readonly label: string
  readonly value: string | null
  readonly onChange: (value: string | null) => void
}) {
  return (
    <input
      className="input"
      type="datetime-local"
      aria-label={label}
      title={label}
      value={value === null ? '' : localText(value)}
      onChange={(event) => onChange(event.target.value === '' ? null : new Date(event.target.value).toISOString())}
    />
  )
}

/** As datetime-local wants it: the viewer's wall clock, without a zone. */
export function localText(at: string | number): string {
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

function MetadataFilter({ view, disabled }: { readonly view: View; readonly disabled: boolean }) {
  const [text, setText] = useTyped(view.metadata, (meta) => changeParams({ ...FIRST_PAGE, meta }, { replace: true }))
  const hintId = useId()
  return (
    <div className="meta-filter">
      <input
        className="input"
        aria-label="Metadata"
        aria-describedby={hintId}
        placeholder="metadata, e.g. team=billing"
        title={
          disabled
            ? 'A search by id looks at all metadata'
            : 'A key, or key=value. Numbers and true/false count as such; put them in quotes for text.'
        }
        value={text}
        disabled={disabled}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
      />
      <span id={hintId} className="hidden-visually">
        A key, or key=value.
      </span>
    </div>
  )
}

/** What is typed shows at once and is told after a pause; a change from elsewhere, such as the back button, shows too. */
function useTyped(value: string, onTyped: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState<string | null>(null)
  useEffect(() => {
    if (typed === null) return
    const timer = setTimeout(() => {
      onTyped(typed.trim())
      setTyped(null)
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed ?? value, setTyped]
}
