// What every store must keep as it was given, count and prune, and how it closes. Part of the suite in conformance.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timerUuid } from '../../../core/timer/ids.ts'
import { NEVER, Status } from '../../../core/timer/timer.ts'
import type { JsonText, Namespace, Timer, TimerId, TimerUuid } from '../../../core/timer/timer.ts'
import { partOf } from '../../commit-sheet.ts'
import { absent, changed, claimed, countsOf, OWNER, SHARD } from '../owned-store.ts'
import type { Setup } from '../owned-store.ts'
import { namedTimers, SAMPLE_NOW, sampleTimer } from '../sample-timer.ts'
import type { OpenEmptyStore } from '../owned-store.ts'

const LATER = SAMPLE_NOW + 5_000
export function storeCountersAndPruning(name: string, setup: Setup): void {
  test(`${name}: pruning takes finished timers past their retention only, oldest first, as many as it may`, async (t) => {
    const owned = await setup(t)
    const finished = (id: string, wakeAt: number): Timer =>
      sampleTimer({ id: id as TimerId, status: Status.completed, dueAt: SAMPLE_NOW, wakeAt })
    await owned.add(
      finished('c', LATER - 1),
      finished('a', LATER - 3),
      finished('b', LATER - 2),
      finished('at', LATER),
      finished('d', LATER + 1),
    )
    await owned.add(sampleTimer({ id: 'overdue' as TimerId, dueAt: LATER - 9 }))
    assert.equal(await owned.prune({ now: LATER, limit: 2 }), 2)
    assert.deepEqual(await owned.listIds(), ['overdue', 'c', 'at', 'd'])
    assert.equal(await owned.prune({ now: LATER, limit: 2 }), 1)
    assert.equal(await owned.prune({ now: LATER, limit: 2 }), 0)
    assert.deepEqual(await owned.listIds(), ['overdue', 'at', 'd'])
    assert.equal(await owned.get(finished('a', 0)), null)
  })

  test(`${name}: counters follow every change, misses and pruning included`, async (t) => {
    const owned = await setup(t)
    const other = 'other' as Namespace
    const [a, b, c] = [...namedTimers('a', 'b'), sampleTimer({ namespace: other })] as [Timer, Timer, Timer]
    await owned.put(absent(a), absent(b), absent(c))
    assert.equal((await owned.put(absent(a))).size, 1)
    assert.deepEqual(await countsOf(owned.store), ['default pending 2', 'other pending 1'])
    const running = { ...a, version: 2, status: Status.executing }
    const done = { ...b, version: 2, status: Status.completed, wakeAt: LATER }
    const canceled = { ...c, version: 2, status: Status.canceled, wakeAt: LATER }
    await owned.put(changed(running, a), changed(done, b), changed(canceled, c))
    assert.equal((await owned.put(changed(done, b))).size, 1)
    assert.deepEqual(await countsOf(owned.store), ['default completed 1', 'default executing 1', 'other canceled 1'])
    assert.equal(await owned.prune({ now: LATER + 1, limit: 10 }), 2)
    assert.deepEqual(await countsOf(owned.store), ['default executing 1'])
    await owned.put(absent(b))
    assert.deepEqual(await countsOf(owned.store), ['default executing 1', 'default pending 1'])
  })
}

export function storeValues(name: string, setup: Setup): void {
  test(`${name}: gives back every field as it was put`, async (t) => {
    const owned = await setup(t)
    for (const timer of extremeTimers()) {
      await owned.add(timer)
      assert.deepEqual(await owned.get(timer), timer)
      const shorter = { ...sampleTimer({ namespace: timer.namespace, id: timer.id }), version: timer.version + 1 }
      assert.equal((await owned.put(changed(shorter, timer))).size, 0)
      assert.deepEqual(await owned.get(timer), shorter)
      assert.equal((await owned.put(changed({ ...timer, version: 9 }, shorter))).size, 0)
      assert.deepEqual(await owned.get(timer), { ...timer, version: 9 })
    }
  })

  test(`${name}: getMany answers in the order of the keys, with null for what is not there`, async (t) => {
    const owned = await setup(t)
    const [a, b, c] = namedTimers('a', 'b', 'c') as [Timer, Timer, Timer]
    await owned.add(a, c)
    const keys = [c, b, a, c].map(({ namespace, id, uuid }) => ({ namespace, id, uuid, shard: SHARD }))
    assert.deepEqual(await owned.store.getMany(keys), [c, null, a, c])
    assert.deepEqual(await owned.store.getMany([]), [])
  })
}

