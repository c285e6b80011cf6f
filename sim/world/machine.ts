// A machine that nodes run on, one after the other: its clock goes on when a node dies.

import type { Connection } from './connection.ts'
import type { MachineClock } from './node-clock.ts'
import type { SimulatedNode } from './node.ts'

export class Machine {
  readonly address: string
  readonly clock: MachineClock
  node: SimulatedNode | null = null
  connection: Connection | null = null
  starts = 0
  /** It will be started later. */
  isDown = false

  constructor(address: string, clock: MachineClock) {
    this.address = address
    this.clock = clock
  }
}
