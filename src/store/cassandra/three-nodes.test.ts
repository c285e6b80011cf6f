// Three nodes of the database with three replicas: one is killed, one is frozen, and for a while two are away. What was
// acknowledged stays, the counters are those of the rows, and with a majority it goes on.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onServer } from '../../../scripts/servers/server.fixture.ts'
import type { Epoch, ShardId, TimerId } from '../../core/timer/timer.ts'
import { partOf } from '../commit-sheet.ts'
import { absent, claimed, countsOf, OWNER } from '../conformance/owned-store.ts'
import { sampleTimer } from '../conformance/sample-timer.ts'
import { StoreError } from '../store.ts'
import type { Store } from '../store.ts'
import { emptyKeyspace } from './cassandra-server.fixture.ts'
import { openCassandraStore } from './cassandra-store.ts'

const SHARDS = [0, 1, 2, 3] as ShardId[]
const COMMITS = 10 // of each shard, between faults
const [, SECOND, THIRD] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const

/** Writes to every shard until it is told to stop, whatever fails. */
class Writers {
  readonly written: string[] = []
  readonly failures: unknown[] = []
  readonly #store: Store
  readonly #epochs: readonly Epoch[]
  readonly #running: Promise<void>[]
  readonly #counts = SHARDS.map(() => 0)
  #isOver = false
  #progress = Promise.withResolvers<void>()

  constructor(store: Store, epochs: readonly Epoch[]) {
    this.#store = store
    this.#epochs = epochs
    this.#running = SHARDS.map((shard) => this.#run(shard))
  }

  /** When every shard has got so many more. */
  async goOn(): Promise<void> {
    const goals = this.#counts.map((count) => count + COMMITS)
    while (!this.#counts.every((count, n) => count >= goals[n]!)) await this.#progress.promise
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#running)
  }

  async #run(shard: ShardId): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const id = `${shard}-${n}` as TimerId
      const part = partOf({ shard, epoch: this.#epochs[shard]!, owner: OWNER }, [absent(sampleTimer({ id }))])
      try {
        const [result] = await this.#store.commit([part])
        assert.equal(result!.type, 'written')
        this.written.push(id)
        this.#counts[shard]!++
        this.#progress.resolve()
        this.#progress = Promise.withResolvers()
      } catch (error) {
        this.failures.push(error)
      }
    }
  }
}

onServer('cassandra-3', (server) => {
  test('nodes of the database die and freeze, and nothing is lost', { timeout: 600_000 }, async (t) => {
    const store = await openCassandraStore(await emptyKeyspace(server()))
    t.after(() => store.close())
    const epochs = await Promise.all(SHARDS.map((shard) => claimed(store, shard)))
    const writers = new Writers(store, epochs)
    t.after(() => writers.end()) // else they would go on when something has failed
    await writers.goOn()

    await server().endOne(SECOND, 'SIGKILL')
    await writers.goOn()
    assert.equal(
      writers.failures.length,
      0,
      `a commit failed although two of three nodes were there: ${String(writers.failures[0])}`,
    )

    await server().endOne(THIRD, 'SIGKILL')
    const beat = { node: 'n', address: null, leaving: false, beat: 1, now: 1 }
    await assert.rejects(store.beat(beat), StoreError)

    await server().startMissing()
    await writers.goOn()
    server().freezeOne(SECOND, true)
    await writers.goOn()
    server().freezeOne(SECOND, false)
    await writers.goOn()
    await writers.end()

    const there = await Promise.all(
      SHARDS.map((shard) => store.due({ shard, after: null, until: sampleTimer().wakeAt, limit: 100_000 })),
    )
    const ids = new Set<string>(there.flat().map(({ id }) => id))
    assert.deepEqual(
      writers.written.filter((id) => !ids.has(id)),
      [],
    )
    assert.deepEqual(await countsOf(store), [`default pending ${ids.size}`])
    for (const error of writers.failures) assert(error instanceof StoreError, String(error))
  })
})
