// Timers in every state that a store can hold them in, and the ways into and out of a file, for the tests of transfers.

import { deliveryId, shardOf } from '../../core/timer/ids.ts'
import { NEVER, Status } from '../../core/timer/timer.ts'
import type { Attempt, Epoch, JsonText, Namespace, Timer, TimerId } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { SAMPLE_NOW, sampleTimer } from '../../store/conformance/sample-timer.ts'
import type { ListCursor, Store } from '../../store/store.ts'
import { importTimers } from './import-timers.ts'
import type { ImportOptions, ImportResult } from './import-timers.ts'
import { SoleOwner } from './sole-owner.ts'
import { partOf } from '../../store/commit-sheet.ts'

export const LARGEST_PAYLOAD = JSON.stringify({ text: '"\\é🦊\u2028'.repeat(21_000) }).slice(0, 262_000) as JsonText

const AT = SAMPLE_NOW + 60_001
const ERROR = 'HTTP 503: "busy"\n\u2028🦊'
const ATTEMPT: Attempt = { at: AT, durationMs: 12.5, outcome: 'failed', statusCode: 503, error: ERROR }
const TRIED = {
  attempts: 1,
  firing: 3,
  version: 9,
  firstAttemptAt: AT,
  executedAt: AT,
  lastError: ERROR,
  attemptLog: [ATTEMPT],
}
const DUE = { dueAt: SAMPLE_NOW + 60_000 }
const FINISHED = {
  ...DUE,
  finishedAt: SAMPLE_NOW + 70_000,
  updatedAt: SAMPLE_NOW + 70_000,
  wakeAt: SAMPLE_NOW + 9_000_000,
}
const GRID = { schedule: 'R/PT1H', anchorAt: SAMPLE_NOW, timeZone: 'Europe/Berlin', catchUp: 'one' } as const
const NO_PROGRESS = { wakeAt: NEVER, attempts: 0, firstAttemptAt: null }
const CYCLE = { ...GRID, iteration: 17, firing: 17, version: 40 }
const ELSEWHERE = { namespace: 'team-a.orders' as Namespace, payload: null, metadata: '{"order":"🦊"}' as JsonText }

/** One of each kind. */
export function everyKindOfTimer(): Timer[] {
  const id = (text: string) => ({ id: text as TimerId })
  return [
    sampleTimer(id('pending')),
    sampleTimer({ ...id('👩‍👩‍👧‍👦/ordre nº 1\u2028'), ...ELSEWHERE }),
    sampleTimer({ ...id('retrying'), ...TRIED, ...DUE, wakeAt: SAMPLE_NOW + 95_000 }),
    sampleTimer({ ...id('executing'), version: 2, status: Status.executing }),
    sampleTimer({ ...id('paused'), version: 2, status: Status.paused, ...DUE, wakeAt: NEVER }),
    sampleTimer({ ...id('cycle'), ...CYCLE }),
    sampleTimer({
      ...id('triggered'),
      ...CYCLE,
      wakeAt: AT,
      extra: { dueAt: AT, number: 40, regular: { status: 'paused', ...NO_PROGRESS } },
      status: Status.paused,
    }),
    sampleTimer({
      ...id('nats'),
      target: { type: 'nats', topic: 'a.b', key: 'k', headers: { 'x-é': '1' } },
      protocol: 'messages',
    }),
    sampleTimer({
      ...id('nowhere'),
      target: { type: 'none' },
      traceparent: '00-1-2-01',
      correlationId: 'c-1',
      tenant: 'acme',
    }),
    sampleTimer({ ...id('completed'), ...TRIED, ...FINISHED, status: Status.completed, lastError: null }),
    sampleTimer({ ...id('failed'), ...TRIED, ...FINISHED, status: Status.failed }),
    sampleTimer({ ...id('canceled'), ...FINISHED, version: 2, status: Status.canceled }),
  ]
}

export function numberedTimers(count: number): Timer[] {
  return Array.from({ length: count }, (_, index) => {
    return sampleTimer({ id: `order-${index}` as TimerId, dueAt: SAMPLE_NOW + (index % 977) * 1_000 })
  })
}

/** As a service would have put them there. */
export async function fill(store: Store, timers: readonly Timer[]): Promise<void> {
  const { shards } = store.capabilities
  const known = new Map((await store.shards()).map((row) => [row.shard, row]))
  for (const [shard, members] of Map.groupBy(timers, ({ uuid }) => shardOf(uuid, shards))) {
    const { epoch: expected, owner: from } = known.get(shard) ?? { epoch: 0 as Epoch, owner: null }
    const fence = { shard, epoch: (await store.claim({ shard, expected, from, owner: 'fixture' }))!, owner: 'fixture' }
    await store.commit([
      partOf(
        fence,
        members.map((after) => ({ before: null, after })),
      ),
    ])
    await store.release(fence)
  }
}

/** Everything that is stored, by uuid, with the delivery id that its next attempt would carry. */
export async function contentsOf(store: Pick<Store, 'list'>): Promise<Map<string, { timer: Timer; delivery: string }>> {
  const contents = new Map<string, { timer: Timer; delivery: string }>()
  let after: ListCursor | null = null
  do {
    const page: Awaited<ReturnType<Store['list']>> = await store.list({ filter: {}, after, limit: 20_000 })
    for (const timer of page.timers) contents.set(timer.uuid, { timer, delivery: deliveryId(timer) })
    after = page.next
  } while (after !== null)
  return new Map([...contents].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

export function ownAll(store: Store): Promise<SoleOwner> {
  return SoleOwner.of({ store, clock: new ManualClock(SAMPLE_NOW), leaseMs: 5_000, node: 'import' })
}

export async function importInto(
  store: Store,
  path: string,
  options: Partial<ImportOptions> = {},
): Promise<ImportResult> {
  const owner = await ownAll(store)
  try {
    return await importTimers({ store, owner, path, update: false, ...options })
  } finally {
    await owner.release()
  }
}
