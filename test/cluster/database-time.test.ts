// What nodes make of a database whose clock is wrong, or that went back in time: it was failed over to a standby that had not
// received the last claims, or restored. Engines of this process on a real PostgreSQL server, each with its own connections.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import type { DeliveryOutcome, Firing } from '../../src/core/timer/delivery.ts'
import type { PostgresLocation } from '../../src/runtime/config/databases/postgres.ts'
import type { ShardId } from '../../src/core/timer/timer.ts'
import { shardOf } from '../../src/core/timer/ids.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { Neighbours } from '../../src/engine/cluster/handover.ts'
import { testEngine } from '../../src/engine/test-engine.fixture.ts'
import { systemClock } from '../../src/runtime/clock/clock.ts'
import { silentLogger } from '../../src/runtime/telemetry/logger.ts'
import type { Logger } from '../../src/runtime/telemetry/logger.ts'
import { StoreError } from '../../src/store/store.ts'
import type { Store } from '../../src/store/store.ts'
import { PostgresServer } from '../../src/store/postgres/postgres-server.fixture.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { createCommand, name, OK } from '../promises/node-fixture.ts'
import { eventually } from '../support/eventually.ts'

const LEASE_MS = 2_000
const SHARDS = 4
const ALL_SHARDS = Array.from({ length: SHARDS }, (_, shard) => shard as ShardId)
const TIMERS = 40

let server: PostgresServer
before(async () => {
  server = await PostgresServer.start()
})
after(() => server.stop())

class Node {
  readonly name: string
  readonly engine: Engine
  readonly store: Store
  readonly errors: string[] = []
  beats = 0
  isDead = false
  /** What a dead node has asked for is answered when the test is over, by an error. */
  readonly #buried = Promise.withResolvers<never>()

  constructor(own: string, store: Store, nodes: Map<string, Node>, fired: Firing[]) {
    this.name = own
    this.store = store
    const deliver = async (firing: Firing): Promise<DeliveryOutcome> => {
      if (this.isDead) return this.#buried.promise
      fired.push(firing)
      return OK
    }
    this.engine = testEngine({
      store: this.#connection(store),
      clock: systemClock,
      targets: [{ type: 'http', destinationOf: () => 'x', deliver, close: async () => {} }],
      logger: Object.assign(Object.create(silentLogger()) as Logger, {
        error: (_: unknown, text: string) => this.errors.push(text),
      }),
      node: own,
      cluster: { address: () => own, leaseMs: LEASE_MS, neighbours: neighboursOf(nodes) },
    })
  }

  async stop(): Promise<void> {
    this.#buried.promise.catch(() => {})
    this.#buried.reject(new StoreError('the node is dead'))
    await this.engine.stop(0)
    await this.store.close()
  }

  get owned(): number {
    return this.engine.gauges().ownedShards
  }

  owns(shard: ShardId): boolean {
    return this.engine.shardGauges().some((one) => one.shard === shard)
  }

  #connection(store: Store): Store {
    return new Proxy(store, {
      get: (target, key: keyof Store) => {
        const value = target[key] as unknown
        if (typeof value !== 'function') return value
        return async (...args: unknown[]): Promise<unknown> => {
          const answer = this.isDead ? await this.#buried.promise : ((await value.apply(target, args)) as unknown)
          if (key === 'beat') this.beats++
          return answer
        }
      },
    })
  }
}

function neighboursOf(nodes: Map<string, Node>): Neighbours {
  const reach = (address: string): Engine => {
    const node = nodes.get(address)
    if (node === undefined || node.isDead) throw new Error('connection refused')
    return node.engine
  }
  return {
    notify: (address) => void nodes.get(address)?.engine.lookNow(),
    prepare: async ({ node, address }, shards) => reach(address).prepare({ node, shards }),
    moved: async (address, moved) => reach(address).accept(moved),
    report: async (address, report) => reach(address).acceptReport(report),
  }
}

async function setup(t: TestContext) {
  const location: PostgresLocation = await server.createDatabase()
  const nodes = new Map<string, Node>()
  const fired: Firing[] = []
  const start = async (own: string): Promise<Node> => {
    const store = await openPostgresStore({ ...location, shards: SHARDS })
    const node = new Node(own, store, nodes, fired)
    nodes.set(own, node)
    t.after(() => node.stop())
    await node.engine.start()
    return node
  }
  const sql = (text: string) => server.sql(text, location.database)
  /** From now on the beats of this node are stored as if the clock of the database were off by so much when they come. */
  const shiftBeats = async (own: string, ms: number) => {
    await sql(
      `CREATE FUNCTION shift_beat () RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.node_beat_at := NEW.node_beat_at + ${ms}; RETURN NEW; END $$`,
    )
    await sql(
      `CREATE TRIGGER shift_beat BEFORE INSERT OR UPDATE ON timer_nodes FOR EACH ROW WHEN (NEW.node_id = '${own}') EXECUTE FUNCTION shift_beat()`,
    )
  }
  /** Shards 0 and 1 are as they were before their last claim. */
  const forgetClaims = () =>
    sql(`UPDATE timers SET shard_epoch = shard_epoch - 1, shard_owner = NULL WHERE row_type = 1 AND shard_id < 2`)
  const ids = () => fired.map(({ timer }) => timer.id)
  return { start, sql, shiftBeats, forgetClaims, ids }
}

