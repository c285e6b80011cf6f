import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { silentLogger } from './logger.ts'
import { Metrics } from './metrics.ts'

const timerIn = (namespace: string, tenant: string | null = null) => ({ namespace, tenant })

function setup(t: TestContext) {
  const metrics = new Metrics(silentLogger())
  t.after(() => metrics.stop())
  /** The value of one series, by its exact name and labels. */
  const read = async (series: string) => {
    const line = (await metrics.render()).split('\n').find((one) => one.startsWith(`${series} `))
    return line === undefined ? undefined : Number(line.slice(series.length + 1))
  }
  return { metrics, read }
}

test('a store that cannot count its timers leaves the other metrics readable', async (t) => {
  const { metrics, read } = setup(t)
  metrics.watchTimers(() => Promise.reject(new Error('database is gone')))
  metrics.created(timerIn('a'))
  assert.equal(await read('duetime_creates_total{namespace="a"}'), 1)
  assert.doesNotMatch(await metrics.render(), /^duetime_timers\{/m)
})

test('namespaces beyond the bound share one label, so that clients cannot flood the metrics', async (t) => {
  const { metrics, read } = setup(t)
  for (let n = 0; n < 250; n++) metrics.created(timerIn(`n${n}`))
  metrics.created(timerIn('n249'))
  metrics.created(timerIn('n7'))
  metrics.watchTimers(async () => [
    { namespace: 'n7', status: 'pending', count: 1 },
    { namespace: 'n248', status: 'pending', count: 20 },
    { namespace: 'n249', status: 'pending', count: 300 },
  ])
  assert.equal(await read('duetime_creates_total{namespace="n7"}'), 2)
  assert.equal(await read('duetime_creates_total{namespace="_other"}'), 51)
  assert.equal(await read('duetime_timers{namespace="n7",status="pending"}'), 1)
  assert.equal(await read('duetime_timers{namespace="_other",status="pending"}'), 320)
  assert.equal((await metrics.render()).match(/^duetime_creates_total\{/gm)?.length, 201)
})

test('a tenant with many namespaces makes room for another one, and what it has counted is not lost', async (t) => {
  const { metrics, read } = setup(t)
  for (let n = 0; n < 250; n++) metrics.created(timerIn(`n${n}`, 'greedy'))
  metrics.fired(timerIn('n0', 'greedy'), 3)
  metrics.created(timerIn('small', 'small'))
  assert.equal(await read('duetime_creates_total{namespace="small"}'), 1)
  assert.equal(await read('duetime_creates_total{namespace="_other"}'), 51)
  assert.equal((await metrics.render()).match(/^duetime_creates_total\{/gm)?.length, 201)
})

test('lateness falls into cumulative buckets from half a millisecond to an hour', async (t) => {
  const { metrics, read } = setup(t)
  for (const ms of [0, 0.5, 0.6, 40, 3_600_000, 3_600_001]) metrics.fired(timerIn('a'), ms)
  const bucket = (le: string) => read(`duetime_lateness_seconds_bucket{namespace="a",le="${le}"}`)
  assert.deepEqual(await Promise.all(['0.0005', '0.001', '0.05', '3600', '+Inf'].map(bucket)), [2, 3, 4, 5, 6])
  assert.equal(await read('duetime_lateness_seconds_count{namespace="a"}'), 6)
  assert.equal(await read('duetime_lateness_seconds_sum{namespace="a"}'), 7_200.0421)
})

test('a shard that is handed over has no series any more', async (t) => {
  const { metrics, read } = setup(t)
  let owned = [
    { shard: 3, windowTimers: 12, inFlight: 2, lagMs: 1_500 },
    { shard: 4, windowTimers: 1, inFlight: 0, lagMs: 0 },
  ]
  metrics.watchShards(() => owned)
  assert.equal(await read('duetime_shard_window_timers{shard="3"}'), 12)
  assert.equal(await read('duetime_shard_in_flight_deliveries{shard="3"}'), 2)
  assert.equal(await read('duetime_shard_lag_seconds{shard="3"}'), 1.5)
  owned = owned.slice(1)
  assert.equal(await read('duetime_shard_lag_seconds{shard="3"}'), undefined)
  assert.equal(await read('duetime_shard_lag_seconds{shard="4"}'), 0)
})

test('deliveries are counted by what came of them', async (t) => {
  const { metrics, read } = setup(t)
  metrics.delivered(timerIn('a'), 'delivered', 12)
  metrics.delivered(timerIn('a'), 'retried', 30_000)
  metrics.delivered(timerIn('b'), 'failed', 1)
  metrics.canceled(timerIn('b'), 2)
  assert.equal(await read('duetime_deliveries_total{namespace="a",outcome="delivered"}'), 1)
  assert.equal(await read('duetime_deliveries_total{namespace="a",outcome="retried"}'), 1)
  assert.equal(await read('duetime_deliveries_total{namespace="a",outcome="failed"}'), 0)
  assert.equal(await read('duetime_deliveries_total{namespace="b",outcome="failed"}'), 1)
  assert.equal(await read('duetime_cancels_total{namespace="b"}'), 2)
  assert.equal(await read('duetime_delivery_duration_seconds_count'), 3)
  assert.equal(await read('duetime_delivery_duration_seconds_bucket{le="0.025"}'), 2)
})

test('commits are measured by size and time', async (t) => {
  const { metrics, read } = setup(t)
  metrics.committed(23, 0.4)
  assert.equal(await read('duetime_commit_puts_sum'), 23)
  assert.equal(await read('duetime_commit_duration_seconds_bucket{le="0.0005"}'), 1)
})

test('gauges are read when the metrics are, from their latest source', async (t) => {
  const { metrics, read } = setup(t)
  let waiting = 3
  metrics.watch({ commitQueueLength: () => waiting, windowTimers: () => 1 })
  metrics.watch({ windowTimers: () => 2, inFlightDeliveries: () => 4, readyDeliveries: () => 5, ownedShards: () => 6 })
  assert.equal(await read('duetime_commit_queue_length'), 3)
  waiting = 0
  assert.equal(await read('duetime_commit_queue_length'), 0)
  assert.equal(await read('duetime_window_timers'), 2)
  assert.equal(await read('duetime_in_flight_deliveries'), 4)
  assert.equal(await read('duetime_ready_deliveries'), 5)
  assert.equal(await read('duetime_owned_shards'), 6)
})

test('two scrapes at once see the same counts', async (t) => {
  const { metrics } = setup(t)
  metrics.watchTimers(async () => [{ namespace: 'a', status: 'pending', count: 3 }])
  for (const text of await Promise.all([metrics.render(), metrics.render()])) {
    assert.match(text, /^duetime_timers\{namespace="a",status="pending"\} 3$/m)
  }
})

test('the text is well-formed: each metric is described once, before its samples', async (t) => {
  const { metrics } = setup(t)
  metrics.fired(timerIn('a'), 1)
  const described = new Set<string>()
  for (const line of (await metrics.render()).split('\n').filter((one) => one !== '')) {
    const [, type] = /^# TYPE (\S+) /.exec(line) ?? []
    if (type !== undefined) {
      assert.ok(!described.has(type), type)
      described.add(type)
    } else if (!line.startsWith('#')) {
      const [, name = ''] = /^([a-zA-Z_:][\w:]*)(?:\{.*\})? \S+$/.exec(line) ?? []
      assert.ok(described.has(name) || described.has(name.replace(/_(?:bucket|sum|count)$/, '')), line)
    }
  }
  assert.ok(described.has('duetime_event_loop_lag_seconds'))
  assert.ok(described.has('process_resident_memory_bytes'))
})

test('two servers in one process count for themselves', async (t) => {
  const [one, two] = [setup(t), setup(t)]
  one.metrics.created(timerIn('a'))
  assert.equal(await one.read('duetime_creates_total{namespace="a"}'), 1)
  assert.equal(await two.read('duetime_creates_total{namespace="a"}'), undefined)
})
