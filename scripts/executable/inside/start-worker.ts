// Takes the place of src/store/sqlite/threads/start-worker.ts in the single executable: the code of the threads is inside.

import { getAsset } from 'node:sea'
import { Worker } from 'node:worker_threads'
import type { WorkerOptions } from '../../../src/store/sqlite/threads/messages.ts'

export function startWorker(options: WorkerOptions): Worker {
  return new Worker(getAsset('worker.cjs', 'utf8'), { eval: true, workerData: options })
}
