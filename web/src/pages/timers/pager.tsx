// Going through the pages: by number where the service counts, onward where it walks.

import { count } from '../../format/numbers.ts'
import { changeParams } from '../../routing/router.ts'
import { Button } from '../../ui/button.tsx'
import { PAGE_SIZES } from './view.ts'
import type { View } from './view.ts'
import type { Shown } from './use-timers.ts'

const OFFSET_MAX = 1_000_000 // the service's own limit: whoever wants what is behind it filters

export function Pager({ view, shown }: { readonly view: View; readonly shown: Shown }) {
  const { page, size } = view
  const { total, timers, nextCursor, offset } = shown
  const isLast = total === null ? nextCursor === null : page * size >= Math.min(total, OFFSET_MAX)
  const text =
    total === null
      ? `${count(timers.length)} on this page`
      : `${count(offset + 1)}–${count(offset + timers.length)} of ${count(total)}`
  return (
    <nav className="pager" aria-label="Pages of timers">
      <span className="num soft">{text}</span>
      <label className="soft">
        Rows{' '}
        <select
          className="select"
          value={size}
          onChange={(event) => changeParams({ size: event.target.value, page: null, cursor: null })}
        >
          {PAGE_SIZES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      {total === null ? (
        <Button small disabled={view.cursor === null} onClick={() => changeParams({ cursor: null })}>
          First
        </Button>
      ) : (
        <Button
          small
          icon="back"
          aria-label="Previous page"
          disabled={page === 1}
          onClick={() => changeParams({ page: page === 2 ? null : page - 1 })}
        />
      )}
      {total === null ? (
        <Button small disabled={isLast} onClick={() => changeParams({ cursor: nextCursor })}>
          Next
        </Button>
      ) : (
        <Button
          small
          icon="chevron"
          aria-label="Next page"
          disabled={isLast}
          onClick={() => changeParams({ page: page + 1 })}
        />
      )}
    </nav>
  )
}
