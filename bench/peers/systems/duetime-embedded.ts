// Duetime as a library, as it is installed, on SQLite, PostgreSQL or MariaDB. It has nothing to tune.

import type { Job, Opening, System } from '../system.ts'
import { PAYLOAD } from '../system.ts'

const INSTALLED = new URL('../../../dist/embedded/index.js', import.meta.url)
const NAMESPACE = 'bench'

export async function open({ database }: Opening): Promise<System> {
  const { openDuetime } = (await import(INSTALLED.href)) as typeof import('../../../src/embedded/index.ts')
  const timers = await openDuetime({ database, settings: { LOG_LEVEL: 'error' } })
  const fieldsOf = ({ id, dueAt, url, failsOnce }: Job) => ({
    namespace: NAMESPACE,
    id,
    at: new Date(dueAt),
    payload: PAYLOAD,
    ...(failsOnce === true && { retryPolicy: { initialInterval: 'PT1S' } }),
    ...(url === null ? {} : { callback: { type: 'http' as const, url } }),
  })
  return {
    create: (job) => timers.create(fieldsOf(job)),
    createMany: (jobs) => timers.createMany(jobs.map(fieldsOf)),
    cancel: ({ id }) => timers.cancel({ namespace: NAMESPACE, id }),
    reschedule: ({ id, dueAt }) => timers.update({ namespace: NAMESPACE, id }, { at: new Date(dueAt) }),
    work(handle) {
      timers.handle(NAMESPACE, ({ id, dueAt }) => handle({ id, dueAt: Number(dueAt), url: null }))
      return Promise.resolve()
    },
    close: () => timers.close(),
  }
}
