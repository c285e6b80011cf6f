// One thread of a hunt: gets ranges of seeds and reports what they broke.

import { parentPort } from 'node:worker_threads'
import type { Violation } from './checkers/verdict.ts'
import { Coverage } from './coverage.ts'
import type { HuntReport, SeedRange } from './hunt.ts'
import { huntedPlan } from './plan/reshards.ts'
import { simulate } from './simulate.ts'

Error.stackTraceLimit = 0 // errors are a part of what is simulated, and stacks are dear

parentPort!.on('message', ({ from, to }: SeedRange) => void run(from, to))

async function run(from: number, to: number): Promise<void> {
  const coverage = new Coverage()
  const failures: { seed: number; violations: readonly Violation[] }[] = []
  for (let seed = from; seed < to; seed++) {
    const { violations } = await simulate(huntedPlan(seed), coverage)
    if (violations.length > 0) failures.push({ seed, violations })
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort!.postMessage({ failures, coverage: coverage.counts } satisfies HuntReport)
}
