// What entry threads ask for. They have judged it: the principal may, the namespace is enabled, the target can be called. What
// is left is for the thread that decides.

import type { Command, CreateCommand } from '../../core/rules/command.ts'
import type { TimerIdentity } from '../../core/timer/ids.ts'
import type { Millis, Timer } from '../../core/timer/timer.ts'
import type { Executed } from '../../engine/shard-commands.ts'
import { OneOutcome } from '../../service/command-outcomes.ts'
import { asking } from '../../service/queries/store-failures.ts'
import { newIdentity } from '../../service/command-router.ts'
import type { JudgedParts } from '../../service/timer-service.ts'
import type { SentCommand } from './messages.ts'

export class JudgedTimers {
  readonly #parts: JudgedParts

  constructor(parts: JudgedParts) {
    this.#parts = parts
  }

  /** Resolves when what the command asks for is durable. */
  execute({ command, sentAt }: SentCommand): Promise<Executed> {
    const outcome = new OneOutcome(command, this.#parts.observer)
    this.#parts.executor.begin(this.#waited(command, sentAt), outcome, 0)
    return outcome.promise
  }

  /** Its id was made by who sends it, without knowing the shards of this node. */
  executeNew({ command, sentAt }: SentCommand<CreateCommand>): Promise<Executed> {
    if (this.#parts.engine.owns(command)) return this.execute({ command, sentAt })
    return this.execute({ command: { ...command, ...newIdentity(this.#parts.engine, command.namespace) }, sentAt })
  }

  /** As it is now; null when there is none. */
  async find(identity: TimerIdentity): Promise<Timer | null> {
    const { engine, reads } = this.#parts
    const stored = await asking(engine.find(identity, reads))
    return stored === null ? null : engine.view(stored)
  }

  /** Its due time is judged by when its request came, however busy this thread was since. */
  #waited(command: Command, sentAt: Millis): Command {
    const ms = this.#parts.clock.now() - sentAt
    return ms > 0 ? { ...command, waitedMs: (command.waitedMs ?? 0) + ms } : command
  }
}
