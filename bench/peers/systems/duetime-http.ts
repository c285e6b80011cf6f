// Duetime as a service, called over HTTP with a plain undici pool; the service is a process of its own.

import { Pool } from 'undici'
import type { Job, Opening, System } from '../system.ts'
import { PAYLOAD } from '../system.ts'

const CONNECTIONS = 64
const BATCH = 1_000

export function open({ database: url }: Opening): Promise<System> {
  const pool = new Pool(url, { connections: CONNECTIONS })
  const bodyOf = ({ id, dueAt, url: callbackUrl }: Job) => ({
    id,
    executeAt: new Date(dueAt).toISOString(),
    callbackUrl: callbackUrl ?? 'http://127.0.0.1:9/',
    payload: PAYLOAD,
  })
  const post = async (path: string, body: string) => {
    const response = await pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body,
    })
    const text = await response.body.text()
    if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}: ${text.slice(0, 300)}`)
    return text
  }
  return Promise.resolve({
    create: (job) => post('/api/v1/timers/create', JSON.stringify(bodyOf(job))),
    async createMany(jobs) {
      const parts = Array.from({ length: Math.ceil(jobs.length / BATCH) }, (_, n) =>
        jobs.slice(n * BATCH, (n + 1) * BATCH),
      )
      await Promise.all(parts.map((part) => post('/api/v1/timers/batch', JSON.stringify({ timers: part.map(bodyOf) }))))
    },
    work: () => Promise.resolve(),
    close: () => pool.close(),
  })
}
