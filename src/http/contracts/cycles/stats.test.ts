import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, errorOf, HOOK, setup } from './cycles.fixture.ts'
import type { Cycles, Json } from './cycles.fixture.ts'

const HOUR = 3_600_000

test('a period that is not known is refused', async (t) => {
  const { get } = await setup(t)
  for (const query of ['period=2h', 'period=', 'tenant_id=a%20b', 'since=1'])
    assert.equal(errorOf(await get(`/stats?${query}`)).code, 'VALIDATION_ERROR')
})

test('statistics of nothing have every field', async (t) => {
  const { get } = await setup(t)
  const stats = dataOf(await get('/stats'))
  assert.deepEqual(stats, {
    period: '24h',
    generated_at: '2029-12-01T12:00:00.000Z',
    overview: {
      total_timers: 0,
      active_timers: 0,
      completed_timers: 0,
      cancelled_timers: 0,
      duration_timers: 0,
      cycle_timers: 0,
    },
    performance_metrics: {
      avg_accuracy_ms: null,
      p95_accuracy_ms: null,
      p99_accuracy_ms: null,
      timers_per_second: 0,
      total_firing_time_ms: 0,
    },
    timewheel_statistics: {
      levels_usage: ['seconds', 'minutes', 'hours', 'days', 'years'].map((name, level) => ({ level, name, timers: 0 })),
      total_slots: 609,
      used_slots: 0,
      utilization_percent: 0,
    },
    duration_distribution: { under_1m: 0, '1m_to_5m': 0, '5m_to_30m': 0, '30m_to_1h': 0, '1h_to_24h': 0, over_24h: 0 },
    cycle_analysis: { infinite_cycles: 0, limited_cycles: 0, avg_iterations_per_cycle: 0, most_common_intervals: [] },
  })
})

test('statistics tell what happened and how things are', async (t) => {
  const server = await setup(t)
  await fill(server)
  const stats = dataOf(await server.get('/stats?period=1h'))
  assert.deepEqual(stats['overview'], {
    total_timers: 9,
    active_timers: 6,
    completed_timers: 2,
    cancelled_timers: 1,
    duration_timers: 6,
    cycle_timers: 3,
  })
  assert.deepEqual(stats['duration_distribution'], {
    under_1m: 3,
    '1m_to_5m': 1,
    '5m_to_30m': 1,
    '30m_to_1h': 0,
    '1h_to_24h': 2,
    over_24h: 2,
  })
  const { levels_usage, used_slots, utilization_percent } = stats['timewheel_statistics'] as Json
  assert.deepEqual(
    (levels_usage as Json[]).map(({ timers }) => timers),
    [1, 3, 0, 1, 1],
  )
  assert.equal(used_slots, 5)
  assert.equal(utilization_percent, 0.82)
  assert.deepEqual(stats['cycle_analysis'], {
    infinite_cycles: 2,
    limited_cycles: 1,
    avg_iterations_per_cycle: 0.33,
    most_common_intervals: [
      { interval: 'PT1H', count: 2 },
      { interval: 'PT20S', count: 1 },
    ],
  })
  const { avg_accuracy_ms, p95_accuracy_ms, p99_accuracy_ms, timers_per_second } = stats['performance_metrics'] as Json
  assert.deepEqual([avg_accuracy_ms, p95_accuracy_ms, p99_accuracy_ms], [0, 0, 0])
  assert.ok((timers_per_second as number) > 0)
})

test('a period forgets what lies before it, and all time does not', async (t) => {
  const server = await setup(t)
  await fill(server)
  await server.clock.advance(30 * HOUR)
  const completed = async (query: string) =>
    (dataOf(await server.get(`/stats?${query}`))['overview'] as Json)['total_timers']
  assert.equal(await completed('period=24h'), 0)
  assert.equal(await completed('period=7d'), 9)
  assert.equal(await completed('period=all'), 9)
  assert.equal(await completed('period=all&tenant_id=other'), 1)
})

async function fill({ created, clock, remove }: Cycles): Promise<void> {
  await created({ timer_id: 'soon', duration_or_cycle: 'PT10S', callback_url: HOOK })
  await created({ timer_id: 'quiet', duration_or_cycle: 'PT15S' })
  await created({ timer_id: 'minutes', duration_or_cycle: 'PT2M', tenant_id: 'other' })
  await created({ timer_id: 'gone', duration_or_cycle: 'PT5M' })
  await created({ timer_id: 'days', duration_or_cycle: 'P3D' })
  await created({ timer_id: 'years', duration_or_cycle: 'P3Y' })
  await created({ timer_id: 'hourly', duration_or_cycle: 'R/PT1H' })
  await created({ timer_id: 'hourly-too', duration_or_cycle: 'R/PT60M' })
  await created({ timer_id: 'twice', duration_or_cycle: 'R2/PT20S' })
  await remove('gone')
  await clock.advance(21_000)
}
