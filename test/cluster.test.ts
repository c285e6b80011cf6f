// Three nodes on one PostgreSQL server, under load from the first to the last minute, while nodes are killed, frozen, cut
// off and replaced and the database is restarted. Afterwards everything that was acknowledged must have come true.
//
//   SEED=123 node --test test/cluster.test.ts

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ShardId } from '../src/core/timer/timer.ts'
import { Client } from './support/client.ts'
import { Cluster } from './support/cluster/cluster.ts'
import { ClusterClient } from './support/cluster/cluster-client.ts'
import type { ClusterNode } from './support/cluster/cluster-node.ts'
import { duplicatesPerFault, lateness } from './support/cluster/figures.ts'
import { Metronome, shardOfId } from './support/cluster/metronome.ts'
import { ReadProbe } from './support/cluster/read-probe.ts'
import { answerAsTold } from './support/crash/answering.ts'
import { checkHistory } from './support/crash/check-history.ts'
import { finalStates } from './support/crash/final-states.ts'
import { describeHistory } from './support/crash/history.ts'
import { Worker } from './support/crash/workload.ts'
import { eventually } from './support/eventually.ts'
import { startReceiver } from './support/receiver.ts'
import { SeededRandom } from './support/seeded-random.ts'

const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 31))
const LEASE_MS = 2_000
const SHARDS = 16
const WORKERS = 4
const SHOWN_VIOLATIONS = 5
const FAILOVER_MS = 30_000 // as long as a standby may take to stand in; many leases
const LEASE_WAIT = /^could not (?:hand a shard over|release a shard)/
const NOISE_MS = 10_000 // what a busy machine with few cores adds to anything; the poll and the fail-over would add more

