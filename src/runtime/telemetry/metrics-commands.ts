// What happens to commands that come from a broker, as numbers. A stream that is not worked off, or whose messages are
// refused, is seen by nobody else: its senders are told that their messages are stored.

import { Counter, Gauge } from './prom-client.ts'
import type { Registry } from './prom-client.ts'

/** `ignored`: of a type that is not known here. `put back`: it comes again. */
export const CommandResult = { done: 'done', ignored: 'ignored', refused: 'refused', putBack: 'put_back' } as const
export type CommandResult = (typeof CommandResult)[keyof typeof CommandResult]

export class CommandMetrics {
  readonly #received: Counter
  readonly #redelivered: Counter
  readonly #settled: Counter<'outcome'>
  readonly #deadLetters: Counter
  readonly #registry: Registry

  constructor(registry: Registry) {
    const registers = [registry]
    this.#registry = registry
    this.#received = new Counter({
      name: 'duetime_commands_received_total',
      help: 'Commands taken from the broker, repeated ones included',
      registers,
    })
    this.#redelivered = new Counter({
      name: 'duetime_commands_redelivered_total',
      help: 'Those among them that had been delivered before',
      registers,
    })
    this.#settled = new Counter({
      name: 'duetime_commands_settled_total',
      help: 'What became of commands',
      labelNames: ['outcome'],
      registers,
    })
    this.#deadLetters = new Counter({
      name: 'duetime_dead_letters_total',
      help: 'Commands that were stored as dead letters',
      registers,
    })
    for (const outcome of Object.values(CommandResult)) this.#settled.inc({ outcome }, 0)
  }

  received(count: number, redelivered: number): void {
    this.#received.inc(count)
    this.#redelivered.inc(redelivered)
  }

  settled(outcome: CommandResult): void {
    this.#settled.inc({ outcome })
  }

  deadLetter(): void {
    this.#deadLetters.inc()
  }

  /** `heldSeconds`: how long the batch in hand has been worked on. `faults`: what keeps commands from being taken. */
  watch({ heldSeconds, faults }: { readonly heldSeconds: () => number; readonly faults: () => number }): void {
    this.#gauge(
      'duetime_commands_held_seconds',
      'How long the commands in hand have been worked on; 0 when there are none',
      heldSeconds,
    )
    this.#gauge(
      'duetime_broker_faults',
      'What keeps this node from using the broker: no connection, missing streams, consumers that fail',
      faults,
    )
  }

  #gauge(name: string, help: string, read: () => number): void {
    this.#registry.removeSingleMetric(name)
    const gauge: Gauge = new Gauge({ name, help, registers: [this.#registry], collect: () => gauge.set(read()) })
  }
}
