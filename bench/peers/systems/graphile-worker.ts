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
  const create = (job: Job) => {
    const key = job.isChanged === true ? { jobKey: job.id } : {}
    return utils.addJob(TASK, { ...PAYLOAD, ...job }, { runAt: new Date(job.dueAt), ...key })
  }
  return {
    create,
    createMany: (jobs) =>
      utils.addJobs(
        jobs.map((job) => ({ identifier: TASK, payload: { ...PAYLOAD, ...job }, runAt: new Date(job.dueAt) })),
      ),
    cancel: ({ id }) => utils.withPgClient((client) => client.query('SELECT graphile_worker.remove_job($1)', [id])),
    reschedule: create, // the one with the same key is replaced
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
