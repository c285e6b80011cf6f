// Where the code of the threads comes from: a file beside this one. The single executable has no files, and a module of
// its own in this place; see scripts/executable.

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { WorkerOptions } from './messages.ts'

/** Node 22 calls node:sqlite an experiment, and each thread would say so in the log. */
const QUIET = ['--disable-warning=ExperimentalWarning']

/** The sources run as .ts; a build has the same file as .js beside this one. Flags meant for the main thread (--eval, --test) stay there. */
export function startWorker(options: WorkerOptions): Worker {
  return new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: options,
    execArgv: QUIET,
  })
}
