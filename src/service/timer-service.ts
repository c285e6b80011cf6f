// What doors are given: a way to the timers for each of those who ask. There is none without saying who that is.

import type { Principal } from '../core/access.ts'
import type { QueryGate } from './query-gate.ts'
import { TimerOperations } from './timer-operations.ts'
import type { TimerOperationsOptions } from './timer-operations.ts'
import { Timers } from './timers.ts'

export class TimerService {
  readonly #operations: TimerOperations

  constructor(options: TimerOperationsOptions) {
    this.#operations = new TimerOperations(options)
  }

  get gate(): QueryGate {
    return this.#operations.gate
  }

  as(principal: Principal): Timers {
    return new Timers(principal, this.#operations)
  }
}
