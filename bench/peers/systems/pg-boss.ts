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
  return {
    create: (job) => boss.send(QUEUE, { ...PAYLOAD, ...job }, { startAfter: new Date(job.dueAt) }),
    createMany: (jobs) =>
      boss.insert(
        QUEUE,
        jobs.map((job) => ({ data: { ...PAYLOAD, ...job }, startAfter: new Date(job.dueAt) })),
      ),
    async work(handle) {
      await boss.work<Job>(QUEUE, options, async (jobs) => {
        await Promise.all(jobs.map(({ data }) => handle(data)))
      })
    },
    close: () => boss.stop({ graceful: false }),
  }
}