test(
  'what a cluster acknowledged comes true, whatever happens to nodes, network and database',
  { timeout: 600_000 },
  async (t) => {
    console.log(`cluster test: seed ${SEED}`)
    const random = new SeededRandom(SEED)
    const receiver = await startReceiver(t, answerAsTold())
    // Receivers here put timers off by less than the floor that there is by default.
    const env = { LEASE: `${LEASE_MS}ms`, SHARDS: String(SHARDS), PG_STATEMENT_TIMEOUT: '2s', RESCHEDULE_MIN: '1ms' }
    const cluster = await Cluster.start(t, { nodes: 3, env })
    const client = new ClusterClient(() => cluster.someNode(random))
    const workers = Array.from({ length: WORKERS }, (_, n) => {
      return new Worker({
        name: `w${n}`,
        random: random.fork(),
        client,
        callbackUrl: receiver.url,
        serviceUp: async () => {},
      })
    })
    const probe = new ReadProbe({ client, random: random.fork(), callbackUrl: receiver.url })
    const metronome = new Metronome({ client, shards: SHARDS })
    await metronome.start(receiver.url)
    const working = Promise.all([...workers, probe].map((one) => one.run()))
    const timers = () => new Map(workers.flatMap((worker) => worker.timers).map((timer) => [timer.id, timer]))
    const latenessSince = (since: number) => lateness(receiver.deliveries, timers(), since, Date.now() - 500)
    const [a, b, c] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode]
    const report = (what: string, figures: unknown) => console.log(`cluster test: ${what}: ${JSON.stringify(figures)}`)

    /** Hand-overs that failed, so that the next owner had to wait for a lease. How late a machine that does much else is shows nothing. */
    const leaseWaits = () =>
      cluster.nodes.flatMap(({ lives }) => lives.flatMap(({ logs }) => logs)).filter(({ msg }) => LEASE_WAIT.test(msg))
    const shardsOf = async (node: ClusterNode) =>
      (await node.view()).shards.filter(({ own }) => own !== null).map(({ shard }) => shard)
    /** Every shard fires again; how long after `since` each did. */
    const resumed = async (ids: readonly number[], since: number): Promise<number[]> => {
      const ask = () => {
        const waited = metronome.resumedAfter(receiver.deliveries, ids, since)
        return waited.every((ms) => ms !== null) && waited
      }
      return eventually('every shard fires again', ask, { withinMs: 60_000 })
    }
    const assertResumed = (name: string, waited: readonly number[]) => {
      report(`${name}, each shard fired again after ms`, waited)
      assert.ok(Math.max(...waited) < LEASE_MS + 2_000 + NOISE_MS, `${Math.max(...waited)} ms without firing`)
    }

    await t.test(
      'at rest, shards are balanced within one, clocks are compared, and timers are on the dot',
      async () => {
        report('shards per node', await cluster.balanced())
        for (const { clockSkewMs } of (await a.view()).nodes) assert.ok(Math.abs(clockSkewMs) < 1_000)
        const since = Date.now()
        await sleep(5_000)
        report('lateness at rest', latenessSince(since))
      },
    )

    await t.test('a rolling restart delays nobody', async () => {
      const since = Date.now()
      const before = receiver.deliveries.length
      const handOvers: { from: number; to: number }[] = []
      for (const node of [a, b, c]) {
        await cluster.fault('rolling restart', async () => {
          const from = Date.now()
          assert.deepEqual(await node.stop(), { code: 0, signal: null })
          handOvers.push({ from, to: Date.now() })
          await node.start()
          await cluster.balanced()
        })
      }
      await sleep(1_000)
      const rolling = latenessSince(since)
      report('lateness in a rolling restart', { ...rolling, deliveries: receiver.deliveries.length - before })
      for (const { from, to } of handOvers) {
        report(
          `lateness while a node leaves, which took ${to - from} ms`,
          lateness(receiver.deliveries, timers(), from, to),
        )
      }
      assert.deepEqual(leaseWaits(), [])
    })

    await t.test('after kill -9, its timers fire within the lease and two seconds', async () => {
      const ids = await shardsOf(b)
      const since = Date.now()
      await cluster.fault('kill -9', async () => {
        await b.kill()
        assertResumed('kill -9', await resumed(ids, since))
      })
      report('shards per node', await cluster.balanced())
    })

    await t.test(
      'when the database is restarted soon after a node died, the others lose nothing of what they have',
      async () => {
        const ids = Array.from({ length: SHARDS }, (_, shard) => shard)
        await cluster.fault('fast restart of PostgreSQL, a node being dead', async () => {
          await cluster.restartPostgres('fast', { downMs: LEASE_MS })
          const waited = await resumed(ids, Date.now())
          await b.start()
          report('shards per node', await cluster.balanced())
          assertResumed('restart of PostgreSQL, a node being dead', waited)
        })
      },
    )

    await t.test('a node that was frozen for longer than its lease does no harm when it wakes up', async () => {
      const ids = await shardsOf(c)
      const since = Date.now()
      await cluster.fault('SIGSTOP', async () => {
        c.freeze()
        await sleep(2 * LEASE_MS)
        const waited = await resumed(ids, since)
        c.thaw()
        await eventually('it is ready', () => c.isReady())
        c.inService = true
        report('shards per node', await cluster.balanced())
        assertResumed('SIGSTOP', waited)
      })
    })

    for (const how of ['fast', 'immediate'] as const) {
      await t.test(`after a restart of PostgreSQL (${how}) every shard goes on where it was`, async () => {
        const ids = Array.from({ length: SHARDS }, (_, shard) => shard)
        const owners = (await a.view()).shards
        await cluster.fault(`${how} restart of PostgreSQL`, async () => {
          await cluster.restartPostgres(how, { downMs: how === 'fast' ? 300 : FAILOVER_MS })
          assertResumed(`${how} restart of PostgreSQL`, await resumed(ids, Date.now()))
        })
        await cluster.balanced()
        const moved = (await a.view()).shards.filter(({ epoch }, shard) => epoch !== owners[shard]!.epoch).length
        report('shards that moved', moved)
        await cluster.caughtUp() // else the next fault would answer for what came due in this one
      })
    }

    await t.test('nodes come and go, and timers do not notice', async () => {
      const since = Date.now()
      const waitsBefore = leaseWaits().length
      await cluster.fault('a node joins', async () => {
        await cluster.add()
        report('shards per node', await cluster.balanced())
      })
      await sleep(500)
      await cluster.fault('a node leaves', async () => {
        assert.deepEqual(await a.stop(), { code: 0, signal: null })
        report('shards per node', await cluster.balanced())
      })
      await sleep(1_000)
      const moving = latenessSince(since)
      report('lateness while a node joins and another leaves', moving)
      assert.deepEqual(leaseWaits().slice(waitsBefore), [])
      await cluster.fault('a node comes back', async () => {
        await a.start()
        await cluster.balanced()
      })
    })

    for (const how of ['cut', 'silence'] as const) {
      await t.test(`a node without a way to the database (${how}) says so, and others do its work`, async () => {
        const ids = await shardsOf(b)
        const since = Date.now()
        await cluster.fault(`${how} between a node and the database`, async () => {
          b.toDatabase[how]()
          b.inService = false
          const direct = new Client(() => b)
          const own = { timerId: probe.ids.find((id) => ids.includes(shardOfId(id, SHARDS) as ShardId))! }
          const waited = resumed(ids, since + LEASE_MS / 2)
          const [read, write, ready] = await Promise.all([direct.get(own), direct.pause(own), b.isReady()])
          report('answered without the database after ms', Date.now() - since)
          await waited
          await b.toDatabase.restore()
          assert.equal(read.type === 'refused' && read.status, 503)
          assert.equal(write.type === 'refused' && write.status, 503, JSON.stringify(write))
          assert.equal(ready, false)
          await eventually('it is ready', () => b.isReady())
          b.inService = true
          report('shards per node', await cluster.balanced())
        })
      })

      await t.test(
        `a node that the others cannot reach (${how}) goes on firing, and requests for its timers wait`,
        async () => {
          const since = Date.now()
          await cluster.fault(`${how} between nodes`, async () => {
            c.fromPeers[how]()
            await sleep(LEASE_MS)
            await c.fromPeers.restore()
          })
          report('lateness', latenessSince(since))
          await cluster.balanced()
        },
      )
    }

    await t.test('a node that is told to stop while the database does not answer, stops', async () => {
      const last = cluster.nodes.at(-1)!
      await cluster.fault('stop without the database', async () => {
        last.toDatabase.silence()
        const since = Date.now()
        // By itself: in order with 0, or with 1 when it had to give up waiting for the database.
        assert.match(JSON.stringify(await last.stop()), /^{"code":[01],"signal":null}$/)
        report('stopped without the database after ms', Date.now() - since)
        await cluster.balanced()
      })
    })

    await t.test('everything that was acknowledged came true', async () => {
      for (const one of [...workers, probe]) one.finish()
      await working
      await metronome.stop()
      const all = [...timers().values()]
      const ids = all.map(({ id }) => id)
      const finals = await finalStates(ids, client)
      const lastDueAt = Math.max(...all.flatMap(({ operations }) => operations.map(({ dueAt }) => dueAt ?? 0)))
      await eventually('the last due time is over', () => Date.now() > lastDueAt + 500)
      const byTimer = Map.groupBy(receiver.deliveries, ({ timerId }) => timerId)
      const histories = all.map(({ id, operations }) => {
        return { id, operations, deliveries: byTimer.get(id) ?? [], final: finals.get(id) ?? null }
      })
      const verdicts = histories.map((history) => ({
        history,
        violations: checkHistory(history, cluster.faults).violations,
      }))
      const outcomes = Map.groupBy(
        all.flatMap(({ operations }) => operations),
        ({ outcome }) => outcome,
      )
      report(
        'operations',
        Object.fromEntries(outcomes.entries().map(([outcome, operations]) => [outcome, operations.length])),
      )
      report('timers, deliveries, reads', [all.length, receiver.deliveries.length, probe.reads])
      const duplicates = duplicatesPerFault(receiver.deliveries, cluster.faults)
      report('duplicates', Object.fromEntries(duplicates))

      const guilty = verdicts.filter(({ violations }) => violations.length > 0)
      for (const { history, violations } of guilty.slice(0, SHOWN_VIOLATIONS)) {
        console.log(
          `\nVIOLATION\n${violations.map((text) => `  ! ${text}`).join('\n')}\n${describeHistory(history, cluster.faults)}`,
        )
      }
      if (guilty.length > 0 || process.env['COMPLAINTS'] !== undefined)
        console.log('the nodes complained', cluster.complaints())
      assert.equal(guilty.length, 0, `${guilty.length} timers broke a promise; run again with SEED=${SEED}`)
      // What is in flight while a shard moves from one living node to another goes on where it is.
      for (const name of ['rolling restart', 'a node joins', 'a node leaves', 'a node comes back'])
        assert.equal(duplicates.get(name), 0, name)
      assert.deepEqual(probe.violations, [])
      assert.deepEqual(metronome.violations(receiver.deliveries), [])
    })
  },
)
