// What an idle node asks of its database: a beat, now and then one look for what it may have missed, and little else.
// Beats and looks are made five times as often as usual, so that a minute of them takes twelve seconds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PostgresServer } from '../src/store/postgres/postgres-server.fixture.ts'
import { cleanUp } from './support/cleanup.ts'
import { eventually } from './support/eventually.ts'
import { freePort } from './support/ports.ts'
import { Service } from './support/service.ts'
import { tempDir } from './support/temp-dir.ts'

const LEASE = '1s'
const LOOK_EVERY_MS = 1_000
const PRUNE_EVERY_MS = 10_000 // and less often while there is nothing to prune
const PRUNE_STATEMENTS = 3 // at most
const BEATS = 60
/** Each connection of the server reports what it did up to ten seconds late, so the figure is that of another moment. */
const UNCERTAIN = 10

test(
  'an idle node makes one transaction for each beat and each look, whatever the number of shards',
  { timeout: 120_000 },
  async (t) => {
    // Its own housekeeping would be counted, too.
    const server = await PostgresServer.start({ flags: ['-c', 'autovacuum=off'] })
    cleanUp(t, () => server.stop())
    const { port, user, password, database } = await server.createDatabase()
    const client = await server.client(database)
    cleanUp(t, () => client.end())
    const own = await freePort()
    const env = {
      PORT: String(own),
      NODE_URL: `http://127.0.0.1:${own}`,
      DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
      LEASE,
      TIMER_POLLING_INTERVAL: String(LOOK_EVERY_MS),
    }
    const service = new Service({ cwd: tempDir(t), env })
    cleanUp(t, () => service.kill())
    await service.listening

    let asked = 0
    const ask = async (text: string): Promise<number> => {
      asked++
      return Number((await client.query<{ n: string }>(text)).rows[0]!.n)
    }
    const beats = () => ask('SELECT node_beat AS n FROM timer_nodes')
    const transactions = async () =>
      (await ask('SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()')) -
      asked
    const beaten = (count: number) =>
      eventually(
        `${count} beats`,
        async () => {
          await sleep(500) // the questions are transactions, too
          const now = await beats()
          return now >= count && now
        },
        { withinMs: 60_000 },
      )
    // By then the first pages of all shards have been read, and reported.
    const from = await beaten(BEATS)

    const [before, since] = [await transactions(), performance.now()]
    const to = await beaten(from + BEATS)
    const made = (await transactions()) - before
    const tookMs = performance.now() - since
    const expected =
      to - from + Math.ceil(tookMs / LOOK_EVERY_MS) + Math.ceil(tookMs / PRUNE_EVERY_MS) * PRUNE_STATEMENTS
    console.log(`idle node: ${made} transactions for ${to - from} beats in ${Math.round(tookMs)} ms`)
    assert.ok(made <= expected + UNCERTAIN, `${made} transactions, ${expected} expected`)
  },
)
