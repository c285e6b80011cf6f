// Runs one mutation in a thread of its own: the thread's modules are loaded with the mutated source. It tries seeds in order
// until a promise is broken, or the budget is used up.

import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type { Mutation } from './mutation.ts'

export type MutationTask = { readonly mutation: Mutation; readonly firstSeed: number; readonly seeds: number }
export type MutationResult = { readonly seedsNeeded: number | null; readonly found: string | null }

const { mutation, firstSeed, seeds } = workerData as MutationTask
Error.stackTraceLimit = 0

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const changes = mutation.changes.filter(({ file }) => url.endsWith(`/${file}`))
    if (changes.length === 0) return loaded
    let source = readFileSync(new URL(url), 'utf8')
    for (const { from, to } of changes) source = source.replace(from, () => to)
    return { ...loaded, source }
  },
})

const { huntedPlan } = await import('../plan/reshards.ts')
const { simulate } = await import('../simulate.ts')

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort!.postMessage(await firstFind())

async function firstFind(): Promise<MutationResult> {
  for (let count = 1; count <= seeds; count++) {
    try {
      const { violations } = await simulate(huntedPlan(firstSeed + count - 1))
      const [first] = violations
      if (first !== undefined) return { seedsNeeded: count, found: `${first.promise}: ${first.text}` }
    } catch (error) {
      return { seedsNeeded: count, found: `sound: ${String(error)}` }
    }
  }
  return { seedsNeeded: null, found: null }
}