export function storeClosing(name: string, openStore: OpenEmptyStore): void {
  test(`${name}: a closed store lets what is under way finish and refuses everything after`, async () => {
    const store = await openStore()
    const epoch = await claimed(store, SHARD)
    const key = { ...sampleTimer(), shard: SHARD }
    const part = partOf({ shard: SHARD, epoch, owner: OWNER }, [absent(sampleTimer())])
    const underWay = Promise.all([store.commit([part]), store.getMany([key]), store.getMany([key])])
    await Promise.all([store.close(), store.close()])
    await underWay
    await store.close()
    const later: (() => Promise<unknown>)[] = [
      () => store.ping(),
      () => store.commit([part]),
      () => store.getMany([key]),
      () => store.due({ shard: SHARD, after: null, until: NEVER, limit: 1 }),
      () => store.page({ filter: {}, sort: 'dueAt', descending: false, offset: 0, limit: 1 }),
      () => store.expired({ shards: [SHARD], before: NEVER, limit: 1 }),
      () => store.stats(),
      () => store.tallies({ since: null }),
      () => store.upcoming({ until: LATER, stepMs: 1_000 }),
      () => store.shards(),
      () => store.claim({ shard: SHARD, expected: epoch, from: OWNER, owner: 'a' }),
    ]
    for (const call of later) await assert.rejects(call, { name: 'StoreError', message: 'the store is closed' })
  })
}

/** Values at the edges of what the core lets through. */
function extremeTimers(): Timer[] {
  const id = (text: string): { id: TimerId; uuid: TimerUuid } => {
    return { id: text as TimerId, uuid: timerUuid('default' as Namespace, text as TimerId) }
  }
  const hundredYears = SAMPLE_NOW + 100 * 365.25 * 86_400_000
  return [
    sampleTimer({ ...id('a/b/../c?d=e#f%2F'), target: { type: 'none' }, payload: null, dueAt: hundredYears }),
    sampleTimer({ ...id('in the program'), target: { type: 'function' } }),
    sampleTimer({ ...id('🕰️ önemli — 重要 \u2028 "\''), dueAt: 0, wakeAt: NEVER, status: Status.paused }),
    sampleTimer({ ...id('😀'.repeat(127) + 'x'), payload: JSON.stringify('x€'.repeat(64 * 1_024)) as JsonText }),
    sampleTimer({
      ...id('all'),
      version: 2 ** 40,
      status: Status.failed,
      schedule: 'R3/PT10M',
      timeZone: 'Europe/Vienna',
      anchorAt: SAMPLE_NOW,
      iteration: 3,
      catchUp: 'one',
      dueAt: SAMPLE_NOW + 1,
      wakeAt: hundredYears,
      target: { type: 'nats', topic: 'a.b', key: 'k', headers: { 'X-Täg': 'ü', __proto__x: '' } },
      protocol: 'platform',
      payload: '{"a":1e400,"b":12345678901234567890, "c" : "\\u0000\\ud800"}' as JsonText,
      metadata: '{"k":"v","\\u0000":"\\ud800"}' as JsonText,
      retry: { maxAttempts: 101, initialIntervalMs: 1, multiplier: 1.5, maxIntervalMs: 2, maxDurationMs: 3 },
      timeoutMs: 3_600_000,
      updatedAt: SAMPLE_NOW + 2,
      executedAt: SAMPLE_NOW + 3,
      finishedAt: SAMPLE_NOW + 4,
      firing: 1_000_000,
      attempts: 100,
      firstAttemptAt: SAMPLE_NOW + 5,
      lastError: 'HTTP 500 "boom" \u{1f4a5}',
      attemptLog: [
        { at: SAMPLE_NOW + 5, durationMs: 12, outcome: 'failed', statusCode: 500, error: 'HTTP 500' },
        {
          at: SAMPLE_NOW + 6,
          durationMs: 0,
          outcome: 'rescheduled',
          statusCode: null,
          error: null,
          note: 'answered: \u0000 ünexpected',
        },
      ],
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      fingerprint: '8f14e45fceea167a5a36dedd4bea2543',
      correlationId: 'c-\0 \ud800 grüße',
      lastCommand: { stream: 'TIMER_COMMANDS@x', sequence: 9_007_199_254_740_991 },
      tenant: 'acme',
    }),
  ]
}
