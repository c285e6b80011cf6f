// What entry points are given: a way to the timers for each of those who ask. There is none without saying who that is.

import type { Principal } from '../core/access/access.ts'
import type { Namespace } from '../core/timer/timer.ts'
import { GatheredGets } from '../store/gathered-gets.ts'
import { QueryGate } from './queries/query-gate.ts'
import type { ListMemory } from './queries/query-gate.ts'
import { Timers } from './timers.ts'
import type { TimersParts } from './timers.ts'

export type TimerServiceOptions = Omit<TimersParts, 'executor' | 'namespaces' | 'reads' | 'gate'> & {
  /** The engine if left out. */
  readonly executor?: TimersParts['executor']
  /** Empty: any well-formed namespace is enabled. */
  readonly namespaces: readonly Namespace[]
  /** Absent: lists may take as much memory as they need. */
  readonly listMemory?: ListMemory
}

/** For what has been judged already. */
export type JudgedParts = Pick<TimersParts, 'engine' | 'executor' | 'observer' | 'reads' | 'clock'>

export class TimerService {
  readonly #parts: TimersParts

  constructor({ executor, namespaces, listMemory, ...parts }: TimerServiceOptions) {
    this.#parts = {
      ...parts,
      executor: executor ?? parts.engine,
      namespaces: new Set(namespaces),
      reads: new GatheredGets(parts.store),
      gate: new QueryGate(parts.store, listMemory),
    }
  }

  get gate(): QueryGate {
    return this.#parts.gate
  }

  /** For threads that judge requests themselves. */
  get judged(): JudgedParts {
    return this.#parts
  }

  as(principal: Principal): Timers {
    return new Timers(principal, this.#parts)
  }
}
