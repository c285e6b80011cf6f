// Runs deliberate bugs and tells how many seeds it took to find each.

import { Worker } from 'node:worker_threads'
import { PROMISES } from '../checkers/verdict.ts'
import type { Mutation } from './mutation.ts'
import type { MutationResult, MutationTask } from './worker.ts'

/** A bug that makes a thread run for ever is found, too. */
const HANGS_AFTER_MS = 600_000

export async function findMutation(mutation: Mutation, firstSeed: number, seeds: number): Promise<MutationResult> {
  const workerDataOf: MutationTask = { mutation, firstSeed, seeds }
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: workerDataOf,
    execArgv: ['--conditions=@duetime/source'],
  })
  let timeout: NodeJS.Timeout | undefined
  try {
    return await new Promise<MutationResult>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      timeout = setTimeout(() => resolve({ seedsNeeded: 1, found: 'live: it runs for ever' }), HANGS_AFTER_MS)
    })
  } finally {
    clearTimeout(timeout)
    await worker.terminate()
  }
}

export type MutationRun = {
  readonly mutations: readonly Mutation[]
  readonly firstSeed: number
  readonly seeds: number
  readonly threads: number
  readonly print: (line: string) => void
}

/** A table in Markdown; how many were not found. */
export async function runMutations({ mutations, firstSeed, seeds, threads, print }: MutationRun): Promise<number> {
  print('| mutation | promise | seeds needed | found as |\n|---|---|---|---|')
  const left = [...mutations]
  let missed = 0
  const work = async (): Promise<void> => {
    for (let mutation = left.shift(); mutation !== undefined; mutation = left.shift()) {
      const { seedsNeeded, found } = await findMutation(mutation, firstSeed, seeds)
      if (seedsNeeded === null) missed++
      const needed = seedsNeeded ?? `not found in ${seeds}`
      print(`| ${mutation.name} | ${PROMISES[mutation.promise]} | ${needed} | ${found?.split(':')[0] ?? ''} |`)
    }
  }
  await Promise.all(Array.from({ length: threads }, work))
  print(`${mutations.length - missed} of ${mutations.length} found`)
  return missed
}
