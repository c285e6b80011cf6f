// Three nodes on one database server, under load from beginning to end, while a test file does something to them.
// Afterwards everything that was acknowledged must have come true. The same seed makes the same load.
//
//   SEED=123 node --test test/cluster/database-restarts.test.ts

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'
import { answerAsTold } from '../crash/answering.ts'
import { checkHistory } from '../crash/check-history.ts'
import { finalStates } from '../crash/final-states.ts'
import { describeHistory } from '../crash/history.ts'
import { Worker } from '../crash/workload.ts'
import { eventually } from '../eventually.ts'
import { startReceiver } from '../receiver.ts'
import { SeededRandom } from '../seeded-random.ts'
import { ClusterClient } from './cluster-client.ts'
import { PostgresDatabase } from './cluster-database.ts'
import type { ClusterDatabase } from './cluster-database.ts'
import type { ClusterNode } from './cluster-node.ts'
import { Cluster } from './cluster.ts'
import { duplicatesPerFault, lateness } from './figures.ts'
import { Metronome } from './metronome.ts'
import { ReadProbe } from './read-probe.ts'

const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 31))
const LEASE_MS = 2_000
export const SHARDS = 16
const WORKERS = 4
const SHOWN_VIOLATIONS = 5
const LEASE_WAIT = /^could not (?:hand a shard over|release a shard)/
const NOISE_MS = 10_000 // what a busy machine with few cores adds to anything; the poll and the fail-over would add more

type Receiver = Awaited<ReturnType<typeof startReceiver>>

export type TrialOptions = {
  readonly database?: ClusterDatabase
  /** Longer where the database needs more time for a heartbeat on a busy machine. */
  readonly leaseMs?: number
  /** Less where the server that stands for the database is far slower than the database. */
  readonly shards?: number
  readonly workers?: number
}

export class ClusterTrial {
  readonly leaseMs: number
  readonly shards: number
  readonly cluster: Cluster
  readonly client: ClusterClient
  readonly probe: ReadProbe
  readonly #receiver: Receiver
  readonly #workers: readonly Worker[]
  readonly #metronome: Metronome
  readonly #working: Promise<unknown>

  /** On PostgreSQL unless there is another database. */
  static async start(t: TestContext, options: TrialOptions = {}): Promise<ClusterTrial> {
    const {
      database = await PostgresDatabase.start(t),
      leaseMs = LEASE_MS,
      shards = SHARDS,
      workers = WORKERS,
    } = options
    console.log(`cluster test on ${database.name}: seed ${SEED}`)
    const random = new SeededRandom(SEED)
    const receiver = await startReceiver(t, answerAsTold())
    // Receivers here put timers off by less than the floor that there is by default.
    const env = { LEASE: `${leaseMs}ms`, SHARDS: String(shards), RESCHEDULE_MIN: '1ms', ...database.impatience }
    const cluster = await Cluster.start(t, { nodes: 3, env, database })
    const client = new ClusterClient(() => cluster.someNode(random))
    const metronome = new Metronome({ client, shards })
    await metronome.start(receiver.url)
    return new ClusterTrial({ cluster, client, receiver, metronome, random, leaseMs, shards, workers })
  }

