// A part of a core for a process, by a control group of its own, as if it ran on a small machine of its own: nodes that share
// all cores of one machine with each other, the database and the clients cannot show what one more of them brings. It needs
// the right to make control groups, which root has as a rule.

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = '/sys/fs/cgroup'
const PERIOD_US = 10_000 // a process that has used its share rests until the next period

export type CpuShare = { release(): void }

/** Null when this machine does not let us. */
export function giveShare(pid: number, cores: number): CpuShare | null {
  const quota = Math.round(cores * PERIOD_US)
  try {
    return existsSync(join(ROOT, 'cpu', 'cpu.cfs_quota_us')) ? versionOne(pid, quota) : versionTwo(pid, quota)
  } catch {
    return null
  }
}

function versionOne(pid: number, quota: number): CpuShare {
  const parent = join(ROOT, 'cpu')
  const group = join(parent, `duetime-bench-${pid}`)
  mkdirSync(group)
  writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US))
  writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota))
  return moved(pid, group, parent)
}

function versionTwo(pid: number, quota: number): CpuShare {
  if (!readFileSync(join(ROOT, 'cgroup.subtree_control'), 'utf8').trim().split(' ').includes('cpu'))
    writeFileSync(join(ROOT, 'cgroup.subtree_control'), '+cpu')
  const group = join(ROOT, `duetime-bench-${pid}`)
  mkdirSync(group)
  writeFileSync(join(group, 'cpu.max'), `${quota} ${PERIOD_US}`)
  return moved(pid, group, ROOT)
}

/** With all its threads; and back, so that the group can be removed. */
function moved(pid: number, group: string, parent: string): CpuShare {
  writeFileSync(join(group, 'cgroup.procs'), String(pid))
  return {
    release() {
      // One that has ended has left its group already.
      if (existsSync(`/proc/${pid}`)) writeFileSync(join(parent, 'cgroup.procs'), String(pid))
      rmdirSync(group)
    },
  }
}
