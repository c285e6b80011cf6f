// How busy the machine is with what is not ours. Ratios survive a noisy neighbour, but not any: the service uses more
// threads than a raw limit does, so a full machine hurts it more.

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const SAMPLE_MS = 1_000

/** The share of all cores that is in use while the bench itself does nothing. */
export async function foreignLoad(): Promise<number> {
  const before = cpuTicks()
  await sleep(SAMPLE_MS)
  const after = cpuTicks()
  const total = after.total - before.total
  return total === 0 ? 0 : 1 - (after.idle - before.idle) / total
}

/** `cpu user nice system idle iowait …`, in ticks since the start of the machine. */
function cpuTicks(): { readonly total: number; readonly idle: number } {
  const [, line = ''] = /^cpu +(.+)$/m.exec(readFileSync('/proc/stat', 'utf8')) ?? []
  const ticks = line.split(' ').map(Number)
  return { total: ticks.reduce((sum, one) => sum + one, 0), idle: (ticks[3] ?? 0) + (ticks[4] ?? 0) }
}
