// How things look in the end, as a client, an operator and a reader of the cluster page see them.

import { shardsOf } from '../../src/core/cluster/layout.ts'
import { DuetimeError, ErrorCode } from '../../src/core/errors.ts'
import { clusterLook } from '../../src/store/layout/layout-row.ts'
import type { ListPage, StoreStats } from '../../src/store/store.ts'
import type { FinalState, FinalTimer } from '../history.ts'
import type { PlannedTimer } from '../plan/plan.ts'
import { SHARDS_TIMES_MAX } from './database.ts'
import { answerOf, identityOf, nameOf } from './client-requests.ts'
import type { SimulatedNode } from './node.ts'
import { EPOCH } from './node-clock.ts'
import type { World } from './world.ts'

const ANSWERED_WITHIN_MS = 5_000
const PUBLISHED_WITHIN_MS = 5_000

type EventCount = { readonly count: number; readonly oldestAt: number | null }

export async function finalState(world: World, timers: readonly PlannedTimer[]): Promise<FinalState> {
  const { scheduler } = world
  const at = scheduler.now
  const unopenedShards = unopenedIn(world)
  const node = world.machines.map((machine) => machine.node).find((one) => one?.isOpen === true)
  const read = new Map<string, FinalTimer | null>()
  let isRead = false
  let counts: FinalState['counts'] = { counted: new Map(), stored: new Map() }
  if (node !== undefined && node !== null) {
    const reading = Promise.all(
      timers.map(async (timer) => void read.set(nameOf(timer), await readTimer(node, timer))),
    ).then(async () => {
      counts = await countsOf(world)
      isRead = true
    })
    await scheduler.runUntil(at + ANSWERED_WITHIN_MS, () => isRead)
    if (isRead) await reading
  }
  const eventsLeft = await eventsLeftIn(world)
  return { at, atWall: EPOCH + at, timers: read, unopenedShards, counts, eventsLeft }
}

async function readTimer(node: SimulatedNode, timer: PlannedTimer): Promise<FinalTimer | null> {
  try {
    const found = await node.timersFor(timer.namespace).get(identityOf(timer))
    return { ...answerOf(found, false), nextWall: found.wakeAt }
  } catch (error) {
    if (error instanceof DuetimeError && error.code === ErrorCode.timerNotFound) return null
    throw error
  }
}

/** The owner that the database names must live, and have the shard open. */
export function unopenedIn({ machines, database, plan }: World): string[] {
  const nodes = machines.flatMap(({ node }) => (node?.incarnation.isAlive === true ? [node] : []))
  const rows = new Map(database.shardRows.map((row) => [row.shard as number, row]))
  const { layout } = clusterLook({ nodes: [], shards: database.shardRows }, plan.settings.shards)
  if (layout.next !== null) return ['the reshard is not finished']
  return shardsOf(layout).flatMap((shard) => {
    const owner = rows.get(shard)?.owner ?? null
    const node = nodes.find(({ incarnation }) => incarnation.name === owner)
    if (node === undefined) return [`shard ${shard} is owned by ${owner ?? 'nobody'}, which does not live`]
    const isOpen = node.engine.shardGauges().some((gauges) => (gauges.shard as number) === shard)
    return isOpen ? [] : [`shard ${shard} is not open at its owner ${owner}`]
  })
}

async function countsOf({ database }: World): Promise<FinalState['counts']> {
  const stats = (await database.apply('stats', {})) as StoreStats
  const page = (await database.apply('list', { filter: {}, after: null, limit: 1_000 })) as ListPage
  const counted = new Map<string, number>()
  const stored = new Map<string, number>()
  const add = (counts: Map<string, number>, key: string, amount: number) =>
    counts.set(key, (counts.get(key) ?? 0) + amount)
  for (const { namespace, status, count } of stats.counts)
    if (count !== 0) add(counted, `${namespace} ${status}`, count)
  for (const { namespace, status } of page.timers) add(stored, `${namespace} ${status}`, 1)
  return { counted, stored }
}

/** What has waited for a moment only does not count: a cycle may have just fired. */
async function eventsLeftIn({ database, plan, scheduler }: World): Promise<number> {
  const shards = Array.from({ length: plan.settings.shards * SHARDS_TIMES_MAX }, (_, shard) => shard)
  const { count, oldestAt } = (await database.apply('countEvents', shards)) as EventCount
  return oldestAt !== null && oldestAt < EPOCH + scheduler.now - PUBLISHED_WITHIN_MS ? count : 0
}