  private constructor(parts: {
    readonly cluster: Cluster
    readonly client: ClusterClient
    readonly receiver: Receiver
    readonly metronome: Metronome
    readonly random: SeededRandom
    readonly leaseMs: number
    readonly shards: number
    readonly workers: number
  }) {
    const { cluster, client, receiver, metronome, random } = parts
    this.leaseMs = parts.leaseMs
    this.shards = parts.shards
    this.cluster = cluster
    this.client = client
    this.#receiver = receiver
    this.#metronome = metronome
    this.#workers = Array.from({ length: parts.workers }, (_, n) => {
      return new Worker({
        name: `w${n}`,
        random: random.fork(),
        client,
        callbackUrl: receiver.url,
        serviceUp: async () => {},
      })
    })
    this.probe = new ReadProbe({ client, random: random.fork(), callbackUrl: receiver.url })
    this.#working = Promise.all([...this.#workers, this.probe].map((one) => one.run()))
  }

  get nodes(): [ClusterNode, ClusterNode, ClusterNode] {
    return this.cluster.nodes as [ClusterNode, ClusterNode, ClusterNode]
  }

  get deliveries(): Receiver['deliveries'] {
    return this.#receiver.deliveries
  }

  report(what: string, figures: unknown): void {
    console.log(`cluster test: ${what}: ${JSON.stringify(figures)}`)
  }

  async reportBalance(): Promise<void> {
    this.report('shards per node', await this.cluster.balanced())
  }

  lateness(since: number, until = Date.now() - 500) {
    return lateness(this.deliveries, this.#timers(), since, until)
  }

  /** Handovers that failed, so that the next owner had to wait for a lease. How late a machine that does much else is shows nothing. */
  leaseWaits() {
    const logs = this.cluster.nodes.flatMap(({ lives }) => lives.flatMap((life) => life.logs))
    return logs.filter(({ msg }) => LEASE_WAIT.test(msg))
  }

  async shardsOf(node: ClusterNode): Promise<number[]> {
    return (await node.view()).shards.filter(({ own }) => own !== null).map(({ shard }) => shard)
  }

  allShards(): number[] {
    return Array.from({ length: this.shards }, (_, shard) => shard)
  }

  /** Every shard fires again; how long after `since` each did. */
  async resumed(shards: readonly number[], since: number): Promise<number[]> {
    const ask = () => {
      const waited = this.#metronome.resumedAfter(this.deliveries, shards, since)
      return waited.every((ms) => ms !== null) && waited
    }
    return eventually('every shard fires again', ask, { withinMs: 60_000 })
  }

  assertResumed(name: string, waited: readonly number[]): void {
    this.report(`${name}, each shard fired again after ms`, waited)
    assert.ok(Math.max(...waited) < this.leaseMs + 2_000 + NOISE_MS, `${Math.max(...waited)} ms without firing`)
  }

  /** Ends the load, and fails when one timer broke a promise. Deliveries per fault that came twice. */
  async verdict(): Promise<ReadonlyMap<string, number>> {
    for (const one of [...this.#workers, this.probe]) one.finish()
    await this.#working
    await this.#metronome.stop()
    const all = [...this.#timers().values()]
    const operations = all.flatMap((timer) => timer.operations)
    const lastDueAt = Math.max(...operations.map(({ dueAt }) => dueAt ?? 0))
    const finals = await finalStates(
      all.map(({ id }) => id),
      this.client,
    )
    await eventually('the last due time is over', () => Date.now() > lastDueAt + 500)
    const byTimer = Map.groupBy(this.deliveries, ({ timerId }) => timerId)
    const { faults } = this.cluster
    const guilty = all
      .map(({ id, operations: own }) => {
        const history = { id, operations: own, deliveries: byTimer.get(id) ?? [], final: finals.get(id) ?? null }
        return { history, violations: checkHistory(history, faults).violations }
      })
      .filter(({ violations }) => violations.length > 0)

    const outcomes = Map.groupBy(operations, ({ outcome }) => outcome)
    this.report('operations', Object.fromEntries(outcomes.entries().map(([outcome, some]) => [outcome, some.length])))
    this.report('timers, deliveries, reads', [all.length, this.deliveries.length, this.probe.reads])
    const duplicates = duplicatesPerFault(this.deliveries, faults)
    this.report('duplicates', Object.fromEntries(duplicates))
    for (const { history, violations } of guilty.slice(0, SHOWN_VIOLATIONS)) {
      const lines = violations.map((text) => `  ! ${text}`).join('\n')
      console.log(`\nVIOLATION\n${lines}\n${describeHistory(history, faults)}`)
    }
    if (guilty.length > 0 || process.env['COMPLAINTS'] !== undefined)
      console.log('the nodes complained', this.cluster.complaints())
    assert.equal(guilty.length, 0, `${guilty.length} timers broke a promise; run again with SEED=${SEED}`)
    assert.deepEqual(this.probe.violations, [])
    assert.deepEqual(this.#metronome.violations(this.deliveries), [])
    return duplicates
  }

  #timers() {
    return new Map(this.#workers.flatMap((worker) => worker.timers).map((timer) => [timer.id, timer]))
  }
}
