// What can go wrong in a simulation, by name. Each kind can be switched off; what remains then must do without it.

export const FAULT_KINDS = [
  'crash', // a process dies, at any moment, and is started again, or not before the end
  'crashAtEffect', // it dies in the middle of what it does, right before one of several things that it sends
  'freeze', // a process does not run for a while, and its clocks go on
  'suspend', // nothing runs on a machine, and its monotonic clock stands still
  'leave', // a node stops in order, and another one is started in its place
  'join', // one more node
  'clockStep', // somebody sets the clock of a machine, forwards or back
  'clockSkew', // the clocks of the machines differ by seconds
  'slowDatabase', // calls take tens of milliseconds, and some much longer
  'stall', // the database does not answer for a while, to one node or to all
  'cutDatabase', // a node cannot connect to the database; what was under way is lost, done or not
  'lostAnswers', // the answer of a call to the database is lost: done, not done, or done later
  'refusedCalls', // a call to the database fails and does nothing
  'failOver', // the database is away for a moment, and has forgotten the last changes of ownership
  'slowMessages', // messages between nodes take up to a second, and so come in another order
  'lostMessages',
  'repeatedMessages',
  'cutLinks', // messages from one node to another get lost for a while; those in the other direction may not
  'lostRequests', // of clients, or the answers to them
  'slowTargets',
  'failingTargets',
  'hangingTargets', // no answer until the timeout, or one that comes too late
  'reschedulingTargets',
  'flood', // a tenant has more due than fits into memory, at targets that hang
  'failingBroker', // lifecycle events are refused, or their confirmations are lost
] as const

/** Those of receivers and tenants: nothing of the service itself fails. */
export const TARGET_FAULTS: readonly FaultKind[] = [
  'slowTargets',
  'failingTargets',
  'hangingTargets',
  'reschedulingTargets',
  'flood',
]

/** A reshard is none: nothing may be late, or come twice, because of it. */
export type FaultKind = (typeof FAULT_KINDS)[number]
export type Faults = ReadonlySet<FaultKind>

/** How often each has happened. */
export class FaultCounts {
  readonly #counts = new Map<string, number>()

  count(kind: FaultKind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
  }

  get entries(): readonly (readonly [string, number])[] {
    return [...this.#counts]
  }
}
