// BullMQ on Redis: delayed jobs of one queue.

import { Queue, Worker } from 'bullmq'
import type { Job, Opening, System } from '../system.ts'
import { PAYLOAD } from '../system.ts'

const QUEUE = 'timers'
const CONCURRENCY = 256

function delayOf({ dueAt }: Job): number {
  return Math.max(dueAt - Date.now(), 0)
}

export async function open({ database }: Opening): Promise<System> {
  const { hostname, port } = new URL(database)
  const connection = { host: hostname, port: Number(port), maxRetriesPerRequest: null }
  const queue = new Queue(QUEUE, { connection })
  await queue.waitUntilReady()
  const workers: Worker[] = []
  const jobOf = (job: Job) => ({
    name: 'timer',
    data: { ...PAYLOAD, ...job },
    opts: {
      jobId: job.id,
      delay: delayOf(job),
      removeOnComplete: true,
      ...(job.failsOnce === true && { attempts: 2, backoff: { type: 'fixed', delay: 1_000 } }),
    },
  })
  return {
    create(job) {
      const { name, data, opts } = jobOf(job)
      return queue.add(name, data, opts)
    },
    createMany: (jobs) => queue.addBulk(jobs.map(jobOf)),
    cancel: ({ id }) => queue.remove(id),
    async reschedule(job) {
      await (await queue.getJob(job.id))!.changeDelay(delayOf(job))
    },
    async work(handle) {
      const worker = new Worker(QUEUE, async ({ data }) => handle(data as Job), {
        connection,
        concurrency: CONCURRENCY,
      })
      workers.push(worker)
      await worker.waitUntilReady()
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close(true)))
      await queue.close()
    },
  }
}
