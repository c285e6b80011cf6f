// Three nodes on one PostgreSQL server are restarted one after the other while timers come due all the time, in every
// shard. Nobody may notice: no delivery is made twice, also not one that is in flight at that moment, and no timer is late
// because its shard moved. How late each was is printed. A busy machine makes everything late, so only who asks for it has
// it judged, where nothing else runs: ADDED_MS_MAX=250 node --test test/cluster/rolling-restart.test.ts

import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanUp } from '../support/cleanup.ts'
import { Cluster } from '../support/cluster/cluster.ts'
import type { ClusterNode } from '../support/cluster/cluster-node.ts'
import { eventually } from '../support/eventually.ts'
import { OK, startReceiver } from '../support/receiver.ts'
import type { Delivery } from '../support/receiver.ts'

const SHARDS = 64
const PER_SECOND = 100
const LASTING_MS = 45_000
const LEAD_MS = 5_000
const CALM_MS = 4_000
const SLOW_EVERY = 10 // one timer in so many has a receiver that takes its time
const SLOW_MS = 700
const ADDED_MS_MAX = Number(process.env['ADDED_MS_MAX'] ?? Infinity)
const PER_BATCH = 500

/** `strainMs`: how late the machine made this process, which has little to do, in the meantime. */
type Span = { readonly name: string; readonly from: number; readonly to: number; readonly strainMs: number }

test(
  'a rolling restart repeats no delivery, and adds no more lateness to any timer than was asked for',
  { timeout: 600_000 },
  async (t) => {
    const receiver = await startReceiver(t, async ({ body }) => {
      if (body.payload === 'slow') await sleep(SLOW_MS)
      return OK
    })
    const cluster = await Cluster.start(t, { nodes: 3, env: { SHARDS: String(SHARDS) } })
    await cluster.balanced()
    const startsAt = Date.now() + LEAD_MS
    const ids = await createTimers(cluster.nodes[0]!.url, receiver.url, startsAt)
    await sleep(startsAt - Date.now())
    const strain = monitorEventLoopDelay({ resolution: 5 })
    strain.enable()
    cleanUp(t, () => strain.disable())
    const spans: Span[] = []
    const during = async (name: string, act: () => Promise<unknown>) => {
      strain.reset()
      const from = Date.now()
      await act()
      spans.push({ name, from, to: Date.now(), strainMs: Math.round(strain.max / 1e6) })
    }
    await during('at rest', () => sleep(CALM_MS))

    for (const node of cluster.nodes) {
      await during(`${node.name} leaves`, async () => assert.deepEqual(await node.stop(), { code: 0, signal: null }))
      await during(`${node.name} starts and gets its share`, async () => {
        await node.start()
        await cluster.balanced()
      })
      for (const { to, shards, deliveries, prepareMs, storeMs, tellMs } of handovers(cluster.nodes)) {
        const steps = { to: nodeName(String(to)), shards, deliveries, prepareMs, storeMs, tellMs }
        console.log(`rolling restart: handed over: ${JSON.stringify(steps)}`)
      }
    }
    // A machine that does much else starts processes slowly; what was due meanwhile still shows what it can.
    if (Date.now() > startsAt + LASTING_MS)
      console.log('rolling restart: it took longer than there were timers to show it')
    await during('afterwards', () => {
      return eventually('every timer was delivered', () => receiver.deliveries.length >= ids.size, {
        withinMs: LASTING_MS + 20_000,
      })
    })
    const figures = spans.map((span) => ({ ...span, ...latenessIn(span, receiver.deliveries) }))
    for (const { name, from, to, firings, p50, p99, max, strainMs } of figures) {
      console.log(`rolling restart: ${name} (${to - from} ms): ${JSON.stringify({ firings, p50, p99, max, strainMs })}`)
    }
    const repeated = receiver.deliveries.length - ids.size
    console.log(
      `rolling restart: ${receiver.deliveries.length} deliveries of ${ids.size} timers, ${repeated} made again`,
    )
    assert.deepEqual(new Set(receiver.deliveries.map(({ timerId }) => timerId)), ids)
    assert.equal(repeated, 0)
    const calmMs = figures[0]!.max
    for (const { name, max } of figures)
      assert.ok(max <= calmMs + ADDED_MS_MAX, `${name}: ${max} ms late, against ${calmMs} ms at rest`)
  },
)

async function createTimers(url: string, callbackUrl: string, startsAt: number): Promise<Set<string>> {
  const timers = Array.from({ length: (PER_SECOND * LASTING_MS) / 1_000 }, (_, index) => ({
    id: `r${index}`,
    executeAt: new Date(startsAt + (index * 1_000) / PER_SECOND).toISOString(),
    callbackUrl,
    payload: index % SLOW_EVERY === 0 ? 'slow' : 'prompt',
  }))
  for (let at = 0; at < timers.length; at += PER_BATCH) {
    const body = JSON.stringify({ timers: timers.slice(at, at + PER_BATCH) })
    const response = await fetch(`${url}/api/v1/timers/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    assert.equal(response.status, 200, await response.text())
  }
  return new Set(timers.map(({ id }) => id))
}

function latenessIn({ from, to }: Span, deliveries: readonly Delivery[]) {
  const late = deliveries
    .filter(({ dueAt }) => dueAt >= from && dueAt < to)
    .map(({ firedAt, dueAt }) => firedAt - dueAt)
    .toSorted((a, b) => a - b)
  const at = (share: number) => late[Math.min(late.length - 1, Math.floor(share * late.length))] ?? 0
  return { firings: late.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

const shown = new Set<object>()

/** What the nodes logged about handovers since this was last asked. */
function handovers(nodes: readonly ClusterNode[]) {
  const records = nodes.flatMap(({ lives }) => lives.flatMap(({ logs }) => logs))
  const fresh = records.filter((record) => record.msg === 'handed shards over' && !shown.has(record))
  for (const record of fresh) shown.add(record)
  return fresh
}

/** A node's name ends in what tells one run of it from another. */
function nodeName(name: string): string {
  return name.split(':').slice(-2).join(':')
}
