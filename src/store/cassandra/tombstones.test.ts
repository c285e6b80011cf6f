// What has fired, was pruned or was published leaves tombstones, and nobody may have to read them all: Cassandra would refuse
// to at a hundred thousand. The server's own traces tell how many a read met.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onServer } from '../../../scripts/servers/server.fixture.ts'
import { NEVER, Status } from '../../core/timer/timer.ts'
import type { ShardId, Timer, TimerId } from '../../core/timer/timer.ts'
import { systemClock } from '../../runtime/clock/clock.ts'
import { deletingPart, partOf } from '../commit-sheet.ts'
import type { Change } from '../commit-sheet.ts'
import { absent, changed, claimed, OWNER } from '../conformance/owned-store.ts'
import { sampleTimer } from '../conformance/sample-timer.ts'
import { eventOf } from '../conformance/suite/events.ts'
import type { CommitPart } from '../store.ts'
import { emptyKeyspace } from './cassandra-server.fixture.ts'
import { openCassandraStore } from './cassandra-store.ts'
import { ITEMS, withoutTombstones } from './rows.ts'
import { AT_BEGINNING, RUNS } from './schema.ts'
import type { Run } from './schema.ts'
import { Session } from './session.ts'

const SHARD = 0 as ShardId
const TIMERS = 4_000
const PER_PART = 100
const TOMBSTONES_MAX = 1_000 + 2 * PER_PART

async function tombstonesMet(session: Session, run: Run): Promise<number> {
  const { from, to } = await withoutTombstones(session, SHARD, { from: AT_BEGINNING[run], to: `${run}/~` })
  const params = [SHARD, from, to, 1]
  const { info } = await session.client.execute(ITEMS, params, { prepare: true, traceQuery: true })
  const { events } = await session.client.metadata.getTrace(info.traceId)
  const read = events.map(({ activity }) => /Read \d+ live rows and (\d+) tombstone/.exec(activity ?? '')?.[1])
  return Math.max(...read.filter((count) => count !== undefined).map(Number))
}

onServer('cassandra', (server) => {
  test('a read of what comes first meets few tombstones, however much has fired, expired and been told', async (t) => {
    const location = await emptyKeyspace(server())
    const store = await openCassandraStore(location)
    t.after(() => store.close())
    const fence = { shard: SHARD, epoch: await claimed(store, SHARD), owner: OWNER }
    const timers = Array.from({ length: TIMERS }, (_, n) => sampleTimer({ id: `t${n}` as TimerId, dueAt: 1_000 + n }))
    const finish = (timer: Timer): Timer => ({ ...timer, version: 2, status: Status.completed })
    const commit = async (part: CommitPart) => assert.deepEqual(await store.commit([part]), [{ type: 'written' }])
    const commitAll = async (changes: readonly Change[]): Promise<void> => {
      for (let n = 0; n < changes.length; n += PER_PART) await commit(partOf(fence, changes.slice(n, n + PER_PART)))
    }
    await commitAll(timers.map(absent))
    await commitAll(timers.map((timer) => ({ ...changed(finish(timer), timer), events: [eventOf(timer, 'done')] })))
    for (;;) {
      const rows = await store.expired({ shards: [SHARD], before: NEVER, limit: PER_PART })
      if (rows.length === 0) break
      await commit(deletingPart(fence, rows))
    }
    for (;;) {
      const events = await store.readEvents({ shard: SHARD, after: 0, limit: 500 })
      if (events.length === 0) break
      await store.removeEvents({ shard: SHARD, numbers: events.map(({ number }) => number) })
      await commit(partOf(fence, []))
    }
    const session = await Session.connect(location, systemClock)
    t.after(() => session.client.shutdown())
    await session.run(`USE ${location.keyspace}`)
    for (const run of RUNS) {
      const met = await tombstonesMet(session, run)
      assert.ok(met <= TOMBSTONES_MAX, `${met} tombstones of ${run}`)
    }
  })
})
