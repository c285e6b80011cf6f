// A node hands its shards back to the one that it had them from, and dies between the statement and the message. Real
// processes and a real database: a trigger lets the statement wait until its node is dead, and then it is done all the same.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PostgresDatabase } from '../support/cluster/cluster-database.ts'
import { Cluster } from '../support/cluster/cluster.ts'
import type { ClusterNode } from '../support/cluster/cluster-node.ts'
import { eventually } from '../support/eventually.ts'

const SHARDS = 12
const LEASE = '10s' // statements that claim shards are given up after a third of it
const MESSAGE_GATE = 4_711

/** What a claim does first. The function can be replaced while a claim is in it; the trigger could not. */
function onClaim(plpgsql: string): string {
  return `CREATE OR REPLACE FUNCTION on_claim () RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${plpgsql} RETURN NEW; END $$`
}

function claimTrigger(owner: string): string {
  return `
    CREATE TRIGGER on_claim BEFORE UPDATE ON timers FOR EACH ROW
    WHEN (NEW.row_type = 1 AND NEW.shard_epoch > OLD.shard_epoch AND NEW.shard_owner = '${owner}') EXECUTE FUNCTION on_claim()`
}

async function unopened(node: ClusterNode): Promise<number> {
  const metrics = await (await fetch(`${node.url}/metrics`)).text()
  return Number(/^duetime_unopened_shards (\d+)/m.exec(metrics)![1])
}

test(
  'a shard whose handover was stored and never told is opened by the node that the database names',
  { timeout: 600_000 },
  async (t) => {
    const database = await PostgresDatabase.start(t)
    const cluster = await Cluster.start(t, { nodes: 2, env: { LEASE, SHARDS: String(SHARDS) }, database })
    await cluster.balanced()
    const [a, b] = cluster.nodes as [ClusterNode, ClusterNode]
    const { node } = await a.view()
    const named = async () =>
      Number(
        (await database.sql(`SELECT count(*) AS n FROM timers WHERE row_type = 1 AND shard_owner = '${node}'`))[0]![
          'n'
        ],
      )
    const open = async () => (await a.view()).shards.filter(({ own }) => own !== null).length
    assert.equal(await named(), SHARDS / 2)

    const gate = await database.client(t)
    await gate.query(`SELECT pg_advisory_lock(${MESSAGE_GATE})`)
    await database.sql(onClaim(`PERFORM pg_advisory_xact_lock(${MESSAGE_GATE});`))
    await database.sql(claimTrigger(node))
    b.service.signal('SIGTERM')
    await database.blocked(1)
    await b.kill()
    // From now on a cannot claim what is in its name.
    await database.sql(onClaim(`IF OLD.shard_owner = '${node}' THEN RAISE EXCEPTION 'not yet'; END IF;`))
    await gate.query(`SELECT pg_advisory_unlock(${MESSAGE_GATE})`)
    await eventually('the database names a for more', async () => (await named()) > SHARDS / 2)

    const stuck = (await named()) - SHARDS / 2
    await eventually('a is not ready: it has not opened what is its own', async () => !(await a.isReady()), {
      withinMs: 60_000,
    })
    assert.equal(await unopened(a), stuck)
    await database.sql('DROP TRIGGER on_claim ON timers')
    await eventually('a has opened what is its own', async () => (await open()) >= SHARDS / 2 + stuck, {
      withinMs: 60_000,
    })
    await eventually('a is ready', () => a.isReady(), { withinMs: 60_000 })
    await eventually('a has everything', async () => (await open()) === SHARDS, { withinMs: 60_000 })
    assert.equal(await unopened(a), 0)
  },
)
