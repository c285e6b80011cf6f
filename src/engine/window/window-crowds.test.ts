// Backlogs of many namespaces at once, each of them small.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Namespace, TimerId } from '../../core/timer/timer.ts'
import { sampleTimer } from '../../store/conformance/sample-timer.ts'
import type { DueScan } from '../../store/store.ts'
import { PagedStore } from './paged-store.fixture.ts'
import { Window } from './window.ts'

const NOW = Date.UTC(2030, 0, 1)

test('the timer of a newcomer is in memory in time beside the backlogs of 150 namespaces that nobody takes', async () => {
  const store = new PagedStore()
  for (let n = 0; n < 150 * 6; n++) {
    const namespace = `n${n % 150}` as Namespace
    store.put(
      sampleTimer({ id: `t${n}` as TimerId, namespace, dueAt: NOW - 60_000 + ((n * 7) % 50_000), payload: null }),
    )
  }
  const limits = { timersMax: 400, bytesMax: 10_000_000, pageSize: 100 }
  const window = new Window({ due: (scan) => store.due(scan as DueScan), limits, now: NOW })
  const settle = async (now: number): Promise<void> => {
    for (let round = 0; round < 100; round++) {
      const due = window.takeDue(now, 500)
      for (const entry of due) entry.state = 'ready'
      if (window.wantsPage(now)) await window.loadPage(now)
      else if (due.length === 0) return
    }
    assert.fail('reads pages for ever')
  }
  await settle(NOW)
  const newcomer = sampleTimer({
    id: 'newcomer' as TimerId,
    namespace: 'newcomer' as Namespace,
    dueAt: NOW + 500,
    payload: null,
  })
  store.put(newcomer)
  window.apply(newcomer, NOW)
  for (const now of [NOW, NOW + 400, NOW + 600]) await settle(now)
  assert.equal(window.get(newcomer.uuid)?.state, 'ready')
  assert.ok(window.size <= limits.timersMax)
})
