// pg-boss on PostgreSQL: jobs with `startAfter` in one queue.

import { PgBoss } from 'pg-boss'
import type { Job, Opening, System } from '../system.ts'
import { PAYLOAD } from '../system.ts'

const QUEUE = 'timers'
const TUNED = { pollingIntervalSeconds: 0.5, batchSize: 1_000, burstWhenBatchFull: true }

export async function open({ database, settings }: Opening): Promise<System> {
  const boss = new PgBoss({ connectionString: database, max: 10 })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue(QUEUE)
  const options = settings === 'tuned' ? TUNED : { batchSize: 100 }
  // It names jobs itself.
  const names = new Map<string, string>()
  const create = async (job: Job) => {
    const retry = job.failsOnce === true ? { retryLimit: 1, retryDelay: 1 } : {}
    const name = await boss.send(QUEUE, { ...PAYLOAD, ...job }, { startAfter: new Date(job.dueAt), ...retry })
    if (job.isChanged === true) names.set(job.id, name!)
  }
  const cancel = async ({ id }: Job) => {
    await boss.cancel(QUEUE, names.get(id)!)
    names.delete(id)
  }
  return {
    create,
    createMany: (jobs) =>
      boss.insert(
        QUEUE,
        jobs.map((job) => ({ data: { ...PAYLOAD, ...job }, startAfter: new Date(job.dueAt) })),
      ),
    cancel,
    async reschedule(job) {
      // There is no way to move one.
      await cancel(job)
      await create(job)
    },
    async work(handle) {
      const one = async ({ id, data }: { readonly id: string; readonly data: Job }) => {
        try {
          await handle(data)
        } catch {
          await boss.fail(QUEUE, id) // what is thrown fails the whole batch
        }
      }
      await boss.work<Job>(QUEUE, options, async (jobs) => {
        await Promise.all(jobs.map(one))
      })
    },
    close: () => boss.stop({ graceful: false }),
  }
}
