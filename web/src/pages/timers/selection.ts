// Which timers of the page are ticked. Another page or another question starts with none.

import { useCallback, useMemo, useState } from 'react'
import type { ListedTimer } from '../../api/timer.ts'

export type Selection = {
  readonly timers: readonly ListedTimer[]
  readonly has: (timer: ListedTimer) => boolean
  readonly toggle: (timer: ListedTimer) => void
  readonly toggleAll: () => void
  readonly clear: () => void
  readonly isAll: boolean
}

type Ticked = { readonly viewKey: string; readonly keys: ReadonlySet<string> }
const NONE: ReadonlySet<string> = new Set()

export function keyOf({ namespace, id }: Pick<ListedTimer, 'namespace' | 'id'>): string {
  return `${namespace}\n${id}`
}

export function useSelection(timers: readonly ListedTimer[], viewKey: string): Selection {
  const [ticked, setTicked] = useState<Ticked>({ viewKey, keys: NONE })
  const keys = ticked.viewKey === viewKey ? ticked.keys : NONE
  const selected = useMemo(() => timers.filter((timer) => keys.has(keyOf(timer))), [timers, keys])
  // The same function for every render, so that a tick draws one row and not the page.
  const toggle = useCallback(
    (timer: ListedTimer) =>
      setTicked((before) => {
        const next = new Set(before.viewKey === viewKey ? before.keys : NONE)
        if (!next.delete(keyOf(timer))) next.add(keyOf(timer))
        return { viewKey, keys: next }
      }),
    [viewKey],
  )
  const isAll = timers.length > 0 && selected.length === timers.length
  return {
    timers: selected,
    has: (timer) => keys.has(keyOf(timer)),
    toggle,
    toggleAll: () => setTicked({ viewKey, keys: isAll ? NONE : new Set(timers.map(keyOf)) }),
    clear: () => setTicked({ viewKey, keys: NONE }),
    isAll,
  }
}
