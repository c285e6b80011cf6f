// The numbers of the overview: a snapshot, then what the live connection adds to it. Everything kept is bounded, and
// samples reach the page a few times a second however many arrive.

import { useEffect, useState } from 'react'
import { liveFeed } from '../../api/live-feed.ts'
import { loadOverview } from '../../api/overview.ts'
import type { Figures, LiveFiring, LiveOverview, Overview, Second } from '../../api/overview.ts'
import { useResource } from '../../state/resource.ts'
import type { Resource } from '../../state/resource.ts'
import { useStore } from '../../state/store.ts'

const SECONDS_KEPT = 301 // five minutes and the second that is just over
const FIRINGS_KEPT = 8
const FLUSH_MS = 250
const POLL_MS = 2_000

export type LiveState = {
  readonly figures: Figures
  readonly seconds: readonly Second[]
  readonly firings: readonly LiveFiring[]
}

export type LiveView = { readonly snapshot: Resource<Overview>; readonly live: LiveState | null }

export function useLiveOverview(namespace: string | null): LiveView {
  const { state } = useStore(liveFeed.connection)
  const snapshot = useResource(`overview ${namespace ?? ''}`, (signal) => loadOverview(namespace, signal), {
    refreshMs: state === 'unavailable' ? POLL_MS : undefined,
  })
  const [live, setLive] = useState<LiveState | null>(null)
  const { data, isStale } = snapshot

  useEffect(() => {
    if (data === undefined || isStale) return
    setLive((before) => ({
      figures: data,
      seconds: joined(before?.figures.namespace === data.namespace ? before.seconds : [], data.perSecond),
      firings: before?.firings ?? [],
    }))
  }, [data, isStale])

  useEffect(() => {
    setLive(null)
    return collect(namespace, (change) => setLive((before) => (before === null ? before : change(before))))
  }, [namespace])

  return { snapshot, live: live !== null && live.figures.namespace === namespace ? live : null }
}

/** Gathers events and applies them together. */
function collect(namespace: string | null, apply: (change: (before: LiveState) => LiveState) => void): () => void {
  let overview: LiveOverview | null = null
  let firings: LiveFiring[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    const [newest, arrived] = [overview, firings]
    overview = null
    firings = []
    apply((before) => ({
      figures: newest === null ? before.figures : { ...newest, counts: newest.counts ?? before.figures.counts },
      seconds: newest === null ? before.seconds : joined(before.seconds, [newest.lastSecond]),
      firings: arrived.length === 0 ? before.firings : [...arrived, ...before.firings].slice(0, FIRINGS_KEPT),
    }))
  }
  const stop = liveFeed.listen((event) => {
    if (event.type === 'overview') {
      if (event.data.namespace !== namespace) return
      overview = event.data
    } else if (event.type === 'firing') {
      firings.unshift(event.data)
      if (firings.length > FIRINGS_KEPT) firings.length = FIRINGS_KEPT
    } else return
    timer ??= setTimeout(flush, FLUSH_MS)
  })
  return () => {
    clearTimeout(timer)
    stop()
  }
}

/** By their times: what is there already is replaced, gaps stay gaps of zeros, and the oldest go. */
export function joined(before: readonly Second[], added: readonly Second[]): readonly Second[] {
  const byTime = new Map(before.map((second) => [Date.parse(second.at), second]))
  for (const second of added) byTime.set(Date.parse(second.at), second)
  const times = [...byTime.keys()]
  if (times.length === 0) return []
  const last = Math.max(...times)
  const first = Math.max(Math.min(...times), last - (SECONDS_KEPT - 1) * 1_000)
  const seconds: Second[] = []
  for (let at = first; at <= last; at += 1_000) seconds.push(byTime.get(at) ?? quiet(at))
  return seconds
}

function quiet(at: number): Second {
  return {
    at: new Date(at).toISOString(),
    fired: 0,
    delivered: 0,
    rescheduled: 0,
    retried: 0,
    failed: 0,
    created: 0,
    canceled: 0,
  }
}
