// What a process costs, read from outside: asking the process itself would be part of the cost.

import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** CPU time of all threads so far. The scheduler counts in nanoseconds; `stat` would round to ticks of 10 ms. */
export function cpuMs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + threadCpuMs(pid, thread), 0)
}

/** Of a process and all that it started, also of those that have ended: a database server has a process for each connection. */
export function treeCpuMs(pid: number): number {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) => childrenOf(pid, thread))
    return children.reduce((sum, child) => sum + treeCpuMs(child), cpuMs(pid) + endedChildrenCpuMs(pid))
  } catch {
    return 0 // it has just ended
  }
}

const TICK_MS = 10

/** `cutime` and `cstime`: the 14th and 15th field behind the name, which may have spaces and parentheses in it. */
function endedChildrenCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS
}

function childrenOf(pid: number, thread: string): number[] {
  const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim()
  return children === '' ? [] : children.split(' ').map(Number)
}

/** Of each thread so far. */
export function threadsCpuMs(pid: number): ReadonlyMap<string, number> {
  return new Map(readdirSync(`/proc/${pid}/task`).map((thread) => [thread, threadCpuMs(pid, thread)]))
}

/** The thread that runs JavaScript and, in the service, answers and fires. */
export function mainThreadCpuMs(pid: number): number {
  return threadCpuMs(pid, String(pid))
}

function threadCpuMs(pid: number, thread: string): number {
  const file = `/proc/${pid}/task/${thread}/schedstat`
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6
  } catch (error) {
    if (existsSync(`/proc/${pid}`)) return 0 // the thread has just ended
    throw error
  }
}

export function residentBytes(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  if (kib === undefined) throw new Error(`/proc/${pid}/status has no VmRSS`)
  return Number(kib) * 1_024
}
