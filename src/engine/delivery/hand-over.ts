// A shard moves from its owner to the next one while its timers go on firing. The owner asks the next one to get ready,
// and fires on meanwhile; then it starts nothing more, puts the other's name and a new epoch into the store in one
// statement, and tells the other, which reads the next timers and fires. Nobody waits for a beat.
//
// Deliveries that are in flight at that moment go on at the node that started them. The next owner is told of them: it
// leaves those timers alone until it hears what came of them, or that the carrier is gone.

import type { EndedAttempt } from '../../core/rules/settle.ts'
import type { Epoch, Millis, Namespace, ShardId, TimerId, TimerUuid } from '../../core/timer/timer.ts'
import type { Clock } from '../../runtime/clock/clock.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import type { NodeRow, ShardRow, TimerStore } from '../../store/store.ts'

/** A delivery under way at a node that is not, or will not be, the owner of the timer. */
export type FlightAbroad = {
  readonly namespace: Namespace
  readonly id: TimerId
  readonly uuid: TimerUuid
  readonly deliveryId: string
  readonly attempt: number
  /** Of the timer's row, as far as the carrier knows. */
  readonly version: number
  /** How long the receiver has to answer. */
  readonly timeoutMs: Millis
  /** The node that carries it. */
  readonly carrier: string
}

/** `ended` is null when there is nothing to store: the carrier has stored it, or has given the delivery up. */
export type Landing = { readonly shard: ShardId; readonly flight: FlightAbroad; readonly ended: EndedAttempt | null }

export type MovedShard = ShardRow & { readonly owner: string; readonly flights: readonly FlightAbroad[] }

/** The way to the other nodes, by their addresses. All but `notify` reject when the other one cannot be reached. */
export interface Neighbours {
  /** There is something to see in the store, now and not at the next beat. */
  notify(address: string): void
  /** Resolves when that node is ready to go on with these shards. Another one at its address refuses. */
  prepare(to: NextOwner, shards: readonly ShardId[]): Promise<void>
  /** These have a new owner: the other one, or one that it should send commands to. */
  moved(address: string, shards: readonly MovedShard[]): Promise<void>
  /** Resolves when what came of the delivery is durable; false when the other one does not own the shard. */
  land(address: string, landing: Landing): Promise<boolean>
}

/** A shard that is being given away, as its engine sees it. */
export type Departure = {
  /** It has its owner, a new one or this node again: the deliveries that are still under way. */
  readonly flights: () => readonly FlightAbroad[]
  /** The owner knows of them, or cannot be told. */
  readonly end: () => void
}

export type HandOverOptions = {
  /** The owner until then. */
  readonly node: string
  readonly store: TimerStore
  readonly clock: Clock
  readonly logger: Logger
  readonly neighbours: Neighbours
  /** The epoch by which the shard is owned here, which it is no longer from now on; null when it was not. */
  readonly letGo: (shard: ShardId) => Epoch | null
  /** The store has its new owner. */
  readonly gone: (shard: ShardId) => void
  /** It could not be given away. Whoever finds out who has it ends the departure. */
  readonly stays: (shard: ShardId, departure: Departure) => void
  /** Nothing of the shard starts here from now on. */
  readonly depart: (shard: ShardId) => Departure
  /** What this node itself should know of it. */
  readonly note: (moved: readonly MovedShard[]) => void
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
export async function handOver(all: Move, options: HandOverOptions): Promise<boolean> {
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

async function move({ shards, to, witnesses }: Move, options: HandOverOptions, startedAt: number): Promise<void> {
  const { clock, logger, neighbours } = options
  const preparedAt = clock.monotonic()
  const leaving = shards.flatMap((shard) => {
    const epoch = options.letGo(shard)
    return epoch === null ? [] : [{ shard, epoch, departure: options.depart(shard) }]
  })
  const epochs = await Promise.all(leaving.map(({ shard, epoch }) => assign(shard, epoch, to.node, options)))
  const storedAt = clock.monotonic()
  const moved = leaving.flatMap(({ shard, departure }, index): MovedShard[] => {
    const epoch = epochs[index]
    return epoch === null || epoch === undefined ? [] : [{ shard, epoch, owner: to.node, flights: departure.flights() }]
  })
  options.note(moved)
  // Before the other is told, which may take seconds: a database that was failed over may name this node again by then.
  for (const { shard } of moved) options.gone(shard)
  if (moved.length > 0) await tell(moved, to, neighbours, logger)
  for (const [index, { shard, departure }] of leaving.entries()) {
    if (epochs[index] === null) options.stays(shard, departure)
    else departure.end()
  }
  const withoutFlights = moved.map((one) => ({ ...one, flights: [] }))
  for (const address of witnesses) if (moved.length > 0) neighbours.moved(address, withoutFlights).catch(() => {})
  const flights = moved.reduce((sum, one) => sum + one.flights.length, 0)
  const [prepareMs, storeMs, tellMs] = [
    preparedAt - startedAt,
    storedAt - preparedAt,
    clock.monotonic() - storedAt,
  ].map(Math.round)
  logger.info({ to: to.node, shards: moved.length, flights, prepareMs, storeMs, tellMs }, 'handed shards over')
}

/** A claim in the other's name. Null when that failed, or somebody else was faster. */
async function assign(
  shard: ShardId,
  epoch: Epoch,
  owner: string,
  { store, logger, node }: HandOverOptions,
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
