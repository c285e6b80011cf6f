// Duetime as a service, called over HTTP with its TypeScript SDK; the service is a process of its own.

import { Duetime } from '../../../sdks/typescript/src/index.ts'
import type { Job, Opening, System } from '../system.ts'
import { PAYLOAD } from '../system.ts'

export function open({ database: url }: Opening): Promise<System> {
  const client = new Duetime({ url })
  const timerOf = ({ id, dueAt, url: callbackUrl }: Job) => ({
    id,
    at: dueAt,
    callbackUrl: callbackUrl ?? 'http://127.0.0.1:9/',
    payload: PAYLOAD,
  })
  return Promise.resolve({
    create: (job) => client.create(timerOf(job)),
    async createMany(jobs) {
      for (const result of await client.batch(jobs.map(timerOf))) if (!result.ok) throw result.error
    },
    cancel: ({ id }) => client.cancel(id),
    reschedule: ({ id, dueAt }) => client.update(id, { at: dueAt }),
    work: () => Promise.resolve(),
    close: () => Promise.resolve(),
  })
}
