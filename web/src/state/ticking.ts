// One second hand for the whole page: everything that shows a distance moves together, by one interval.

import { useSyncExternalStore } from 'react'
import { serverClock } from '../api/server-clock.ts'

const TICK_MS = 1_000
const listeners = new Set<() => void>()
let now = serverClock.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  now = serverClock.now()
  for (const listener of listeners) listener()
}

/** The service's time, renewed every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}
