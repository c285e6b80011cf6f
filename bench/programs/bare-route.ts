// The raw limit for creates: the web framework with the service's options, the same schema checking the same body, and
// an answer with the same fields. No rule, no store, no disk.

import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import { CreateBody } from '../../src/http/contracts/v1/schema.ts'
import { answerQuestions } from '../harness/helper-side.ts'

const app = fastify({
  logger: false,
  bodyLimit: 8 * 2 ** 20,
  requestTimeout: 30_000,
  keepAliveTimeout: 75_000,
  ajv: {
    customOptions: {
      removeAdditional: false,
      coerceTypes: false,
      useDefaults: false,
      strict: true,
      allowUnionTypes: true,
      discriminator: true,
    },
  },
})

const NOW = new Date().toISOString()
const RETRY = {
  maxRetries: 3,
  maxAttempts: 4,
  initialInterval: '30s',
  multiplier: 2,
  maxInterval: '10m',
  maxRetryAttemptsDuration: '24h',
}

app.post<{ Body: CreateBody }>('/api/v1/timers/create', { schema: { body: CreateBody } }, (request, reply) => {
  const { id, executeAt, callbackUrl, payload } = request.body
  // Waits for nothing, as the service's answer to this request would if storing a timer took no time.
  void reply.send({
    id,
    namespace: 'default',
    groupId: 'default',
    status: 'pending',
    executeAt,
    callbackUrl,
    callback: { type: 'http', url: callbackUrl },
    payload,
    retryPolicy: RETRY,
    callbackTimeout: '30s',
    callbackTimeoutSeconds: 30,
    createdAt: NOW,
    updatedAt: NOW,
    attemptCount: 0,
    attempts: [],
    version: 1,
    deliveryId: '00000000000000000000000000000000-00000000-1',
  })
})

await app.listen({ host: '127.0.0.1', port: 0 })
answerQuestions({ port: (app.server.address() as AddressInfo).port }, () => null)
