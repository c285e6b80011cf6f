// Takes the place of src/threads/start-thread.ts in the single executable: the code of the threads is inside.

import { getAsset } from 'node:sea'
import { Worker } from 'node:worker_threads'
import type { ThreadKind } from '../../../src/threads/start-thread.ts'

export function startThread(kind: ThreadKind, workerData: unknown): Worker {
  return new Worker(getAsset(`${kind}-thread.cjs`, 'utf8'), { eval: true, workerData, name: `duetime ${kind}` })
}
