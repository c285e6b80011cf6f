// Brings a command to the owner of its timer's shard: to this node's engine, or to another node. While a shard moves
// it has no owner for a moment; the command waits and is tried again, until even the shards of a dead node must have a
// new owner. Only what surely was not done is tried again: a command whose answer got lost is reported as such, since
// doing it twice could fire a timer twice.

import type { ShardCommand } from '../core/rules/command.ts'
import { DuetimeError, ErrorCode, unavailable } from '../core/errors.ts'
import { timerIdentity } from '../core/timer/ids.ts'
import type { TimerIdentity } from '../core/timer/ids.ts'
import type { Millis, Namespace, TimerId } from '../core/timer/timer.ts'
import type { Engine } from '../engine/engine.ts'
import type { CommandOutcomes, Executed } from '../engine/shard-commands.ts'
import { sleep } from '../runtime/clock/clock.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import { randomUuidV7 } from '../runtime/uuid-v7.ts'

/** Whoever can execute commands: the engine itself on a node alone, a router in a cluster. */
export type Executor = {
  execute(command: ShardCommand): Promise<Executed>
  /** The same without a promise. */
  begin(command: ShardCommand, outcomes: CommandOutcomes, place: number): void
}

/** Another node. Rejects with NOT_OWNER when nothing was done, whatever the reason: refused, unreachable, not its shard. */
export type Peers = {
  execute(address: string, command: ShardCommand): Promise<Executed>
  /** This node stops. */
  readonly isClosed: boolean
}

const LEASES_WAITED = 1.4 // the others notice at one of their beats, of which there are five in a lease
const MARGIN_MS = 1_000
const FIRST_WAIT_MS = 10
const WAIT_MAX_MS = 250

export class CommandRouter implements Executor {
  readonly #engine: Engine
  readonly #peers: Peers
  readonly #clock: Clock
  readonly #patienceMs: Millis

  /** `leaseMs`: a handover takes a moment, but the shards of a node that died are free only when its lease is over. */
  constructor(options: { engine: Engine; peers: Peers; clock: Clock; leaseMs: Millis }) {
    this.#patienceMs = options.leaseMs * LEASES_WAITED + MARGIN_MS
    this.#engine = options.engine
    this.#peers = options.peers
    this.#clock = options.clock
  }

  begin(command: ShardCommand, outcomes: CommandOutcomes, place: number): void {
    const first = new FirstTry(this, command, this.#clock.monotonic(), outcomes)
    if (this.#engine.addressOf(command) === null) this.#engine.begin(command, first, place)
    else this.goOn(first, null, place)
  }

  /** `failure`: why the first try has failed; null when there was none. */
  goOn({ startedAt, command, outcomes }: FirstTry, failure: unknown, place: number): void {
    this.#executeFrom(startedAt, command, failure).then(
      (result) => outcomes.executed(place, result),
      (error: unknown) => outcomes.refused(place, error),
    )
  }

  async execute(command: ShardCommand): Promise<Executed> {
    return this.#executeFrom(this.#clock.monotonic(), command, null)
  }

  async #executeFrom(startedAt: number, command: ShardCommand, failure: unknown): Promise<Executed> {
    const giveUpAt = startedAt + this.#patienceMs
    let asked = command
    let error = failure
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, WAIT_MAX_MS)) {
      try {
        if (error === null) return await this.#try(asked)
      } catch (thrown) {
        error = thrown
      }
      if (!isNotOwner(error)) throw error
      if (this.#peers.isClosed) throw unavailable('this node stops: nothing was stored', 1_000, error)
      if (this.#clock.monotonic() + waitMs > giveUpAt) {
        throw unavailable(
          'the part of the timers that this one belongs to has no owner that can be reached: nothing was stored',
          1_000,
          error,
        )
      }
      await sleep(this.#clock, waitMs)
      asked = { ...command, waitedMs: (command.waitedMs ?? 0) + Math.round(this.#clock.monotonic() - startedAt) }
      error = null
    }
  }

  #try(command: ShardCommand): Promise<Executed> {
    const address = this.#engine.addressOf(command)
    return address === null ? this.#engine.execute(command) : this.#peers.execute(address, command)
  }
}

/** Nearly all commands are executed by this node at the first try. */
class FirstTry implements CommandOutcomes {
  readonly #router: CommandRouter
  readonly command: ShardCommand
  readonly startedAt: number
  readonly outcomes: CommandOutcomes

  constructor(router: CommandRouter, command: ShardCommand, startedAt: number, outcomes: CommandOutcomes) {
    this.#router = router
    this.command = command
    this.startedAt = startedAt
    this.outcomes = outcomes
  }

  executed(place: number, result: Executed): void {
    this.outcomes.executed(place, result)
  }

  refused(place: number, error: unknown): void {
    if (isNotOwner(error)) this.#router.goOn(this, error, place)
    else this.outcomes.refused(place, error)
  }
}

function isNotOwner(error: unknown): boolean {
  return error instanceof DuetimeError && error.code === ErrorCode.notOwner
}

const IDS_TRIED_MAX = 16 // a hash each, some microseconds: as many tries as there are nodes will do, and with more nodes many are sent on

/**
 * For a timer that comes without an id: one of a shard that this node owns. Its create goes nowhere else, and succeeds
 * while another node is dead and its shards have no owner.
 */
export function newIdentity(engine: Pick<Engine, 'owns'>, namespace: Namespace): TimerIdentity {
  for (let tries = 1; ; tries++) {
    const identity = timerIdentity(namespace, randomUuidV7() as TimerId)
    if (engine.owns(identity) || tries === IDS_TRIED_MAX) return identity
  }
}
