// What became of commands, as promises: one for a command, and one for any number of them.

import type { Command } from '../core/rules/command.ts'
import type { CommandOutcomes, Executed } from '../engine/shard-commands.ts'
import type { ServiceObserver } from './observers.ts'

export class OneOutcome implements CommandOutcomes {
  readonly promise: Promise<Executed>
  readonly #command: Command
  readonly #observer: ServiceObserver
  #resolve!: (result: Executed) => void
  #reject!: (error: unknown) => void

  constructor(command: Command, observer: ServiceObserver) {
    this.#command = command
    this.#observer = observer
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  executed(_: number, result: Executed): void {
    try {
      this.#observer.executed(this.#command, result)
      this.#resolve(result)
    } catch (error) {
      this.#reject(error)
    }
  }

  refused(_: number, error: unknown): void {
    this.#reject(error)
  }
}

/** Each has its own outcome, at its place: one that is refused does not stop the others. */
export class ManyOutcomes implements CommandOutcomes {
  readonly promise: Promise<PromiseSettledResult<Executed>[]>
  readonly #commands: readonly Command[]
  readonly #observer: ServiceObserver
  readonly #results: PromiseSettledResult<Executed>[]
  #left: number
  #resolve!: (results: PromiseSettledResult<Executed>[]) => void

  constructor(commands: readonly Command[], observer: ServiceObserver) {
    this.#commands = commands
    this.#observer = observer
    this.#results = Array.from({ length: commands.length })
    this.#left = commands.length
    this.promise = new Promise((resolve) => (this.#resolve = resolve))
    if (commands.length === 0) this.#resolve(this.#results)
  }

  executed(place: number, result: Executed): void {
    try {
      this.#observer.executed(this.#commands[place]!, result)
      this.#settle(place, { status: 'fulfilled', value: result })
    } catch (reason) {
      this.#settle(place, { status: 'rejected', reason })
    }
  }

  refused(place: number, reason: unknown): void {
    this.#settle(place, { status: 'rejected', reason })
  }

  #settle(place: number, result: PromiseSettledResult<Executed>): void {
    this.#results[place] = result
    if (--this.#left === 0) this.#resolve(this.#results)
  }
}
