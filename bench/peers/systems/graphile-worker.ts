// graphile-worker on PostgreSQL: jobs with `runAt`.

import { makeWorkerUtils, run, Logger } from 'graphile-worker'
import type { Runner, RunnerOptions } from 'graphile-worker'
import type { Job, Opening, System } from '../system.ts'
import { PAYLOAD } from '../system.ts'

const TASK = 'timer'
const CONCURRENCY = 24
const TUNED = {
  pollInterval: 20,
  preset: {
    worker: {
      localQueue: { size: 500, refetchDelay: { durationMs: 5 } },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
}
const SILENT = new Logger(() => () => {})

export async function open({ database, settings }: Opening): Promise<System> {
  const utils = await makeWorkerUtils({ connectionString: database, maxPoolSize: 10, logger: SILENT })
  await utils.migrate()
  let runner: Runner | null = null
  return {
    create: (job) => utils.addJob(TASK, { ...PAYLOAD, ...job }, { runAt: new Date(job.dueAt) }),
    createMany: (jobs) =>
      utils.addJobs(
        jobs.map((job) => ({ identifier: TASK, payload: { ...PAYLOAD, ...job }, runAt: new Date(job.dueAt) })),
      ),
    async work(handle) {
      const options: RunnerOptions = {
        connectionString: database,
        maxPoolSize: 10,
        concurrency: CONCURRENCY,
        noHandleSignals: true,
        logger: SILENT,
        taskList: { [TASK]: async (payload) => handle(payload as Job) },
        ...(settings === 'tuned' ? TUNED : {}),
      }
      runner = await run(options)
    },
    async close() {
      await runner?.stop()
      await utils.release()
    },
  }
}
