// What the simulations have touched: faults by kind, rules by what a command met and what came of it, and what the nodes
// logged. A simulator that never gets to a place proves nothing about it.

import type { History } from './history.ts'

export class Coverage {
  readonly #counts = new Map<string, Map<string, number>>()

  logged(text: string): void {
    this.add('log', text)
  }

  add(group: string, what: string, amount = 1): void {
    const counts = this.#counts.get(group) ?? new Map<string, number>()
    this.#counts.set(group, counts.set(what, (counts.get(what) ?? 0) + amount))
  }

  take(history: History, faults: readonly (readonly [string, number])[]): void {
    for (const [kind, count] of faults) this.add('fault', kind, count)
    for (const { type, outcome, code, refusedStatus, answer } of history.operations) {
      const result =
        outcome === 'done' ? (answer!.changed ? 'changed' : 'kept') : `${outcome} ${code ?? ''} ${refusedStatus ?? ''}`
      this.add('rule', `${type}: ${result.trim()}`)
    }
    for (const { answered, attempt, isTriggered } of history.arrivals)
      this.add(
        'delivery',
        `${answered ?? 'no answer heard'}${attempt > 1 ? ', repeated attempt' : ''}${isTriggered ? ', triggered' : ''}`,
      )
    this.add('total', 'operations', history.operations.length)
    this.add('total', 'deliveries', history.arrivals.length)
    this.add('total', 'lifecycle events', history.events.length)
  }

  merge(counts: CoverageCounts): void {
    for (const [group, entries] of counts) for (const [what, amount] of entries) this.add(group, what, amount)
  }

  get counts(): CoverageCounts {
    return Array.from(this.#counts, ([group, entries]) => [group, [...entries]])
  }
}

export type CoverageCounts = readonly (readonly [string, readonly (readonly [string, number])[]])[]
