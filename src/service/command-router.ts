// Brings a command to the owner of its timer's shard: to this node's engine, or to another node. While a shard moves
// it has no owner for a moment; the command waits and is tried again, until even the shards of a dead node must have a
// new owner. Only what surely was not done is tried again: a command whose answer got lost is reported as such, since
// doing it twice could fire a timer twice.

import type { ShardCommand } from '../core/rules/command.ts'
import { DuetimeError, ErrorCode, unavailable } from '../core/errors.ts'
import type { Millis } from '../core/timer/timer.ts'
import type { Engine } from '../engine/engine.ts'
import type { Executed } from '../engine/shard.ts'
import { sleep } from '../runtime/clock/clock.ts'
import type { Clock } from '../runtime/clock/clock.ts'

/** Whoever can execute commands: the engine itself on a node alone, a router in a cluster. */
export type Executor = { execute(command: ShardCommand): Promise<Executed> }

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

  async execute(command: ShardCommand): Promise<Executed> {
    const startedAt = this.#clock.monotonic()
    const giveUpAt = startedAt + this.#patienceMs
    let asked = command
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, WAIT_MAX_MS)) {
      try {
        return await this.#try(asked)
      } catch (error) {
        if (!(error instanceof DuetimeError) || error.code !== ErrorCode.notOwner) throw error
        if (this.#peers.isClosed) throw unavailable('this node stops: nothing was stored', 1_000, error)
        if (this.#clock.monotonic() + waitMs > giveUpAt) {
          throw unavailable(
            'the part of the timers that this one belongs to has no owner that can be reached: nothing was stored',
            1_000,
            error,
          )
        }
      }
      await sleep(this.#clock, waitMs)
      asked = { ...command, waitedMs: (command.waitedMs ?? 0) + Math.round(this.#clock.monotonic() - startedAt) }
    }
  }

  #try(command: ShardCommand): Promise<Executed> {
    const address = this.#engine.addressOf(command)
    return address === null ? this.#engine.execute(command) : this.#peers.execute(address, command)
  }
}
