// Where and when a result was made: without that a figure cannot be compared with anything.

import { cpus, totalmem, type as system } from 'node:os'
import { VERSION } from '../../src/runtime/version.ts'

export type Machine = {
  readonly date: string
  readonly duetime: string
  readonly node: string
  readonly system: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
}

export function thisMachine(): Machine {
  const cores = cpus()
  return {
    date: new Date().toISOString(),
    duetime: VERSION,
    node: process.version,
    system: system(),
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
  }
}
