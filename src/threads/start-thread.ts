// Where the code of the threads comes from: a file beside this one. The single executable has no files, and a module of
// its own in this place; see scripts/executable.

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

export type ThreadKind = 'delivery' | 'entry'

const QUIET = ['--disable-warning=ExperimentalWarning']

/** The sources run as .ts; a build has the same file as .js. Flags meant for the main thread (--eval, --test) stay there. */
export function startThread(kind: ThreadKind, workerData: unknown): Worker {
  return new Worker(new URL(`./${kind}/${kind}-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData,
    execArgv: QUIET,
    name: `duetime ${kind}`,
  })
}
