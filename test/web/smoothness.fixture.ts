// Is the overview smooth while timers fire? The browser itself counts: tasks that kept its main thread for more than
// 50 ms, and the gaps between frames.

import type { Page } from 'playwright-core'
import type { Receiver } from '../support/receiver.ts'
import type { Service } from '../support/service.ts'
import { storeTimers } from './store-timers.ts'

export type Load = {
  /** Timers far in the future. */
  readonly stored: number
  readonly perSecond: number
  readonly seconds: number
}

export type Smoothness = {
  /** Durations in ms of the tasks that the browser calls long. */
  readonly longTasks: readonly number[]
  readonly frames: number
  readonly longestFrameGapMs: number
  /** What the page itself showed as the last minute's firings. */
  readonly shown: string
}

const CHUNK = 10_000
const LEAD_MS = 4_000
const STORED_PER_MS = 5 // how fast a batch is taken, on the safe side: timers must be stored before they are due

export async function storeMany(
  { service, receiver }: { readonly service: Service; readonly receiver: Receiver },
  count: number,
): Promise<void> {
  const dueAt = Date.now() + 24 * 3_600_000
  for (let first = 0; first < count; first += CHUNK) {
    const timers = Array.from({ length: Math.min(CHUNK, count - first) }, (_, n) => ({
      namespace: `team-${(first + n) % 20}`,
      id: `stored-${first + n}`,
      executeAt: new Date(dueAt + (first + n) * 40).toISOString(),
      callbackUrl: receiver.url,
    }))
    await storeTimers(service, timers)
  }
}

/** Stores what fires, watches the page while it does, and tells what the browser saw. */
export async function watchFiring(
  page: Page,
  place: { readonly service: Service; readonly receiver: Receiver },
  load: Omit<Load, 'stored'>,
): Promise<Smoothness> {
  const { perSecond, seconds } = load
  const count = perSecond * seconds
  const startAt = Date.now() + LEAD_MS + count / STORED_PER_MS
  await storeTimers(
    place.service,
    Array.from({ length: count }, (_, n) => ({
      namespace: `team-${n % 20}`,
      id: `firing-${startAt}-${n}`,
      executeAt: new Date(startAt + (n * 1_000) / perSecond).toISOString(),
      callbackUrl: place.receiver.url,
    })),
  )
  await page.waitForTimeout(Math.max(0, startAt - Date.now()))
  await page.evaluate(OBSERVE)
  await page.waitForTimeout(seconds * 1_000)
  const seen = await page.evaluate<Omit<Smoothness, 'shown'>>('globalThis.smoothness.read()')
  return { ...seen, shown: await page.locator('.tile').first().innerText() }
}

const OBSERVE = `(() => {
  const seen = { longTasks: [], frames: 0, longestFrameGapMs: 0 }
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.longTasks.push(Math.round(duration))
  })
  observer.observe({ type: 'longtask' })
  let last = performance.now()
  let frame = requestAnimationFrame(function draw(now) {
    seen.frames++
    seen.longestFrameGapMs = Math.max(seen.longestFrameGapMs, Math.round(now - last))
    last = now
    frame = requestAnimationFrame(draw)
  })
  globalThis.smoothness = {
    read() {
      observer.disconnect()
      cancelAnimationFrame(frame)
      return seen
    },
  }
})()`
