// A hunt: simulations of one seed after the other, on as many threads as there are cores, until the time is over. Every seed
// that breaks a promise is told at once, so that it can be run alone.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { PROMISES } from './checkers/verdict.ts'
import type { Violation } from './checkers/verdict.ts'
import { Coverage } from './coverage.ts'
import type { CoverageCounts } from './coverage.ts'

export type HuntOptions = {
  readonly firstSeed: number
  /** Infinity: until the time is over. */
  readonly seeds: number
  readonly minutes: number
  readonly threads?: number
  readonly print: (line: string) => void
}

export type SeedRange = { readonly from: number; readonly to: number }
export type HuntReport = {
  readonly failures: readonly { readonly seed: number; readonly violations: readonly Violation[] }[]
  readonly coverage: CoverageCounts
}

export type Hunted = { readonly seeds: number; readonly failures: readonly number[]; readonly coverage: Coverage }

const SEEDS_AT_ONCE = 100
const PROGRESS_EVERY_MS = 60_000

export async function hunt(options: HuntOptions): Promise<Hunted> {
  const { firstSeed, minutes, print } = options
  const began = performance.now()
  const coverage = new Coverage()
  const failures: number[] = []
  let next = firstSeed
  let done = 0
  let saidAt = began
  const end = firstSeed + options.seeds
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('hunt-worker.ts', import.meta.url), { execArgv: process.execArgv })
    try {
      while (next < end && performance.now() - began < minutes * 60_000) {
        const range: SeedRange = { from: next, to: Math.min(next + SEEDS_AT_ONCE, end) }
        next = range.to
        const report = await ask(worker, range)
        done += range.to - range.from
        coverage.merge(report.coverage)
        for (const { seed, violations } of report.failures) {
          failures.push(seed)
          const { promise, timer, text } = violations[0]!
          print(`seed ${seed}: ${PROMISES[promise]}: ${timer ?? ''} ${text}`)
        }
        if (performance.now() - saidAt < PROGRESS_EVERY_MS) continue
        saidAt = performance.now()
        print(`${done} simulations, ${failures.length} with violations, ${rate(done, began)}`)
      }
    } finally {
      await worker.terminate()
    }
  }
  await Promise.all(Array.from({ length: options.threads ?? availableParallelism() }, work))
  print(`${done} simulations, ${failures.length} with violations, ${rate(done, began)}`)
  return { seeds: done, failures, coverage }
}

function ask(worker: Worker, range: SeedRange): Promise<HuntReport> {
  return new Promise((resolve, reject) => {
    worker.once('message', (report: HuntReport) => {
      worker.off('error', reject)
      resolve(report)
    })
    worker.once('error', reject)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(range)
  })
}

function rate(done: number, began: number): string {
  return `${(done / ((performance.now() - began) / 1_000)).toFixed(1)} per second`
}

/** Every group with its counts, the most frequent first. */
export function coverageText(coverage: Coverage): string {
  return coverage.counts
    .map(([group, entries]) => {
      const lines = entries
        .toSorted((a, b) => b[1] - a[1])
        .map(([what, count]) => `  ${String(count).padStart(9)}  ${what}`)
      return [`${group}:`, ...lines].join('\n')
    })
    .join('\n')
}
