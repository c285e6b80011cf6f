// Temporal: a workflow for each timer, with a start delay. Its code runs in a sandbox, so a function of the program is an
// activity: a task of its own by default, and within the task of the workflow (a local activity) where it is tuned.

import { Client, Connection } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import type { WorkerOptions } from '@temporalio/worker'
import type { Job, Opening, System } from '../system.ts'
import { PAYLOAD } from '../system.ts'

const TASK_QUEUE = 'timers'
const WORKFLOWS = new URL('./temporal-workflows.ts', import.meta.url).pathname
const TUNED: Partial<WorkerOptions> = {
  maxConcurrentWorkflowTaskExecutions: 200,
  maxConcurrentWorkflowTaskPolls: 20,
  maxConcurrentLocalActivityExecutions: 200,
  maxCachedWorkflows: 2_000,
}

export async function open({ database, settings }: Opening): Promise<System> {
  const address = new URL(database).host
  const connection = await Connection.connect({ address })
  const { workflow } = new Client({ connection })
  const type = settings === 'tuned' ? 'timerWithLocalActivity' : 'timer'
  let worker: Worker | null = null
  const create = (job: Job) =>
    workflow.start(type, {
      workflowId: job.id,
      taskQueue: TASK_QUEUE,
      startDelay: Math.max(job.dueAt - Date.now(), 1),
      args: [{ ...PAYLOAD, ...job }],
      ...(job.isChanged === true && { workflowIdConflictPolicy: 'TERMINATE_EXISTING' }),
    })
  return {
    create,
    // There is no call for many.
    createMany: (jobs) => Promise.all(jobs.map(create)),
    cancel: ({ id }) => workflow.getHandle(id).terminate(),
    reschedule: create, // the one with the same id is terminated
    async work(handle) {
      Runtime.install({ logger: new DefaultLogger('ERROR') })
      worker = await Worker.create({
        connection: await NativeConnection.connect({ address }),
        taskQueue: TASK_QUEUE,
        workflowsPath: WORKFLOWS,
        activities: { handle: (job: Job) => handle(job) },
        ...(settings === 'tuned' ? TUNED : {}),
      })
      worker.run().catch((error: unknown) => console.error(error))
    },
    async close() {
      worker?.shutdown()
      await connection.close()
    },
  }
}
