// A shard moves from its owner to the next one while its timers go on firing. The owner asks the next one to get ready,
// and fires on meanwhile; then it starts nothing more, puts the other's name and a new epoch into the store in one
// statement, and tells the other, which reads the next timers and fires. Nobody waits for a beat.
//
// Deliveries that are in flight at that moment go on at the node that started them. The next owner is told of them: it
// leaves those timers alone until it hears what came of them, or that their node is gone.

import type { Epoch, ShardId } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { NodeRow, ShardRow, TimerStore } from '../../store/store.ts'
import type { DeliveryReport, RemoteDelivery } from '../delivery/remote-delivery.ts'
import type { Claims, LocalShards } from './claims.ts'
import type { ClusterMap } from './cluster-map.ts'

/** `layout`: the version that the node knows which says so. What the shard is to be opened as may depend on it. */
export type MovedShard = ShardRow & {
  readonly owner: string
  readonly deliveries: readonly RemoteDelivery[]
  readonly layout: number
}

/** The way to the other nodes, by their addresses. All but `notify` reject when the other one cannot be reached. */
export interface Neighbours {
  /** There is something to see in the store, now and not at the next beat. */
  notify(address: string): void
  /** Resolves when that node is ready to go on with these shards. Another one at its address refuses. */
  prepare(to: NextOwner, shards: readonly ShardId[]): Promise<void>
  /** These have a new owner: the other one, or one that it should send commands to. */
  moved(address: string, shards: readonly MovedShard[]): Promise<void>
  /** Resolves when the outcome of the delivery is durable; false when the other one does not own the shard. */
  report(address: string, report: DeliveryReport): Promise<boolean>
}

export type HandoverOptions = {
  /** The owner until then. */
  readonly node: string
  readonly store: TimerStore
  readonly clock: Clock
  readonly logger: Logger
  readonly neighbours: Neighbours
  readonly claims: Pick<Claims, 'letGo' | 'gone' | 'stays'>
  readonly shards: Pick<LocalShards, 'handOver'>
  readonly map: Pick<ClusterMap, 'note'>
  readonly layoutVersion: () => number
}

/** The address is not null: the node can be told. */
export type NextOwner = Pick<NodeRow, 'node'> & { readonly address: string }

const SHARDS_AT_ONCE = 6 // whose timers wait for each other's first page
const GROUPS_MAX = 64 // so that a node with thousands of shards can leave in time

/** `witnesses`: the addresses of nodes that should know where to send commands. */
export type Move = {
  readonly shards: readonly ShardId[]
  readonly to: NextOwner
  readonly witnesses: readonly string[]
}

/** False when the next owner could not be asked; then everything that was not moved yet is as it was. */
export async function handOver(all: Move, options: HandoverOptions): Promise<boolean> {
  const { to } = all
  const size = Math.max(SHARDS_AT_ONCE, Math.ceil(all.shards.length / GROUPS_MAX))
  for (let at = 0; at < all.shards.length; at += size) {
    const group = all.shards.slice(at, at + size)
    const startedAt = options.clock.monotonic()
    try {
      await options.neighbours.prepare(to, group)
    } catch (error) {
      const fields = { to: to.node, shards: group.length, err: error }
      options.logger.warn(fields, 'the next owner of some shards cannot be reached; keeping them')
      return false
    }
    await move({ ...all, shards: group }, options, startedAt)
  }
  return true
}

async function move({ shards, to, witnesses }: Move, options: HandoverOptions, startedAt: number): Promise<void> {
  const { clock, logger, neighbours, claims, map, layoutVersion } = options
  const preparedAt = clock.monotonic()
  const leaving = shards.flatMap((shard) => {
    const epoch = claims.letGo(shard)
    return epoch === null ? [] : [{ shard, epoch, handover: options.shards.handOver(shard) }]
  })
  const epochs = await Promise.all(leaving.map(({ shard, epoch }) => assign(shard, epoch, to.node, options)))
  const storedAt = clock.monotonic()
  const moved = leaving.flatMap(({ shard, handover }, index): MovedShard[] => {
    const epoch = epochs[index]
    return epoch === null || epoch === undefined
      ? []
      : [{ shard, epoch, owner: to.node, deliveries: handover.deliveries(), layout: layoutVersion() }]
  })
  map.note(moved)
  // Before the other is told, which may take seconds: a database that was failed over may name this node again by then.
  for (const { shard } of moved) claims.gone(shard)
  if (moved.length > 0) await tell(moved, to, neighbours, logger)
  for (const [index, { shard, handover }] of leaving.entries()) {
    if (epochs[index] === null) claims.stays(shard, handover)
    else handover.end()
  }
  const withoutDeliveries = moved.map((one) => ({ ...one, deliveries: [] }))
  for (const address of witnesses) if (moved.length > 0) neighbours.moved(address, withoutDeliveries).catch(() => {})
  const deliveries = moved.reduce((sum, one) => sum + one.deliveries.length, 0)
  const [prepareMs, storeMs, tellMs] = [
    preparedAt - startedAt,
    storedAt - preparedAt,
    clock.monotonic() - storedAt,
  ].map(Math.round)
  logger.info({ to: to.node, shards: moved.length, deliveries, prepareMs, storeMs, tellMs }, 'handed shards over')
}

/** A claim in the other's name. Null when that failed, or somebody else was faster. */
async function assign(
  shard: ShardId,
  epoch: Epoch,
  owner: string,
  { store, logger, node }: HandoverOptions,
): Promise<Epoch | null> {
  try {
    return await store.claim({ shard, expected: epoch, from: node, owner })
  } catch (error) {
    logger.warn(
      { shard, err: error },
      'could not hand a shard over; whoever the store names as its owner goes on with it after its next beat',
    )
    return null
  }
}

async function tell(
  moved: readonly MovedShard[],
  to: NextOwner,
  neighbours: Neighbours,
  logger: Logger,
): Promise<void> {
  try {
    await neighbours.moved(to.address, moved)
  } catch (error) {
    logger.warn(
      { to: to.node, err: error },
      'the new owner of some shards could not be told; it sees them at its next beat, and waits a moment for this',
    )
  }
}