const timerIds = Array.from({ length: TIMERS }, (_, index) => `t${index}`)
const createAll = (node: Node, schedule: string) =>
  Promise.all(timerIds.map((id) => node.engine.execute(createCommand(id, schedule))))

test(
  'a node whose beats look old by the clock of the database is not taken for dead',
  { timeout: 60_000 },
  async (t) => {
    const { start, sql, shiftBeats } = await setup(t)
    const [a, b] = [await start('a'), await start('b')]
    await eventually('each has its share', () => a.owned === SHARDS / 2 && b.owned === SHARDS / 2)
    const rows = () => sql('SELECT shard_id, shard_epoch, shard_owner FROM timers WHERE row_type = 1 ORDER BY 1')
    const owners = await rows()
    await shiftBeats('a', -60_000)
    const beaten = b.beats + 10
    await eventually('b has looked for two leases', () => b.beats >= beaten)
    assert.deepEqual(await rows(), owners)
    assert.deepEqual([a.owned, b.owned], [SHARDS / 2, SHARDS / 2])
  },
)

test(
  'a node that died is replaced, also when its beats lie in the future by the clock of the database',
  { timeout: 60_000 },
  async (t) => {
    const { start, shiftBeats } = await setup(t)
    const [a, b] = [await start('a'), await start('b')]
    await eventually('each has its share', () => a.owned === SHARDS / 2 && b.owned === SHARDS / 2)
    await shiftBeats('b', 3_600_000)
    const beaten = b.beats + 2
    await eventually('b has beaten', () => b.beats >= beaten)
    b.isDead = true
    await eventually('a has everything', () => a.owned === SHARDS)
  },
)

test(
  'a node whose claims the database has forgotten says so, claims again, and its timers fire',
  { timeout: 60_000 },
  async (t) => {
    const { start, forgetClaims, ids } = await setup(t)
    const first = await start('first')
    await first.engine.stop(0)
    const a = await start('a')
    await createAll(a, 'PT3S')
    await forgetClaims()
    await eventually(
      'all timers have fired, and that is stored',
      async () => {
        const { counts } = await a.store.stats()
        return counts.every(({ status, count }) => count === (status === 'completed' ? TIMERS : 0)) && counts.length > 0
      },
      { withinMs: 20_000 },
    )
    assert.deepEqual(new Set(ids()), new Set(timerIds))
    assert.equal(a.owned, SHARDS)
    assert.equal(a.engine.gauges().forgottenClaims, 2)
    assert.equal(a.errors.filter((text) => text.startsWith('the database has forgotten')).length, 1)
  },
)

test(
  'two nodes that claim what the database has forgotten never both have a shard for longer than a beat, and cancels stay final',
  { timeout: 60_000 },
  async (t) => {
    const { start, sql, forgetClaims, ids } = await setup(t)
    const first = await start('first')
    await first.engine.stop(0)
    const a = await start('a')
    await createAll(a, 'PT10S')
    await forgetClaims()
    const b = await start('b')
    await eventually('every shard has one owner', async () => {
      const rows = await sql('SELECT shard_id, shard_owner FROM timers WHERE row_type = 1 ORDER BY 1')
      const named = rows.map((row) =>
        [a, b]
          .filter((node) => node.owns(row['shard_id'] as ShardId))
          .map((node) => node.name)
          .join(),
      )
      return ALL_SHARDS.every((shard) => named[shard] === rows[shard]!['shard_owner']) && a.owned === b.owned
    })
    const canceled = timerIds.filter((_, index) => index % 2 === 0)
    for (const id of canceled) {
      const owner = [a, b].find((node) => node.owns(shardOf(name(id).uuid, SHARDS)))!
      await owner.engine.execute({ type: 'cancel', ...name(id), ifVersion: null })
    }
    await eventually('the others have fired', () => new Set(ids()).size === TIMERS - canceled.length, {
      withinMs: 20_000,
    })
    assert.deepEqual(
      ids().filter((id) => canceled.includes(id)),
      [],
    )
    assert.equal(ids().length, TIMERS - canceled.length)
  },
)
