// The raw limit for creates: the web framework with the service's options, the same schema checking the same body, and
// an answer of the same size. No rule, no store, no disk.

import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import { answerQuestions } from '../harness/helper-side.ts'

const app = fastify({ logger: false, keepAliveTimeout: 75_000, requestTimeout: 30_000 })
app.post('/api/v1/timers/create', async (request) => {
  const body = request.body as Record<string, unknown>
  return { ...body, namespace: 'default', groupId: 'default', status: 'pending', createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z', attempts: 0, version: 1 }
})
await app.listen({ host: '127.0.0.1', port: 0 })
answerQuestions({ port: (app.server.address() as AddressInfo).port }, () => null)
